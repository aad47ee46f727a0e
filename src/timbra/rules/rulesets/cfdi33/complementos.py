"""Complements of another version of the invoice."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi33.sources import CADENA_ORIGINAL
from timbra.rules.shared.invoice import complement_versions

CFDI33196_Complemento_Version = row(
    "CFDI33196:Complemento-Version",
    Comprobante,
    at="Complemento",
    says="Los complementos del comprobante y de sus conceptos deben ser de una versión que CFDI 3.3 admita.",
    check=complement_versions.complements_match_invoice_version,
    cites=CADENA_ORIGINAL,
)

"""Complements of another version of the invoice, and complements that are no longer in force."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi40.sources import CADENA_ORIGINAL
from timbra.rules.shared.invoice import complement_versions

CFDI40999_Complemento_Version = row(
    "CFDI40999:Complemento-Version",
    Comprobante,
    at="Complemento",
    says="Los complementos del comprobante y de sus conceptos deben ser de una versión que CFDI 4.0 admita.",
    check=complement_versions.complements_match_invoice_version,
    cites=CADENA_ORIGINAL,
)


CFDI40999_Complemento_Vigencia = row(
    "CFDI40999:Complemento-Vigencia",
    Comprobante,
    at="Complemento",
    says="Fecha no debe ser posterior al último día de vigencia de la versión de cada complemento.",
    note="El SAT ha cambiado estas fechas: la validación da un aviso, y el timbrado rechaza el comprobante.",
    check=complement_versions.complements_are_in_force,
    severity=Severity.WARNING,
    cites=CADENA_ORIGINAL,
)

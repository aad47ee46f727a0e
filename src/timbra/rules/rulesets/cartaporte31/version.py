"""The version of the document: CP101, the only rule for documents of an earlier version."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante
from timbra.rules.engine.rule import row
from timbra.rules.shared.predicates import equals

CP101 = row(
    "CP101",
    Comprobante,
    at="@Version",
    says="El complemento Carta Porte 3.1 solo va en comprobantes de versión 4.0.",
    check=equals("Version", "4.0", "por el complemento Carta Porte 3.1"),
    inseparable=("SELLO-COMPLEMENTO",),
)

"""The error matrix of Estado de Cuenta de Combustibles 1.2, for invoices of both versions."""

from __future__ import annotations

from timbra.cfdi.nodes.ecc12 import EstadoDeCuentaCombustible
from timbra.rules.engine.rule_set import VERSIONS, RuleSet, discover_rules
from timbra.rules.rulesets.ecc12.sources import MATRIX_B

RULE_SET = RuleSet(
    "ecc12",
    "B",
    discover_rules(__name__, cites=MATRIX_B),
    standard="Estado de Cuenta de Combustibles 1.2",
    package=__name__,
    complement=EstadoDeCuentaCombustible,
    versions=VERSIONS,
    messages={
        "ECC999": "El complemento Estado de Cuenta de Combustibles no cumple con algo que la matriz no clasifica."
    },
    prefixes=("ECC",),
)
RULE_SETS = (RULE_SET,)

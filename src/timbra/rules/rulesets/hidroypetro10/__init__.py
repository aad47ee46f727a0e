"""The error matrix of Hidrocarburos y Petrolíferos 1.0, as far as its rows are known."""

from __future__ import annotations

from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.rules.engine.rule import NotImplementedRow
from timbra.rules.engine.rule_set import RuleSet, discover_rules
from timbra.rules.rulesets.hidroypetro10.sources import MATRIX_A_2026_04_24, SCHEMA

AT = "Conceptos/Concepto/ComplementoConcepto/HidroYPetro"
NOT_IMPLEMENTED = (
    *(
        NotImplementedRow(
            code,
            at=AT,
            says="La matriz de Hidrocarburos y Petrolíferos tiene este código; no se conoce su contenido.",
            cites=MATRIX_A_2026_04_24,
            reason="el texto de la matriz, que ninguna fuente trae",
            kind=HidroYPetro,
        )
        for code in ("CCHYP101", "CCHYP102", "CCHYP103", "CCHYP104", "CCHYP105", "CCHYP109")
    ),
    NotImplementedRow(
        "CCHYP106",
        at=AT,
        says="El complemento Hidrocarburos y Petrolíferos debe convivir solo con complementos admitidos.",
        cites=MATRIX_A_2026_04_24,
        reason="la lista de complementos admitidos, que ninguna fuente trae",
        kind=HidroYPetro,
    ),
    NotImplementedRow(
        "CFDI40999:HYP-Version",
        at=f"{AT}/@Version",
        says="Version del complemento Hidrocarburos y Petrolíferos debe ser 1.0.",
        cites=SCHEMA,
        reason="lo exige el esquema: 301",
    ),
)
RULE_SET = RuleSet(
    "hidroypetro10",
    "A-2026-04-24",
    discover_rules(__name__, cites=MATRIX_A_2026_04_24),
    standard="Hidrocarburos y Petrolíferos 1.0",
    package=__name__,
    not_implemented=NOT_IMPLEMENTED,
    complement=HidroYPetro,
    versions=("4.0",),
    messages={},
    prefixes=("CCHYP",),
)
RULE_SETS = (RULE_SET,)

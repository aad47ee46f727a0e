"""The error matrix of Nómina 1.2 for CFDI 4.0: one function per code, one file per node or attribute family.

What a demand means stands in `rules/nomina`, which the matrix for CFDI 3.3 shares.
"""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.rules.engine.rule import NotImplementedRow, RuleSet
from timbra.rules.rulesets.nomina12 import (
    comprobante,
    concepto,
    deducciones,
    emisor,
    nomina,
    otros_pagos,
    percepcion,
    percepciones,
    receptor,
)
from timbra.rules.rulesets.nomina12.matrix import REVISION, SOURCE
from timbra.rules.shared.misplaced_complement import misplaced

MODULES = (comprobante, concepto, nomina, emisor, receptor, percepciones, percepcion, deducciones, otros_pagos)

NOT_IMPLEMENTED = (
    NotImplementedRow(
        "NOM10", at="Complemento/Nomina/Receptor/@Curp", reason="el esquema ya lo exige: sin Curp se responde 301"
    ),
)
"""The row that is no rule: a required attribute stays in the structure."""

RULE_SET = RuleSet.from_modules(
    "nomina12", REVISION, SOURCE, MODULES, NOT_IMPLEMENTED, complement=Nomina, versions=("4.0",)
)
ELSEWHERE = misplaced("NOM30", NominaDeConcepto, RULE_SET)
"""Asked where the complement stands in a Concepto."""
RULE_SETS = (RULE_SET, ELSEWHERE)

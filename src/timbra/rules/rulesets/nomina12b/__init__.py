"""The error matrix of Nómina 1.2 for CFDI 3.3: one function per code; what each demands stands in `rules/nomina`."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.rules.engine.rule import RuleSet
from timbra.rules.rulesets.nomina12b import (
    comprobante,
    concepto,
    cuenta,
    deducciones,
    emisor,
    nomina,
    otros_pagos,
    percepciones,
    receptor,
)
from timbra.rules.rulesets.nomina12b.matrix import REVISION, SOURCE
from timbra.rules.shared.misplaced_complement import misplaced

MODULES = (comprobante, concepto, nomina, emisor, receptor, cuenta, percepciones, deducciones, otros_pagos)

RULE_SET = RuleSet.from_modules("nomina12b", REVISION, SOURCE, MODULES, complement=Nomina, versions=("3.3",))
ELSEWHERE = misplaced("NOM150", NominaDeConcepto, RULE_SET)
"""Asked where the complement stands in a Concepto."""
RULE_SETS = (RULE_SET, ELSEWHERE)

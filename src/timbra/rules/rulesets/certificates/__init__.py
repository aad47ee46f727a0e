"""Rules of the provider and of SAT's matrices about certificate, seal, date and stamp: one rule for each code.

`evaluation` evaluates them; the engine does not.
"""

from __future__ import annotations

from timbra.rules.engine.rule_set import RuleSet, discover_rules

RULE_SET = RuleSet(
    "sellos",
    "2024-12-13",
    discover_rules(__name__, without=("evaluation", "retenciones10")),
    standard="Certificado, sello, fecha y timbre",
    package=__name__,
    by_engine=False,
)
RULE_SETS = (RULE_SET,)

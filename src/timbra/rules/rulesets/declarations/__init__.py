"""Rules about namespaces, xsi:schemaLocation and the positions of complements and stamp.

`evaluation` evaluates them; the engine does not.
"""

from __future__ import annotations

from timbra.rules.engine.rule_set import RuleSet, discover_rules

RULE_SET = RuleSet(
    "forma",
    "2026-11-27",
    discover_rules(__name__, without=("evaluation",)),
    standard="Espacios de nombres, esquemas y lugares",
    package=__name__,
    messages={"CC3002": "El espacio de nombres de cfdi debe ser el de la versión del comprobante."},
    by_engine=False,
)
RULE_SETS = (RULE_SET,)

"""The engine with the rule sets of all standards: stamping, validation and the command line call it."""

from __future__ import annotations

from timbra.rules.engine.engine import Engine
from timbra.rules.rulesets import (
    cartaporte31,
    cfdi33,
    cfdi40,
    comercioexterior20,
    ecc12,
    gceh10,
    hidroypetro10,
    ieeh10,
    ine11,
    nomina12,
    nomina12b,
    pagos10,
    pagos20,
)

ENGINE = Engine(
    (
        cfdi40.RULE_SET,
        cfdi33.RULE_SET,
        pagos10.RULE_SET,
        pagos20.RULE_SET,
        *comercioexterior20.RULE_SETS,
        *cartaporte31.RULE_SETS,
        ine11.RULE_SET,
        ecc12.RULE_SET,
        ieeh10.RULE_SET,
        gceh10.RULE_SET,
        hidroypetro10.RULE_SET,
        *nomina12.RULE_SETS,
        *nomina12b.RULE_SETS,
    )
)

check = ENGINE.check
validate_for_stamping = ENGINE.validate_for_stamping

"""Sentences of rules, in our wording: one per code, one file per book."""

from __future__ import annotations

from timbra.messages.rules.cartaporte31 import CARTAPORTE31
from timbra.messages.rules.cfdi33 import CFDI33
from timbra.messages.rules.cfdi40 import CFDI40
from timbra.messages.rules.comercioexterior20 import COMERCIOEXTERIOR20
from timbra.messages.rules.pagos10 import PAGOS10
from timbra.messages.rules.pagos20 import PAGOS20
from timbra.messages.rules.seals import SEALS

RULES: dict[str, str] = {**SEALS, **CARTAPORTE31, **CFDI40, **CFDI33, **COMERCIOEXTERIOR20, **PAGOS10, **PAGOS20}

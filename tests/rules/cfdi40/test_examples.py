"""Every rule keeps its promise: one document holds, one breaks it alone, and without the rule both pass."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from tests.support.rules import checked
from tests.support.world import SmallCatalogs, registry

from timbra.examples import CASAS, ILUMINADORA
from timbra.examples.cfdi40 import EARLIER
from timbra.examples.codes import EXAMPLES
from timbra.examples.codes.nodos import MOVED, PAYMENT
from timbra.messages import MESSAGES
from timbra.rules.cfdi40 import BOOK
from timbra.rules.finding import Outcome, Severity
from timbra.rules.profiles import VALIDATE, Profile


@dataclass
class Known:
    """Every list that a rule may ask, in one object."""

    mark: str = "1"

    def withholding(self, rfc: str) -> str | None:
        return self.mark if rfc == CASAS.rfc else None

    def published(self, currency: str, on: date) -> Decimal | None:
        return Decimal("18.50") if currency == "USD" else None

    def issued_to(self, rfc: str, key: str) -> bool:
        return key in ("ABCDE", "USADA")

    def used(self, key: str) -> bool:
        return key == "USADA"

    def type_of(self, folio: str) -> str | None:
        return {EARLIER: "I", PAYMENT: "P", MOVED: "T"}.get(folio)

    def answered(self, number: str, rfc: str) -> bool:
        return number == "0000000001"


def _catalogs(code: str) -> SmallCatalogs:
    catalogs = SmallCatalogs(version=code)
    products = catalogs.keys["c_ClaveProdServ"]
    if code == "CFDI40164":
        products["84111506"] = {"iva_trasladado": "1", "ieps_trasladado": ""}
    if code == "CFDI40999:IVA8-ClaveProdServ":
        catalogs.keys["c_ClaveProdServ"] = {key: {"estimulo_frontera": "1" * (key == "84111506")} for key in products}
    return catalogs


def _world(code: str) -> dict[str, Any]:
    known, lists = Known("2" if code == "CFDI140225" else "1"), registry()
    lists.add(ILUMINADORA.rfc, ILUMINADORA.name, ILUMINADORA.postal_code, ILUMINADORA.regime)
    lists.enabled[ILUMINADORA.rfc] = 4
    others = dict.fromkeys(("marks", "exchange_rates", "confirmations", "related", "acquirers"), known)
    return {"catalogs": _catalogs(code), "taxpayers": lists, "obligations": lists, "names": lists, **others}


def _profile(code: str) -> Profile:
    on = {code: Severity.ERROR} if BOOK.rule(code).severity is Severity.SUSPENDED else {}
    return Profile("test", {**VALIDATE.severities, **on})


def _judged(code: str, text: str, *off: str) -> Outcome:
    return checked(text, profile=_profile(code).without(*off), **_world(code))


RULES = [rule.code for rule in BOOK.rules]


def test_every_rule_has_its_examples() -> None:
    assert set(EXAMPLES) == set(RULES)


@pytest.mark.parametrize("code", RULES)
def test_the_passing_document_has_no_finding(code: str) -> None:
    assert _judged(code, EXAMPLES[code].passing()).findings == ()


@pytest.mark.parametrize("code", RULES)
def test_the_failing_document_breaks_that_code(code: str) -> None:
    rule = BOOK.rule(code)
    findings = _judged(code, EXAMPLES[code].failing()).findings
    assert {finding.code for finding in findings} == {rule.shown, *(rule.inseparable & set(RULES))}
    for finding in findings:
        assert finding.found is not None or finding.expected is not None
        assert finding.detail


@pytest.mark.parametrize("code", RULES)
def test_without_the_rule_the_failing_document_passes(code: str) -> None:
    rule = BOOK.rule(code)
    assert _judged(code, EXAMPLES[code].failing(), code, *rule.inseparable).findings == ()


@pytest.mark.parametrize("code", RULES)
def test_every_rule_says_its_sentence_and_source(code: str) -> None:
    rule = BOOK.rule(code)
    assert MESSAGES[rule.shown]
    assert rule.source
    assert rule.judge.__name__ == rule.name
    assert rule.at.startswith(rule.kind.PATH)

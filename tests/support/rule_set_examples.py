"""Evaluate the example documents of a rule set with reference data that include every list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from tests.support.fuel_catalogs import SmallPermits
from tests.support.reference_data import InMemoryCatalogs, registry
from tests.support.rules import checked

from timbra.examples import CASAS, ILUMINADORA, ROBOTICA
from timbra.examples.cfdi40 import EARLIER
from timbra.examples.codes import EXAMPLES
from timbra.examples.codes.nodos import MOVED, PAYMENT
from timbra.rules.engine.profiles import VALIDATE, Profile
from timbra.rules.engine.result import EvaluationResult, Finding, Severity
from timbra.rules.engine.rule import RuleSet
from timbra.rules.registry import ENGINE


@dataclass
class AllLists:
    """Every list that rules read, in one object."""

    mark: str = "1"

    def withholding(self, rfc: str) -> str | None:
        return self.mark if rfc == CASAS.rfc else None

    def is_coordinated(self, rfc: str) -> bool:
        return rfc == ROBOTICA.rfc

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


def _catalogs(code: str) -> InMemoryCatalogs:
    catalogs = InMemoryCatalogs(version=code)
    products = catalogs.keys["c_ClaveProdServ"]
    if code in ("CFDI40164", "CFDI33144"):
        products["84111506"] = {"iva_trasladado": "1", "ieps_trasladado": ""}
    if code.endswith(":IVA8-ClaveProdServ"):
        catalogs.keys["c_ClaveProdServ"] = {key: {"estimulo_frontera": "1" * (key == "84111506")} for key in products}
    return catalogs


def _reference_data(code: str) -> dict[str, Any]:
    every_code, lists = AllLists("2" if code == "CFDI140225" else "1"), registry()
    lists.add(ILUMINADORA.rfc, ILUMINADORA.name, ILUMINADORA.postal_code, ILUMINADORA.regime)
    lists.enabled[ILUMINADORA.rfc] = 4
    others: dict[str, object] = dict.fromkeys(
        ("marks", "coordinated", "exchange_rates", "confirmations", "related", "acquirers"), every_code
    )
    others["permits"] = SmallPermits()
    return {"catalogs": _catalogs(code), "taxpayers": lists, "obligations": lists, "names": lists, **others}


class Examples:
    """A rule set and the example documents of its rules, evaluated by all rule sets together."""

    def __init__(self, book: RuleSet) -> None:
        self.book = book
        self.codes = [rule.code for rule in book.rules]

    def passing(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of the document that satisfies the rule."""
        return self._evaluated(code, EXAMPLES[code].passing()).findings

    def failing(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of the document that violates the rule."""
        return self._evaluated(code, EXAMPLES[code].failing()).findings

    def without(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of the violating document when the rule and its inseparable rules are off."""
        return self._evaluated(code, EXAMPLES[code].failing(), *self._violated(code)).findings

    def expected(self, code: str) -> set[str]:
        """Return the codes of the expected findings: the rule's and those of its inseparable rules."""
        return {broken.partition(":")[0] for broken in self._violated(code)}

    def _violated(self, code: str) -> set[str]:
        every_code = {rule.code for book in ENGINE.rule_sets for rule in book.rules}
        return {code, *(self.book.rule(code).inseparable & every_code)}

    def _evaluated(self, code: str, text: str, *off: str) -> EvaluationResult:
        on = {code: Severity.ERROR} if self.book.rule(code).severity is Severity.SUSPENDED else {}
        profile = Profile("test", {**VALIDATE.severities, **on})
        return checked(text, profile=profile.without(*off), **_reference_data(code))

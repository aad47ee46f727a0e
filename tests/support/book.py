"""Judging the examples of a book in a world that has every list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from tests.support.fuels import SmallPermits
from tests.support.rules import checked
from tests.support.world import SmallCatalogs, registry

from timbra.examples import CASAS, ILUMINADORA, ROBOTICA
from timbra.examples.cfdi40 import EARLIER
from timbra.examples.codes import EXAMPLES
from timbra.examples.codes.nodos import MOVED, PAYMENT
from timbra.rules.checking import ENGINE
from timbra.rules.finding import Finding, Outcome, Severity
from timbra.rules.profiles import VALIDATE, Profile
from timbra.rules.rule import Book


@dataclass
class Known:
    """Every list that a rule may ask, in one object."""

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


def _catalogs(code: str) -> SmallCatalogs:
    catalogs = SmallCatalogs(version=code)
    products = catalogs.keys["c_ClaveProdServ"]
    if code in ("CFDI40164", "CFDI33144"):
        products["84111506"] = {"iva_trasladado": "1", "ieps_trasladado": ""}
    if code.endswith(":IVA8-ClaveProdServ"):
        catalogs.keys["c_ClaveProdServ"] = {key: {"estimulo_frontera": "1" * (key == "84111506")} for key in products}
    return catalogs


def _world(code: str) -> dict[str, Any]:
    known, lists = Known("2" if code == "CFDI140225" else "1"), registry()
    lists.add(ILUMINADORA.rfc, ILUMINADORA.name, ILUMINADORA.postal_code, ILUMINADORA.regime)
    lists.enabled[ILUMINADORA.rfc] = 4
    others: dict[str, object] = dict.fromkeys(
        ("marks", "coordinated", "exchange_rates", "confirmations", "related", "acquirers"), known
    )
    others["permits"] = SmallPermits()
    return {"catalogs": _catalogs(code), "taxpayers": lists, "obligations": lists, "names": lists, **others}


class Examples:
    """A book and the documents of its rules, judged by all books together."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.codes = [rule.code for rule in book.rules]

    def passing(self, code: str) -> tuple[Finding, ...]:
        """What is found in the document that holds."""
        return self._judged(code, EXAMPLES[code].passing()).findings

    def failing(self, code: str) -> tuple[Finding, ...]:
        """What is found in the document that breaks the code."""
        return self._judged(code, EXAMPLES[code].failing()).findings

    def without(self, code: str) -> tuple[Finding, ...]:
        """What is found in it when the rule, and those that it names as inseparable, are switched off."""
        return self._judged(code, EXAMPLES[code].failing(), *self._broken(code)).findings

    def expected(self, code: str) -> set[str]:
        """The codes that findings should show: its own, and those that it names as inseparable."""
        return {broken.partition(":")[0] for broken in self._broken(code)}

    def _broken(self, code: str) -> set[str]:
        known = {rule.code for book in ENGINE.books for rule in book.rules}
        return {code, *(self.book.rule(code).inseparable & known)}

    def _judged(self, code: str, text: str, *off: str) -> Outcome:
        on = {code: Severity.ERROR} if self.book.rule(code).severity is Severity.SUSPENDED else {}
        profile = Profile("test", {**VALIDATE.severities, **on})
        return checked(text, profile=profile.without(*off), **_world(code))

"""`POST /totals`: amounts in the process of the request, or in a child for a large invoice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.support.asgi import BEARER, Answer, call
from tests.support.fake_services import FakeServices

from timbra.amounts import api
from timbra.amounts.services import AmountsServices
from timbra.evaluation.processes import DocumentProcesses

IVA = {"Impuesto": "002", "TasaOCuota": 0.16}
INVOICE = {"Conceptos": [{"Cantidad": 3, "ValorUnitario": 33.33, "Impuestos": {"Traslados": [IVA]}}]}


def totals(fakes: FakeServices, invoice: object = INVOICE, query: str = "") -> Answer:
    headers = {**BEARER, "Content-Type": "application/json"}
    body = invoice if isinstance(invoice, bytes) else json.dumps(invoice).encode()
    return call(fakes.app(), "POST", "/totals", headers=headers, body=body, query=query)


def data(answer: Answer) -> Any:
    assert answer.status == 200, answer.body
    return answer.json["data"]


def test_totals_answers_the_invoice_with_its_amounts() -> None:
    found = data(totals(FakeServices()))
    assert (found["total"], found["difference"]) == ("115.99", "0")
    assert found["lines"] == [{"total": "115.99", "wished": None, "difference": "0"}]
    assert found["comprobante"]["Conceptos"][0]["Importe"] == "99.99"


def test_totals_reads_both_parameters() -> None:
    found = data(totals(FakeServices(), query="Price_Includes_Tax=TRUE&rounding=total"))
    assert found["lines"] == [{"total": "99.990000", "wished": "99.99", "difference": "0.000000"}]
    assert found["comprobante"]["Conceptos"][0]["Importe"] == "86.198276"


@pytest.mark.parametrize("query", ["price_includes_tax=no", "rounding=half"])
def test_totals_rejects_other_values(query: str) -> None:
    answer = totals(FakeServices(), query=query)
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")


@pytest.mark.parametrize(
    ("body", "code"), [(b"[]", "TB4004"), (b"{", "TB4004"), ({}, "TB4005"), ({**INVOICE, "Moneda": "ZZZ"}, "CFDI40113")]
)
def test_totals_rejects_what_is_no_invoice_with_lines(body: object, code: str) -> None:
    answer = totals(FakeServices(), body)
    assert (answer.status, answer.json["message"].split(" ")[0].rstrip(":.")) == (400, code)


class Processes:
    """Runs the work of a child process here."""

    def __init__(self, services: AmountsServices, limit: int) -> None:
        self._services, self._limit = services, limit
        self.accounts: list[tuple[str, int | None]] = []

    def is_costly(self, body: bytes) -> bool:
        return len(body) > self._limit

    async def run(self, account: str, _answer: None, work: Any, *args: Any, size: int | None = None) -> Any:
        self.accounts.append((account, size))
        return work({AmountsServices: lambda: self._services}, *args)


@pytest.mark.parametrize("limit", [100, 10**6])
def test_totals_of_a_large_invoice_are_computed_in_a_child(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "LARGE_BYTES", 10**6 if limit == 100 else 100)
    fakes = FakeServices()
    processes = Processes(fakes.amounts_services, limit)
    fakes.amounts_services = replace(fakes.amounts_services, processes=cast("DocumentProcesses", processes))
    large = {"Conceptos": INVOICE["Conceptos"] * 2}
    assert data(totals(fakes, large))["total"] == "231.98"
    assert data(totals(fakes, {"Conceptos": [{"Cantidad": 1, "ValorUnitario": 1}]}))["total"] == "1.00"
    assert processes.accounts == [("7", len(json.dumps(large)))]

"""Stamping from a balance: each stamp takes one, an empty balance stamps nothing, and a repeat is still a repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.desk import FECHA, Desk

from timbra import examples
from timbra.authority.port import Provider
from timbra.cfdi.document import Document
from timbra.errors import ServiceError
from timbra.rules.cleared import Cleared
from timbra.service import stamping
from timbra.service.making import FreshStamp, make_stamp


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path / "data")
    opened.store(opened.mint())
    house = opened.house
    house.balances.set_unlimited(opened.caller.account_id, False)
    opened.caller = replace(opened.caller, limited=True)
    yield opened
    house.close()


def invoice(folio: str) -> bytes:
    return examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()


def balance(desk: Desk) -> tuple[int, int]:
    account = desk.house.balances.of(desk.caller.account_id)
    return account.remaining, account.used


def code(desk: Desk, folio: str, custom_id: str | None = None) -> str:
    with pytest.raises(ServiceError) as caught:
        desk.issue(invoice(folio), custom_id)
    return caught.value.code


def test_each_stamp_takes_one_until_none_is_left(desk: Desk) -> None:
    desk.house.balances.add(desk.caller.account_id, 2)
    desk.issue(invoice("1"))
    assert balance(desk) == (1, 1)
    desk.issue(invoice("2"))
    assert code(desk, "3") == code(desk, "3") == code(desk, "4") == "AU2001"
    assert balance(desk) == (0, 2)
    assert len(desk.house.stamps.page(None).records) == 2


def test_a_repeat_costs_nothing_and_gets_its_stamp_from_an_empty_balance_too(desk: Desk) -> None:
    desk.house.balances.add(desk.caller.account_id, 2)
    first = desk.issue(invoice("1"))
    assert code(desk, "1") == "307"
    assert balance(desk) == (1, 1)
    desk.issue(invoice("2"))
    for _ in range(2):
        with pytest.raises(ServiceError) as caught:
            desk.issue(invoice("1"))
        assert (caught.value.code, caught.value.data) == ("307", first)
        assert code(desk, "3") == "AU2001"
    assert balance(desk) == (0, 2)


def test_a_customid_in_use_is_told_before_the_empty_balance(desk: Desk) -> None:
    desk.house.balances.add(desk.caller.account_id, 1)
    desk.issue(invoice("1"), "pedido")
    assert code(desk, "2") == "AU2001"
    assert code(desk, "2", "pedido") == "CFDI3307"
    assert code(desk, "2", "otro") == "AU2001"


def test_a_refused_document_costs_nothing(desk: Desk) -> None:
    desk.house.balances.add(desk.caller.account_id, 1)
    assert desk.refusal(examples.ingreso({}, fecha="2026-11-01T11:00:00").encode(), issue=True).code == "401"
    assert balance(desk) == (1, 0)


def test_an_account_known_to_be_empty_costs_no_signature(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Provider] = []

    def counted(cleared: Cleared, document: Document, provider: Provider) -> FreshStamp:
        made.append(provider)
        return make_stamp(cleared, document, provider)

    monkeypatch.setattr(stamping, "make_stamp", counted)
    for _ in range(3):
        assert code(desk, "1") == "AU2001"
    assert len(made) == 1
    desk.house.balances.add(desk.caller.account_id, 1)
    desk.issue(invoice("1"))
    assert (len(made), balance(desk)) == (2, (0, 1))


def test_an_unlimited_account_never_looks_at_its_balance(desk: Desk) -> None:
    free = replace(desk.caller, limited=False)
    desk.issue(invoice("1"), caller=free)
    assert balance(desk) == (0, 0)


def test_the_owner_of_the_folder_stamps_from_the_balance_too(desk: Desk) -> None:
    accounts = desk.house.accounts
    assert accounts.caller_of("ANA@example.com") == desk.caller
    accounts.set_active("ana@example.com", False)
    with pytest.raises(ServiceError, match="AU2002"):
        accounts.caller_of("ana@example.com")

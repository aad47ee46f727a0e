"""Stamping with a balance: each stamp subtracts one, an empty balance is rejected, and repeats are free."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError
from timbra.sat.port import Provider
from timbra.stamping.build import stamping_services
from timbra.stamping.stamp_factory import UnsignedStamp
from timbra.stamping.stamping import StampingService


@pytest.fixture
def sandbox_app(tmp_path: Path) -> Iterator[SandboxApp]:
    opened = SandboxApp(tmp_path / "data")
    opened.store(opened.mint())
    container = opened.container
    container.get(account_services).balances.set_unlimited(opened.caller.account_id, False)
    opened.caller = replace(opened.caller, limited=True)
    yield opened
    container.close()


def invoice(folio: str) -> bytes:
    return examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()


def balance(sandbox_app: SandboxApp) -> tuple[int, int]:
    account = sandbox_app.container.get(account_services).balances.get(sandbox_app.caller.account_id)
    return account.remaining, account.used


def code(sandbox_app: SandboxApp, folio: str, custom_id: str | None = None) -> str:
    with pytest.raises(ServiceError) as caught:
        sandbox_app.issue(invoice(folio), custom_id)
    return caught.value.code


def test_stamp_decrements_balance_until_empty(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(account_services).balances.add(sandbox_app.caller.account_id, 2)
    sandbox_app.issue(invoice("1"))
    assert balance(sandbox_app) == (1, 1)
    sandbox_app.issue(invoice("2"))
    assert code(sandbox_app, "3") == code(sandbox_app, "3") == code(sandbox_app, "4") == "AU2001"
    assert balance(sandbox_app) == (0, 2)
    assert len(sandbox_app.container.get(stamping_services).stamps.page(None).records) == 2


def test_repeat_is_free_with_empty_balance_too(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(account_services).balances.add(sandbox_app.caller.account_id, 2)
    first = sandbox_app.issue(invoice("1"))
    assert code(sandbox_app, "1") == "307"
    assert balance(sandbox_app) == (1, 1)
    sandbox_app.issue(invoice("2"))
    for _ in range(2):
        with pytest.raises(ServiceError) as caught:
            sandbox_app.issue(invoice("1"))
        assert (caught.value.code, caught.value.data) == ("307", first)
        assert code(sandbox_app, "3") == "AU2001"
    assert balance(sandbox_app) == (0, 2)


def test_customid_conflict_precedes_empty_balance(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(account_services).balances.add(sandbox_app.caller.account_id, 1)
    sandbox_app.issue(invoice("1"), "pedido")
    assert code(sandbox_app, "2") == "AU2001"
    assert code(sandbox_app, "2", "pedido") == "CFDI3307"
    assert code(sandbox_app, "2", "otro") == "AU2001"


def test_rejected_document_is_free(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(account_services).balances.add(sandbox_app.caller.account_id, 1)
    assert sandbox_app.rejection(examples.ingreso({}, fecha="2026-11-01T11:00:00").encode(), issue=True).code == "401"
    assert balance(sandbox_app) == (1, 0)


def test_cached_empty_balance_saves_the_signature(sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Provider] = []
    sign = StampingService._sign

    async def counting_sign(service: StampingService, unsigned: UnsignedStamp, provider: Provider) -> str:
        made.append(provider)
        return await sign(service, unsigned, provider)

    monkeypatch.setattr(StampingService, "_sign", counting_sign)
    for _ in range(3):
        assert code(sandbox_app, "1") == "AU2001"
    assert len(made) == 1
    sandbox_app.container.get(account_services).balances.add(sandbox_app.caller.account_id, 1)
    sandbox_app.issue(invoice("1"))
    assert (len(made), balance(sandbox_app)) == (2, (0, 1))


def test_unlimited_account_ignores_balance(sandbox_app: SandboxApp) -> None:
    free = replace(sandbox_app.caller, limited=False)
    sandbox_app.issue(invoice("1"), caller=free)
    assert balance(sandbox_app) == (0, 0)


def test_folder_owner_stamps_from_balance(sandbox_app: SandboxApp) -> None:
    accounts = sandbox_app.container.get(account_services).accounts
    assert accounts.caller_for("ANA@example.com") == sandbox_app.caller
    accounts.set_active("ana@example.com", False)
    with pytest.raises(ServiceError, match="AU2002"):
        accounts.caller_for("ana@example.com")

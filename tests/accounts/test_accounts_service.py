"""Account management requires an administrator; an account can read its own balance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.administration.accounts import AccountAdministration
from timbra.accounts.build import account_services
from timbra.accounts.store.models import AccountHolder, UserFilter
from timbra.accounts.users import AccountChange, NewUser
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError

NEW = NewUser("luis@xenon.mx", "x", AccountHolder("Luis"))
Call = Callable[[AccountAdministration, Caller, str], object]
FOR_ADMINISTRATORS: dict[str, Call] = {
    "balance_of": lambda account_administration, caller, guid: account_administration.balance_of(caller, guid),
    "add_stamps": lambda account_administration, caller, guid: account_administration.add_stamps(caller, guid, 1, ""),
    "remove_stamps": lambda account_administration, caller, guid: account_administration.remove_stamps(
        caller, guid, 1, ""
    ),
    "create": lambda account_administration, caller, _: account_administration.create(caller, NEW),
    "users": lambda account_administration, caller, _: account_administration.users(caller, UserFilter(), 1, 10),
    "user": lambda account_administration, caller, guid: account_administration.user(caller, guid),
    "update": lambda account_administration, caller, guid: account_administration.update(
        caller, guid, AccountChange(name="x")
    ),
    "delete": lambda account_administration, caller, guid: account_administration.delete(caller, guid),
}


@pytest.fixture
def sandbox_app(tmp_path: Path) -> Iterator[SandboxApp]:
    opened = SandboxApp(tmp_path / "data")
    yield opened
    opened.container.close()


def test_cases_cover_every_method_of_management() -> None:
    public = {name for name in vars(AccountAdministration) if not name.startswith("_")}
    assert public == {*FOR_ADMINISTRATORS, "balance"}


@pytest.mark.parametrize("call", FOR_ADMINISTRATORS.values(), ids=FOR_ADMINISTRATORS)
def test_account_is_rejected_without_administrator_role(sandbox_app: SandboxApp, call: Call) -> None:
    own = sandbox_app.container.get(account_services).accounts.find(sandbox_app.caller.user)
    for guid in (own.guid, str(uuid4())):
        with pytest.raises(ServiceError, match="TB4010"):
            call(sandbox_app.container.get(account_services).administration, sandbox_app.caller, guid)
    assert sandbox_app.container.get(account_services).accounts.list_accounts() == [own]


def test_balance_returns_own_balance(sandbox_app: SandboxApp) -> None:
    other = sandbox_app.account("luis@xenon.mx")
    sandbox_app.container.get(account_services).balances.add(other.account_id, 5)
    assert (
        sandbox_app.container.get(account_services).administration.balance(sandbox_app.caller).account.user
        == sandbox_app.caller.user
    )
    assert sandbox_app.container.get(account_services).administration.balance(other).account.remaining == 5


def test_operator_and_batches_act_with_the_choices_of_the_account(sandbox_app: SandboxApp) -> None:
    """As the caller of a token does."""
    services = sandbox_app.container.get(account_services)
    guid = services.accounts.find("ana@example.com").guid
    services.users.update(guid, AccountChange(article_69b="block", vendor_leniency="all", unlimited=False))
    token = services.accounts.create_infinite_token("ana@example.com")
    by_token = services.accounts.caller(f"Bearer {token}")
    assert (by_token.article_69b, by_token.vendor_leniency, by_token.limited) == ("block", "all", True)
    assert replace(by_token, scopes=None) == services.accounts.caller_for("ana@example.com")

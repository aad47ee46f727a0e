"""Management is for administrators, whatever the edge has checked before; and an account is told its own balance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.support.desk import Desk

from timbra.accounts.records import Holder
from timbra.accounts.users import Change, Filters, NewUser
from timbra.errors import ServiceError
from timbra.service.management import Management
from timbra.service.orders import Caller

NEW = NewUser("luis@xenon.mx", "x", Holder("Luis"))
Call = Callable[[Management, Caller, str], object]
FOR_ADMINISTRATORS: dict[str, Call] = {
    "balance_of": lambda management, caller, guid: management.balance_of(caller, guid),
    "add_stamps": lambda management, caller, guid: management.add_stamps(caller, guid, 1, ""),
    "remove_stamps": lambda management, caller, guid: management.remove_stamps(caller, guid, 1, ""),
    "create": lambda management, caller, _: management.create(caller, NEW),
    "users": lambda management, caller, _: management.users(caller, Filters(), 1, 10),
    "user": lambda management, caller, guid: management.user(caller, guid),
    "update": lambda management, caller, guid: management.update(caller, guid, Change(name="x")),
    "delete": lambda management, caller, guid: management.delete(caller, guid),
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    opened = Desk(tmp_path / "data")
    yield opened
    opened.house.close()


def test_every_use_case_is_named_here() -> None:
    public = {name for name in vars(Management) if not name.startswith("_")}
    assert public == {*FOR_ADMINISTRATORS, "balance"}


@pytest.mark.parametrize("call", FOR_ADMINISTRATORS.values(), ids=FOR_ADMINISTRATORS)
def test_an_account_may_not_even_of_itself(desk: Desk, call: Call) -> None:
    own = desk.house.accounts.find(desk.caller.user)
    for guid in (own.guid, str(uuid4())):
        with pytest.raises(ServiceError, match="TB4010"):
            call(desk.house.management, desk.caller, guid)
    assert desk.house.accounts.list_accounts() == [own]


def test_an_account_sees_its_own_balance(desk: Desk) -> None:
    other = desk.account("luis@xenon.mx")
    desk.house.balances.add(other.account_id, 5)
    assert desk.house.management.balance(desk.caller).account.user == desk.caller.user
    assert desk.house.management.balance(other).account.remaining == 5

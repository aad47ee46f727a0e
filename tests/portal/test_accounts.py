"""Accounts as administrators keep them, and out of reach of everybody else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.portal.browser import Visitor
from tests.support.desk import Desk

from timbra.accounts.records import Account
from timbra.portal.pages import accounts

PLACE = "/portal/cuentas"
PASSWORD = "una contraseña larga"
NEW = {"user": "nueva@example.com", "password": PASSWORD, "role": "account", "name": "Nueva", "stamps": "", "q": ""}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("desk"))
    made.house.accounts.create("jefa@example.com", PASSWORD, "administrator")
    yield made
    made.house.close()


@pytest.fixture(scope="module")
def chief(desk: Desk) -> Visitor:
    return entered(desk, "jefa@example.com")


@pytest.fixture
def other(desk: Desk, request: pytest.FixtureRequest) -> Account:
    """An account of this test alone, with a balance."""
    return desk.house.accounts.create(f"{abs(hash(request.node.name))}@example.com", PASSWORD, unlimited=False)


def entered(desk: Desk, user: str) -> Visitor:
    made = Visitor(desk)
    assert made.sign_in(user).status_code == 303
    return made


def sent(visitor: Visitor, account: Account, what: str, **fields: str) -> int:
    return visitor.post(f"{PLACE}/{account.guid}/{what}", fields).status_code


def now(desk: Desk, account: Account) -> Account:
    return desk.house.users.one(account.guid)


def test_an_account_finds_no_such_page_and_changes_nothing(desk: Desk, other: Account) -> None:
    ana = entered(desk, "ana@example.com")

    assert ana.get(PLACE).status_code == 404
    assert ana.get(f"{PLACE}/{other.guid}").status_code == 404
    for what in ("timbres", "limite", "actividad", "password"):
        fields = {"stamps": "9", "state": "closed", "password": "otra contraseña"}
        assert sent(ana, other, what, **fields) == 404
    assert ana.post(PLACE, NEW).status_code == 404
    assert now(desk, other) == other


@pytest.mark.parametrize(
    ("given", "role", "unlimited", "remaining"),
    [
        ({"stamps": "25"}, "account", False, 25),
        ({"unlimited": "yes"}, "account", True, 0),
        ({"role": "administrator"}, "administrator", False, 0),
    ],
)
def test_accounts_are_created(
    desk: Desk, chief: Visitor, given: dict[str, str], role: str, unlimited: bool, remaining: int
) -> None:
    user = f"{role}-{remaining}-{unlimited}@example.com"

    assert chief.post(PLACE, {**NEW, **given, "user": user}).status_code == 303
    made = desk.house.accounts.find(user)
    assert (made.role, made.unlimited, made.remaining, made.holder.name) == (role, unlimited, remaining, "Nueva")
    chief.get(f"{PLACE}?q={user}")
    assert chief.page is not None
    assert chief.page.xpath("//tbody//a/@href") == [f"{PLACE}/{made.guid}"]
    assert entered(desk, user).text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"user": "ana@example.com"}, "ya existe"),
        ({"user": "a b"}, "sin espacios"),
        ({"password": ""}, "Debe tener entre 1"),
        ({"role": "king"}, "TB4005"),
        ({"stamps": "-1"}, "TB4005"),
        ({"stamps": "99999999999"}, "TB4005"),
        ({"name": "x" * 300}, "TB4005"),
    ],
)
def test_an_account_that_cannot_be_is_told(desk: Desk, chief: Visitor, given: dict[str, str], words: str) -> None:
    fields = {**NEW, "user": "mala@example.com", **given}

    answer = chief.post(PLACE, fields)
    assert answer.status_code == 422
    assert words in chief.text
    assert PASSWORD not in answer.text
    assert "mala@example.com" not in {account.user for account in desk.house.accounts.list_accounts()}


def test_stamps_are_given_and_taken_with_their_movements(desk: Desk, chief: Visitor, other: Account) -> None:
    assert sent(chief, other, "timbres", stamps="10", comment="compra <b>1</b>", move="add") == 303
    assert sent(chief, other, "timbres", stamps="3", comment="", move="remove") == 303
    assert now(desk, other).remaining == 7
    chief.get(f"{PLACE}/{other.guid}")
    assert chief.page is not None
    rows = [[cell.text_content() for cell in row.xpath("td")][1:] for row in chief.page.xpath("//tbody/tr")]
    assert rows == [["", "3", "7", "", "jefa@example.com"], ["10", "", "10", "compra <b>1</b>", "jefa@example.com"]]


@pytest.mark.parametrize(("stamps", "move"), [("8", "remove"), ("0", "add"), ("", "add"), ("1.5", "add")])
def test_stamps_that_cannot_be_moved_are_told(
    desk: Desk, chief: Visitor, other: Account, stamps: str, move: str
) -> None:
    assert sent(chief, other, "timbres", stamps=stamps, comment="", move=move) == 422
    assert now(desk, other).remaining == 0


def test_a_limit_is_set_and_lifted(desk: Desk, chief: Visitor, other: Account) -> None:
    for state, unlimited in (("unlimited", True), ("unlimited", True), ("limited", False)):
        assert sent(chief, other, "limite", state=state) == 303
        assert now(desk, other).unlimited is unlimited
    assert sent(chief, other, "limite", state="none") == 422


def test_a_closed_account_is_out_until_it_is_opened(desk: Desk, chief: Visitor, other: Account) -> None:
    visitor = entered(desk, other.user)

    assert sent(chief, other, "actividad", state="closed") == 303
    desk.house.poll()
    assert visitor.get("/portal").status_code == 303
    assert sent(chief, other, "actividad", state="active") == 303
    desk.house.poll()
    assert visitor.get("/portal").status_code == 200


def test_nobody_closes_the_own_account(desk: Desk, chief: Visitor) -> None:
    own = desk.house.accounts.find("jefa@example.com")

    assert sent(chief, own, "actividad", state="closed") == 422
    assert now(desk, own).active


def test_a_new_password_ends_the_sessions_of_the_old_one(desk: Desk, chief: Visitor, other: Account) -> None:
    visitor = entered(desk, other.user)

    assert sent(chief, other, "password", password="") == 422
    assert sent(chief, other, "password", password="otra contraseña") == 303
    desk.house.poll()
    assert visitor.get("/portal").status_code == 303
    assert visitor.sign_in(other.user, "otra contraseña").status_code == 303


@pytest.mark.parametrize("guid", ["x", "00000000-0000-4000-8000-000000000000", "%00"])
def test_an_account_that_is_none_has_no_page(chief: Visitor, guid: str) -> None:
    assert chief.get(f"{PLACE}/{guid}").status_code == 404


@pytest.mark.parametrize("query", ["?pagina=2", "?pagina=x", "?pagina=99999999999", "?q=%00", "?q=XAXX010101000"])
def test_any_page_of_the_list_is_shown(chief: Visitor, query: str) -> None:
    assert chief.get(f"{PLACE}{query}").status_code == 200


def test_a_long_list_has_pages(chief: Visitor, other: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "PER_PAGE", 2)
    chief.get(PLACE)
    assert chief.page is not None
    (onwards,) = chief.page.xpath("//a[@rel='next']/@href")
    first = set(chief.page.xpath("//tbody//a/@href"))
    chief.get(f"{PLACE}{onwards}")
    assert first.isdisjoint(chief.page.xpath("//tbody//a/@href"))
    assert chief.page.xpath("//a[@rel='prev']")

"""Whoever knows or guesses what belongs to another account gets nothing by it, on any route there is.

Every operation of the table is called by a stranger with each identifier of another account, in the path, the query
and the body, and again with identifiers that nobody has: the answers must be the same, so that not even the existence
of anything is told. Routes that are added later are tried without being named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from uuid import uuid4

import pytest
from tests.api.asgi import Answer
from tests.api.managed import USERS, Counter
from tests.support.desk import FECHA

from timbra import examples
from timbra.api.operations import Access, Operation
from timbra.api.router import placeholders
from timbra.api.table import OPERATIONS

ANA, LUIS = "ana@example.com", "luis@example.com"
FOLIO = "SECRETO-DE-ANA"
CALLED = [operation for operation in OPERATIONS if operation.access is not Access.PUBLIC]


@dataclass(frozen=True)
class Identifiers:
    """What names things of one account."""

    stamp: str
    certificate: str
    token: str
    user: str

    @property
    def all(self) -> tuple[str, ...]:
        return self.stamp, self.certificate, self.token, self.user

    def hidden(self, text: str) -> str:
        """The text without the identifiers themselves, in whatever case it repeats them."""
        for name in self.all:
            text = text.replace(name, "*").replace(name.upper(), "*")
        return text


NOBODY = Identifiers(str(uuid4()), "30001000000599999999", uuid4().hex, str(uuid4()))


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Counter]:
    opened = Counter(tmp_path_factory.mktemp("strangers") / "data")
    opened.desk.account(LUIS)
    opened.tokens[LUIS] = opened.desk.house.accounts.create_infinite_token(LUIS)
    yield opened
    opened.desk.house.close()


@pytest.fixture(scope="module")
def ana(counter: Counter) -> Identifiers:
    desk = counter.desk
    credential = desk.mint()
    desk.store(credential)
    stamped = desk.issue(examples.ingreso({"@Folio": FOLIO}, fecha=FECHA).encode(), "pedido")
    [certificate] = desk.house.vault.listed(desk.caller.account_id)
    [token] = desk.house.accounts.list_infinite_tokens(ANA)
    return Identifiers(stamped.uuid, certificate.number, token.token_id, desk.house.accounts.find(ANA).guid)


def calls(operation: Operation, known: Identifiers) -> Iterator[tuple[str, object]]:
    """Paths, bare and with a query, and bodies, that name what is known; RFC and type are the same for everybody."""
    common = {"rfc": examples.KEMPER.rfc, "type": "stamp"}
    names = {"IdUser": known.user, "uuid": known.stamp, "cursor": known.token}
    body = {**names, "number": known.certificate, "uuids": list(known.all), "stamps": 1, "name": "Robado", **common}
    query = "&".join(f"{name}={value}" for name, value in names.items())
    for template in operation.paths:
        closed = {name: operation.choices[name][0] for name in placeholders(template) if name in operation.choices}
        open_ones = [name for name in placeholders(template) if name not in {*closed, *common}]
        for values in product(known.all, repeat=len(open_ones)):
            path = template.format(**{**common, **closed, **dict(zip(open_ones, values, strict=True))})
            for asked in (path, f"{path}?{query}"):
                yield asked, None if operation.method == "GET" else body


def answers(counter: Counter, operation: Operation, known: Identifiers) -> list[Answer]:
    asked = calls(operation, known)
    return [counter.ask(operation.method, path, body, user=LUIS) for path, body in asked]


def belongings(counter: Counter) -> str:
    """Everything of the account that a stranger must not change."""
    house = counter.desk.house
    number = counter.desk.caller.account_id
    return repr(
        (
            house.accounts.find(ANA),
            house.accounts.list_infinite_tokens(ANA),
            house.vault.listed(number),
            house.balances.movements(number),
            house.stamps.page(number).records,
        )
    )


@pytest.mark.parametrize("operation", CALLED, ids=lambda operation: operation.name)
def test_a_stranger_learns_and_changes_nothing(counter: Counter, ana: Identifiers, operation: Operation) -> None:
    before = belongings(counter)
    told, nothing = answers(counter, operation, ana), answers(counter, operation, NOBODY)
    assert [answer.status for answer in told] == [answer.status for answer in nothing]
    for answer, other in zip(told, nothing, strict=True):
        text = answer.body.decode("utf-8", "replace")
        assert ana.hidden(text) == NOBODY.hidden(other.body.decode("utf-8", "replace"))
        assert FOLIO not in text
        assert ANA not in text
    assert belongings(counter) == before


@pytest.mark.parametrize(
    "operation", [one for one in CALLED if one.access is Access.ADMINISTRATOR], ids=lambda operation: operation.name
)
def test_what_is_for_administrators_is_refused_to_accounts(
    counter: Counter, ana: Identifiers, operation: Operation
) -> None:
    assert {(answer.status, answer.json["message"][:6]) for answer in answers(counter, operation, ana)} == {
        (401, "TB4010")
    }


def test_the_account_itself_is_served(counter: Counter, ana: Identifiers) -> None:
    """What is refused above is there: the same identifiers open it for its owner, and for an administrator."""
    assert counter.ask("GET", f"/certificates/{ana.certificate}", user=ANA).status == 200
    [record] = counter.ask("GET", "/stamps", user=ANA).json["data"]["records"]
    assert (record["uuid"], record["folio"]) == (ana.stamp, FOLIO)
    assert counter.data("GET", f"{USERS}/{ana.user}")["email"] == ANA


def test_a_document_of_another_is_told_to_be_stamped_and_no_more(counter: Counter, ana: Identifiers) -> None:
    """A repeat across accounts is refused, for the seal is one in the whole service; the stamp is its owner's."""
    house = counter.desk.house
    stored = house.stamps.by_uuid(ana.stamp)
    assert stored is not None
    wrapped = {"data": stored.cfdi.decode()}
    answer = counter.ask("POST", "/cfdi33/issue/json/v4", wrapped, user=LUIS)
    assert (answer.status, answer.json["message"][:4], answer.json["data"]) == (400, "307.", None)
    assert json.loads(counter.ask("POST", "/cfdi33/issue/json/v4", wrapped, user=ANA).body)["data"]["uuid"] == ana.stamp


def test_a_token_of_another_environment_opens_nothing(counter: Counter) -> None:
    from timbra.accounts.tokens import Claims

    accounts = counter.desk.house.accounts
    number = counter.desk.caller.account_id
    foreign = accounts._tokens.write(Claims(number, "production", 1, uuid4().hex, 0))
    assert counter.ask("GET", "/stamps", token=foreign).status == 401

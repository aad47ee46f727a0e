"""A caller that knows or guesses what belongs to another account gets nothing by it, on any route there is.

Every operation of the table is called by an account with each identifier of another account, in the path, the query
and the body, and again with identifiers that do not exist. The answers must be the same, so that not even the
existence of anything is disclosed. Routes that are added later are tried without being named here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest
from tests.support.account_requests import USERS, ManagementClient
from tests.support.asgi import Answer
from tests.support.sandbox_app import FECHA

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.operation_table import OPERATIONS
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.sandbox.build import sandbox_services
from timbra.stamping.build import stamping_services
from timbra.web.framework.operation import Operation, OperationAccess
from timbra.web.framework.router import placeholders

ANA, LUIS = "ana@example.com", "luis@example.com"
FOLIO = "SECRETO-DE-ANA"
RECEIVER, OTHER = examples.ROBOTICA.rfc, "XIA190128J61"
NEW_KEYS = ("sandbox-mint", "sandbox-confirmation-issue", "received-links-create")
"""The operations whose answer is a new key, different at each call."""
CALLED = [operation for operation in OPERATIONS if operation.access is not OperationAccess.PUBLIC]


@dataclass(frozen=True)
class Identifiers:
    """Identifiers of one account. rfc: a receiver with a stored CSD whose answer the stamp requires."""

    stamp: str
    certificate: str
    token: str
    user: str
    rfc: str

    @property
    def all(self) -> tuple[str, ...]:
        return self.stamp, self.certificate, self.token, self.user

    def hidden(self, text: str) -> str:
        """Return the text with every identifier replaced, in any case."""
        for name in (*self.all, self.rfc):
            text = text.replace(name, "*").replace(name.upper(), "*")
        return text


UNKNOWN_ACCOUNT = Identifiers(str(uuid4()), "30001000000599999999", uuid4().hex, str(uuid4()), "KAHO641101B39")
"""The RFC is registered like that of the account, so that public look-ups have the same result."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(tmp_path_factory.mktemp("isolation") / "data")
    luis = opened.sandbox_app.account(LUIS)
    opened.tokens[LUIS] = opened.sandbox_app.container.get(account_services).accounts.create_infinite_token(LUIS)
    opened.sandbox_app.store(opened.sandbox_app.mint(OTHER), luis)
    yield opened
    opened.sandbox_app.container.close()


@pytest.fixture(scope="module")
def ana(client: ManagementClient) -> Identifiers:
    sandbox_app = client.sandbox_app
    ends = sandbox_app.now + timedelta(days=365)
    sandbox_app.store(sandbox_app.mint(RECEIVER, valid_to=ends))
    credential = sandbox_app.mint(valid_to=ends)
    sandbox_app.store(credential)
    invoice = examples.ingreso({"@Folio": FOLIO}, concepts=[examples.concepto(price="5000.00")], fecha=FECHA)
    stamped = sandbox_app.issue(invoice.encode(), "pedido")
    sandbox_app.container.get(sandbox_services).clock_control.advance("3d")
    order = CancellationRequest(examples.KEMPER.rfc, stamped.uuid, "02")
    assert sandbox_app.container.get(cancellation_services).cancelling.by_uuid(
        sandbox_app.caller, order, "request"
    ).codes == {stamped.uuid.upper(): "201"}
    [token] = sandbox_app.container.get(account_services).accounts.list_infinite_tokens(ANA)
    user = sandbox_app.container.get(account_services).accounts.find(ANA).guid
    return Identifiers(stamped.uuid, credential.certificate.number, token.token_id, user, RECEIVER)


def calls(operation: Operation, identifiers: Identifiers) -> Iterator[tuple[str, object]]:
    """Yield paths with and without a query, and bodies, with the identifiers."""
    common = {"rfc": identifiers.rfc, "type": "stamp"}
    names = {"IdUser": identifiers.user, "uuid": identifiers.stamp, "cursor": identifiers.token}
    body = {
        **names,
        "number": identifiers.certificate,
        "uuids": list(identifiers.all),
        "stamps": 1,
        "name": "Robado",
        **common,
    }
    query = "&".join(f"{name}={value}" for name, value in names.items())
    for template in operation.paths:
        closed = {name: operation.choices[name][0] for name in placeholders(template) if name in operation.choices}
        open_ones = [name for name in placeholders(template) if name not in {*closed, *common}]
        for values in product(identifiers.all, repeat=len(open_ones)):
            path = template.format(**{**common, **closed, **dict(zip(open_ones, values, strict=True))})
            for target in (path, f"{path}?{query}"):
                yield target, None if operation.method == "GET" else body


def answers(client: ManagementClient, operation: Operation, identifiers: Identifiers) -> list[Answer]:
    requests = calls(operation, identifiers)
    return [client.call(operation.method, path, body, user=LUIS) for path, body in requests]


def belongings(client: ManagementClient) -> str:
    """Return everything of the account that others must not change."""
    container = client.sandbox_app.container
    number = client.sandbox_app.caller.account_id
    return repr(
        (
            container.get(account_services).accounts.find(ANA),
            container.get(account_services).accounts.list_infinite_tokens(ANA),
            container.get(certificate_services).vault.list_certificates(number),
            container.get(account_services).balances.list_entries(number),
            container.get(stamping_services).stamps.page(number).records,
        )
    )


@pytest.mark.parametrize("operation", CALLED, ids=lambda operation: operation.name)
def test_operations_disclose_and_change_nothing_of_another_account(
    client: ManagementClient, ana: Identifiers, operation: Operation
) -> None:
    before = belongings(client)
    foreign, unknown = answers(client, operation, ana), answers(client, operation, UNKNOWN_ACCOUNT)
    assert [answer.status for answer in foreign] == [answer.status for answer in unknown]
    for answer, other in zip(foreign, unknown, strict=True):
        text = answer.body.decode("utf-8", "replace")
        if operation.name not in NEW_KEYS:
            assert ana.hidden(text) == UNKNOWN_ACCOUNT.hidden(other.body.decode("utf-8", "replace"))
        assert FOLIO not in text
        assert ANA not in text
    assert belongings(client) == before


@pytest.mark.parametrize(
    "operation",
    [one for one in CALLED if one.access is OperationAccess.ADMINISTRATOR],
    ids=lambda operation: operation.name,
)
def test_administrator_operations_are_rejected_to_accounts(
    client: ManagementClient, ana: Identifiers, operation: Operation
) -> None:
    assert {(answer.status, answer.json["message"][:6]) for answer in answers(client, operation, ana)} == {
        (401, "TB4010")
    }


def test_identifiers_are_valid_for_owner_and_administrator(client: ManagementClient, ana: Identifiers) -> None:
    """The same identifiers are valid for their owner and for an administrator."""
    assert client.call("GET", f"/certificates/{ana.certificate}", user=ANA).status == 200
    [record] = client.call("GET", "/stamps", user=ANA).json["data"]["records"]
    assert (record["uuid"], record["folio"]) == (ana.stamp, FOLIO)
    assert client.data("GET", f"{USERS}/{ana.user}")["email"] == ANA


def test_repeat_by_another_account_returns_no_data(client: ManagementClient, ana: Identifiers) -> None:
    """A repeat by another account is rejected without data of the stamp, because seals are unique in the service."""
    container = client.sandbox_app.container
    stored = container.get(stamping_services).stamps.by_uuid(ana.stamp)
    assert stored is not None
    wrapped = {"data": stored.cfdi.decode()}
    answer = client.call("POST", "/cfdi33/issue/json/v4", wrapped, user=LUIS)
    assert (answer.status, answer.json["message"][:4]) == (400, "307.")
    assert (answer.json["messageDetail"], answer.json["data"]) == (None, None)
    assert json.loads(client.call("POST", "/cfdi33/issue/json/v4", wrapped, user=ANA).body)["data"]["uuid"] == ana.stamp


def test_pendings_are_listed_for_the_account_that_stores_the_csd(client: ManagementClient, ana: Identifiers) -> None:
    answer = client.call("GET", f"/pendings/{RECEIVER}", user=ANA)
    assert (answer.status, answer.json["data"]) == (200, {"uuid": [ana.stamp.upper()]})
    assert client.call("GET", f"/pendings/{OTHER}", user=LUIS).json["codStatus"] == "1101"


def test_pendings_are_rejected_to_an_account_without_the_csd(client: ManagementClient, ana: Identifiers) -> None:
    answer = client.call("GET", f"/pendings/{ana.rfc.lower()}", user=LUIS)
    assert (answer.status, answer.json) == (
        400,
        {
            "message": "CACFDI33 - Error no controlado",
            "messageDetail": f"No se encontró el CSD correspondiente al RFC {RECEIVER} .",
            "data": None,
            "status": "error",
        },
    )


def test_operations_with_an_own_csd_disclose_nothing_of_another_folio(
    client: ManagementClient, ana: Identifiers
) -> None:
    """Cancellation returns 203 or 205 like the SAT, which discloses whether the CFDI exists; other routes do not."""
    for way in (f"/relations/{OTHER}/%s", f"/acceptreject/{OTHER}/%s/Rechazo"):
        foreign, unknown = (client.call("POST", way % uuid, user=LUIS) for uuid in (ana.stamp, UNKNOWN_ACCOUNT.stamp))
        assert foreign.status == unknown.status
        assert foreign.json.get("message") == unknown.json.get("message")
        folios = [(answer.json["data"] or {}).get("folios", [{}]) for answer in (foreign, unknown)]
        assert [folio[0].get("estatusUUID") for folio in folios] in ([None, None], ["1001", "1001"])
    cancelled = client.data("POST", f"/cfdi33/cancel/{OTHER}/{ana.stamp}/02", user=LUIS)
    assert cancelled["uuid"] == {ana.stamp.upper(): "203"}


@pytest.mark.usefixtures("ana")
def test_pendings_are_listed_for_an_administrator_of_an_account_that_stores_the_csd(client: ManagementClient) -> None:
    assert client.call("GET", f"/pendings/{RECEIVER}").status == 200
    assert client.call("GET", f"/pendings/{OTHER}").json["codStatus"] == "1101"
    assert client.call("GET", f"/pendings/{UNKNOWN_ACCOUNT.rfc}").json["message"] == "CACFDI33 - Error no controlado"


def test_token_of_another_environment_is_rejected(client: ManagementClient) -> None:
    from timbra.accounts.tokens.tokens import TokenClaims

    accounts = client.sandbox_app.container.get(account_services).accounts
    number = client.sandbox_app.caller.account_id
    foreign = accounts._tokens.write(TokenClaims(number, "production", 1, uuid4().hex, 0))
    assert client.call("GET", "/stamps", token=foreign).status == 401

"""Users of an account over HTTP: management, login, and the operations of each role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.account_requests import ManagementClient
from tests.support.events import list_audit_events

from timbra.accounts.build import account_services
from timbra.database.build import opened_database

PATH, ANA, PASSWORD = "/account/users", "ana@example.com", "una contraseña larga"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(Path(tmp_path_factory.mktemp("users")) / "data")
    yield opened
    opened.sandbox_app.container.close()


def create(client: ManagementClient, user: str, role: str) -> Any:
    return client.data("POST", PATH, {"user": user, "password": PASSWORD, "role": role}, user=ANA)


def token_of(client: ManagementClient, user: str) -> str:
    credentials = {"user": user, "password": PASSWORD}
    answer = client.call("POST", "/v2/security/authenticate", credentials)
    assert answer.status == 200, answer.body
    return str(answer.json["data"]["token"])


def test_user_is_created_changed_and_removed(client: ManagementClient) -> None:
    made = create(client, "luis@example.com", "reader")
    assert set(made) == {"id", "user", "role", "isActive", "registeredDate", "lastPasswordChange"}
    assert client.data("GET", PATH, user=ANA) == [made]
    assert client.data("GET", PATH) == []
    token = token_of(client, "luis@example.com")
    assert client.call("GET", "/account/balance", token=token).status == 200
    changed = client.data("PUT", f"{PATH}/{made['id']}", {"role": "operator", "isActive": False}, user=ANA)
    assert (changed["role"], changed["isActive"]) == ("operator", False)
    assert client.call("GET", "/account/balance", token=token).status == 401
    assert client.call("PUT", f"{PATH}/{made['id']}", {"role": "reader"}).status == 400
    assert client.call("DELETE", f"{PATH}/{made['id']}", user=ANA).status == 204
    assert client.call("DELETE", f"{PATH}/{made['id']}", user=ANA).status == 400


def test_event_names_actor_and_request(client: ManagementClient) -> None:
    answer = client.call("POST", PATH, {"user": "eva@example.com", "password": PASSWORD, "role": "reader"}, user=ANA)
    [event] = [
        event
        for event in list_audit_events(client.sandbox_app.container.get(opened_database), "user.created")
        if event.subject == "eva@example.com"
    ]
    assert (event.actor_kind, event.actor) == ("user", ANA)
    assert event.request_id == dict(answer.headers)["x-request-id"]


@pytest.mark.parametrize(
    ("role", "rejected"),
    [
        ("operator", {"POST /certificates/save", f"GET {PATH}"}),
        ("reader", {"POST /certificates/save", f"GET {PATH}", "POST /cfdi33/stamp/v4", "POST /cfdi33/cancel/csd"}),
        ("auditor", {"POST /certificates/save", f"GET {PATH}", "POST /cfdi33/stamp/v4", "POST /cfdi33/cancel/csd"}),
        ("owner", set()),
    ],
)
def test_operations_of_each_role(client: ManagementClient, role: str, rejected: set[str]) -> None:
    user = f"{role}-of-operations@example.com"
    create(client, user, role)
    token = token_of(client, user)
    operations = ("POST /certificates/save", f"GET {PATH}", "POST /cfdi33/stamp/v4", "POST /cfdi33/cancel/csd")
    found = set()
    for operation in operations:
        method, _, path = operation.partition(" ")
        if "TB4012" in str(client.call(method, path, {}, token=token).json.get("message")):
            found.add(operation)
    assert found == rejected


def test_token_with_scopes_does_not_manage_users(client: ManagementClient) -> None:
    accounts = client.sandbox_app.container.get(account_services).accounts
    token = accounts.create_infinite_token(ANA, "", frozenset({"manage"}))
    answer = client.call("POST", PATH, {"user": "x", "password": PASSWORD, "role": "owner"}, token=token)
    assert "TB4012" in answer.json["message"]

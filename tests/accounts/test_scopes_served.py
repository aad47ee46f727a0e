"""A token with scopes over HTTP: operations outside of them are rejected before anything is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.account_requests import ManagementClient

from timbra.accounts.build import account_services
from timbra.app.operation_table import OPERATIONS
from timbra.web.framework.operation import OperationAccess
from timbra.web.framework.scopes import scope_of

PROTECTED = [one for one in OPERATIONS if one.access in (OperationAccess.ACCOUNT, OperationAccess.ADMINISTRATOR)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(Path(tmp_path_factory.mktemp("scopes")) / "data")
    yield opened
    opened.sandbox_app.container.close()


@pytest.mark.parametrize("scope", ["stamp", "cancel", "read", "manage"])
def test_scoped_token_reaches_the_operations_of_its_scope_only(client: ManagementClient, scope: str) -> None:
    accounts = client.sandbox_app.container.get(account_services).accounts
    token = accounts.create_infinite_token("ana@example.com", "", frozenset({scope}))
    for operation in PROTECTED:
        path = operation.paths[0].replace("{version}", "v4").replace("{operation}", "stamp")
        answer = client.call(operation.method, path.replace("{generation}", "v4"), {}, token=token)
        is_rejected = str(answer.json.get("message", "")).startswith("TB4012") if answer.body else False
        if answer.status != 404:
            assert is_rejected is (scope_of(operation) != scope), operation.name


def test_unscoped_token_reaches_every_operation(client: ManagementClient) -> None:
    token = client.sandbox_app.container.get(account_services).accounts.create_infinite_token("ana@example.com")
    assert client.call("GET", "/account/balance", token=token).status == 200

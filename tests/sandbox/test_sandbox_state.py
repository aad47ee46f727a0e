"""Reset, save and restore of the sandbox over HTTP, and their bad input."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
import zstandard
from tests.support.asgi import Answer, application, call
from tests.support.fake_services import ADMINISTRATOR_TOKEN, FakeServices

from timbra.accounts.build import account_services
from timbra.app.composition import Container, open_container
from timbra.core.errors import ServiceError
from timbra.sandbox import state_file
from timbra.settings import Settings

PATHS = [("POST", "/sandbox/reset"), ("GET", "/sandbox/state"), ("POST", "/sandbox/state")]


class Client:
    """Requests of an administrator and of an account to an application on a real container."""

    def __init__(self, container: Container) -> None:
        accounts = container.get(account_services).accounts
        accounts.create("admin@example.mx", "a long password", "administrator")
        accounts.create("user@example.mx", "a long password")
        self.container = container
        self.app = application(container)
        self.administrator = accounts.create_infinite_token("admin@example.mx")
        self.account = accounts.create_infinite_token("user@example.mx")

    def call(self, method: str, path: str, body: bytes = b"", token: str = "") -> Answer:
        headers = {"Authorization": f"Bearer {token or self.administrator}"}
        return call(self.app, method, path, headers=headers, body=body)

    def rejection(self, body: bytes) -> tuple[int, str]:
        answer = self.call("POST", "/sandbox/state", body)
        return answer.status, answer.json["message"].partition(" ")[0]

    def state(self) -> bytes:
        answer = self.call("GET", "/sandbox/state")
        assert answer.status == 200
        return answer.body


@pytest.fixture
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with open_container(Settings(data=tmp_path_factory.mktemp("state"))) as container:
        yield Client(container)


def changed(content: bytes, header: dict[str, object] | None = None, row: object = None) -> bytes:
    """Return the file with other values in its header, or with another first row, and a matching hash."""
    whole = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content)).read()
    lines = [json.loads(line) for line in whole.splitlines()]
    lines[0] |= header or {}
    if row is not None:
        lines[2] = row
    body = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines[:-1])
    lines[-1]["sha256"] = hashlib.sha256(body).hexdigest()
    return zstandard.compress(body + json.dumps(lines[-1]).encode() + b"\n")


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_endpoints_require_an_administrator(client: Client, method: str, path: str) -> None:
    answer = client.call(method, path, token=client.account)
    assert (answer.status, answer.json["message"][:6]) == (401, "TB4010")


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_endpoints_answer_404_outside_the_sandbox(method: str, path: str) -> None:
    app = FakeServices(sandbox=False).app()
    answer = call(app, method, path, headers={"Authorization": f"Bearer {ADMINISTRATOR_TOKEN}"})
    assert (answer.status, answer.json["message"][:6]) == (404, "TB4040")


def test_reset_removes_other_accounts_only_on_demand(client: Client) -> None:
    empty = {"stamps": 0, "documents": 0, "rejections": 0, "accounts": 0}
    assert client.call("POST", "/sandbox/reset").json["data"] == empty
    assert client.call("POST", "/sandbox/reset", b'{"accounts": false}').json["data"] == empty
    assert client.call("GET", "/certificates", token=client.account).status == 200
    assert client.call("POST", "/sandbox/reset", b'{"accounts": true}').json["data"] == empty | {"accounts": 1}
    assert client.call("GET", "/certificates", token=client.account).status == 401
    assert client.call("GET", "/certificates").status == 200


@pytest.mark.parametrize(("body", "code"), [(b"[]", "TB4004"), (b"{", "TB4004"), (b'{"accounts": "no way"}', "TB4005")])
def test_reset_rejects_bad_input_and_removes_nothing(client: Client, body: bytes, code: str) -> None:
    answer = client.call("POST", "/sandbox/reset", body)
    assert (answer.status, answer.json["message"].partition(" ")[0]) == (400, code)
    assert client.call("GET", "/certificates", token=client.account).status == 200


def test_state_is_a_private_file_that_restores(client: Client) -> None:
    saved = client.call("GET", "/sandbox/state")
    assert saved.headers["content-type"] == state_file.MEDIA_TYPE
    assert saved.headers["content-length"] == str(len(saved.body))
    assert saved.headers["cache-control"] == "private, no-store"
    client.call("POST", "/sandbox/reset", b'{"accounts": true}')
    answer = client.call("POST", "/sandbox/state", saved.body)
    assert answer.status == 200, answer.body
    assert answer.json["data"]["rows"] > 50
    assert client.call("GET", "/certificates", token=client.account).status == 200


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ({"environment": "production"}, "state-environment"),
        ({"schema": "0001"}, "state-schema"),
        ({"master_key": "00" * 8}, "state-master-key"),
        ({"master_key": "no"}, "state-damaged"),
        ({"format": "timbra-backup-1"}, "state-damaged"),
        ({"extra": "x"}, "state-damaged"),
    ],
)
def test_restore_rejects_files_of_other_origin(client: Client, header: dict[str, object], code: str) -> None:
    assert client.rejection(changed(client.state(), header)) == (400, code)


@pytest.mark.parametrize(
    "row", [[], {}, "x", 5, ["a"] * 10, [None] * 10, [1, "a", "a", "a", 0, "a", "sí", 0, 1, None], [[]] * 10]
)
def test_restore_rejects_rows_that_do_not_fit_their_table(client: Client, row: object) -> None:
    content = client.state()
    assert changed(content) != changed(content, row=row)
    assert client.rejection(changed(content, row=row)) == (400, "state-damaged")
    assert client.call("GET", "/certificates").status == 200


@pytest.mark.parametrize("body", [b"", b"<xml/>", b"{}", zstandard.compress(b"{}"), zstandard.compress(b"\xff\n" * 99)])
def test_restore_rejects_other_files(client: Client, body: bytes) -> None:
    assert client.rejection(body) == (400, "state-damaged")


def test_restore_rejects_oversized_files(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    content = client.state()
    monkeypatch.setattr(state_file, "MAX_CONTENT_BYTES", 2000)
    assert client.rejection(content) == (400, "state-too-large")
    answer = client.call("GET", "/sandbox/state")
    assert (answer.status, answer.json["message"].partition(" ")[0]) == (400, "state-too-large")
    monkeypatch.undo()
    monkeypatch.setattr(state_file, "MAX_FILE_BYTES", 100)
    assert client.rejection(content) == (400, "state-too-large")


def test_openapi_shows_bad_input_of_a_restore(client: Client) -> None:
    paths: Any = client.call("GET", "/openapi.json").json["paths"]
    examples = paths["/sandbox/state"]["post"]["responses"]["400"]["content"]["application/json"]["examples"]
    assert set(examples) == {
        "state-damaged", "state-too-large", "state-environment", "state-master-key", "state-schema"
    }  # fmt: skip
    assert examples["state-damaged"]["value"]["message"].startswith("state-damaged - ")


def test_reader_rejects_a_table_in_another_place(client: Client) -> None:
    reader = state_file.StateReader(io.BytesIO(client.state()))
    with pytest.raises(ServiceError, match="falta la tabla stamp"):
        next(reader.table("stamp", ["a"]))

"""Logins with both credential styles on both routes."""

from __future__ import annotations

import json

import pytest
from tests.support.asgi import call
from tests.support.fake_services import TOKEN, FakeServices

from timbra.core.errors import ServiceError

ROUTES = ["/v2/security/authenticate", "/security/authenticate", "//Security/Authenticate/"]
AU2000 = "AU2000 - El usuario y/o contraseña son inválidos, no se puede autenticar el servicio."


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("headers", "body", "login"),
    [
        ({}, b'{"user": "u@x.mx", "password": "p"}', ("u@x.mx", "p")),
        ({}, b'{"User":"u","Password":"p"}', ("u", "p")),
        ({}, '{"user":"u","password":"pá"}'.encode(), ("u", "pá")),
        ({}, '{"user":"u","password":"pá"}'.encode("latin-1"), ("u", "pá")),
        ({}, b'{"user":"u","password":"p\\u00e1\\""}', ("u", 'pá"')),
        ({"user": "u", "password": "p"}, b"", ("u", "p")),
        ({"user": "u", "password": "p", "Authorization": ""}, b"", ("u", "p")),
        ({"user": "u", "password": "pá"}, b"{}", ("u", "pá")),
        ({"user": "u", "password": "pá".encode().decode("latin-1")}, b"", ("u", "pá")),
    ],
)
def test_authenticate_accepts_both_credential_styles(
    route: str, headers: dict[str, str], body: bytes, login: tuple[str, str]
) -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "POST", route, headers=headers, body=body)
    assert fakes.account_services.accounts.logins == [login]
    assert answer.status == 200
    expected = {"token": TOKEN, "expires_in": 1_795_000_000, "tokeny_type": "Bearer", "token_type": "Bearer"}
    assert answer.json == {"data": expected, "status": "success"}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({}, b""),
        ({}, b'{"user": "u", "password": "p'),
        ({}, b'{"user": "u"}'),
        ({}, b'{"user": null, "password": null}'),
        ({}, b'{"user": ["u"], "password": {}}'),
        ({"user": "h", "password": "h"}, b'{"user": "", "password": ""}'),
        ({"user": "u"}, b""),
        ({}, b"\x00\xff"),
        ({}, b"[]"),
    ],
)
def test_authenticate_rejects_missing_credentials(route: str, headers: dict[str, str], body: bytes) -> None:
    fakes = FakeServices()
    answer = call(fakes.app(), "POST", route, headers=headers, body=body)
    assert fakes.account_services.accounts.logins == []
    assert (answer.status, answer.json["message"], answer.json["data"]) == (400, AU2000, None)


def test_authenticate_rejects_wrong_credentials() -> None:
    fakes = FakeServices()
    fakes.account_services.accounts.rejection = ServiceError("AU2000")
    answer = call(fakes.app(), "POST", ROUTES[0], headers={"user": "u", "password": "p"})
    assert answer.status == 400
    assert (
        answer.body
        == json.dumps({"message": AU2000, "messageDetail": None, "data": None, "status": "error"}, ensure_ascii=False)
        .replace('": ', '":')
        .replace(', "', ',"')
        .encode()
    )


def test_authenticate_answers_429_with_retry_after_when_throttled() -> None:
    fakes = FakeServices()
    fakes.account_services.accounts.rejection = ServiceError("AU2000", retry_after=3)
    answer = call(fakes.app(), "POST", ROUTES[0], headers={"user": "u", "password": "p"})
    assert (answer.status, answer.headers["retry-after"], answer.json["message"]) == (429, "3", AU2000)

"""CSRF protection before the body of a form is read, and the limits of the body."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
from starlette.types import Message
from tests.support.browser import portal_app
from tests.support.sandbox_app import SandboxApp

from timbra.web.portal.dispatch import sessions

MEBIBYTE = 1024 * 1024

VISITOR = "a-visitor"
COOKIE = {"cookie": f"timbra_visitor={VISITOR}"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
UPLOAD = {"content-type": "multipart/form-data; boundary=b"}
CSRF_TOKEN = sessions.csrf_token(VISITOR)
PART = b'--b\r\nContent-Disposition: form-data; name="xml"; filename="a.xml"\r\n\r\n%b\r\n--b--\r\n'

Receive = Callable[[], Message]


def unread() -> Message:
    raise AssertionError("the body was read")


def chunks(*pieces: bytes) -> Receive:
    remaining = list(pieces)
    return lambda: {"type": "http.request", "body": remaining.pop(0), "more_body": bool(remaining)}


def ask(
    sandbox_app: SandboxApp, path: str, headers: Mapping[str, str], receive: Receive, query: str = ""
) -> tuple[int, dict[str, str]]:
    """Status and headers of the answer."""
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in {"host": "x", **headers}.items()],
    }
    messages: list[Message] = []

    async def receive_message() -> Message:
        return receive()

    async def send_message(message: Message) -> None:
        messages.append(message)

    asyncio.run(portal_app(sandbox_app.container)(scope, receive_message, send_message))  # type: ignore[arg-type]
    return messages[0]["status"], {name.decode(): value.decode() for name, value in messages[0]["headers"]}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "referer": "http://x/portal/entrar"},
        {"referer": "https://evil.example/x"},
    ],
)
def test_form_from_another_origin_is_rejected_before_its_body(sandbox_app: SandboxApp, headers: dict[str, str]) -> None:
    assert ask(sandbox_app, "/portal/entrar", {**COOKIE, **FORM, **headers}, unread)[0] == 403
    csrf_query = f"csrf_token={sessions.csrf_token(VISITOR, '/validador')}"
    assert ask(sandbox_app, "/validador", {**COOKIE, **UPLOAD, **headers}, unread, csrf_query)[0] == 403


def test_form_without_a_cookie_is_rejected_before_its_body(sandbox_app: SandboxApp) -> None:
    assert ask(sandbox_app, "/portal/entrar", FORM, unread)[0] == 403


@pytest.mark.parametrize(
    "query", ["", "csrf_token=", f"csrf_token={CSRF_TOKEN}", "csrf_token=%C3%B1", f"csrf_token={'0' * 64}"]
)
def test_upload_without_csrf_token_in_url_is_rejected_before_its_body(sandbox_app: SandboxApp, query: str) -> None:
    assert ask(sandbox_app, "/validador", {**COOKIE, **UPLOAD}, unread, query)[0] == 403


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ({}, f"csrf_token={sessions.csrf_token(VISITOR, '/validador')}"),
        ({"x-csrf-token": CSRF_TOKEN}, ""),
        ({}, f"proof={sessions.csrf_token(VISITOR, '/validador')}"),
        ({"x-proof": CSRF_TOKEN}, ""),
    ],
    ids=["url", "header", "old-url", "old-header"],
)
def test_upload_with_csrf_token_in_url_or_header_is_read(
    sandbox_app: SandboxApp, headers: dict[str, str], query: str
) -> None:
    received = chunks(PART[:50], (PART % b"<a/>")[50:])
    assert ask(sandbox_app, "/validador", {**COOKIE, **UPLOAD, **headers}, received, query)[0] == 200
    assert sandbox_app.container.metrics.body_bytes == 0


def test_csrf_token_of_one_path_is_invalid_for_another(sandbox_app: SandboxApp) -> None:
    body = b"csrf_token=" + sessions.csrf_token(VISITOR, "/validador").encode()
    assert ask(sandbox_app, "/portal/entrar", {**COOKIE, **FORM}, chunks(body))[0] == 403


def test_form_accepts_the_old_name_of_the_csrf_field(sandbox_app: SandboxApp) -> None:
    body = b"user=x&password=y&proof=" + CSRF_TOKEN.encode()
    assert ask(sandbox_app, "/portal/entrar", {**COOKIE, **FORM}, chunks(body))[0] == 422


def test_form_of_unknown_length_is_rejected_beyond_its_limit(sandbox_app: SandboxApp) -> None:
    pieces = [b"csrf_token=" + CSRF_TOKEN.encode(), *[b"x" * 30_000] * 3]
    status, headers = ask(sandbox_app, "/portal/entrar", {**COOKIE, **FORM}, chunks(*pieces))
    assert (status, headers["connection"]) == (413, "close")


def test_form_uses_the_memory_budget_of_bodies(sandbox_app: SandboxApp) -> None:
    """With half of the budget in use, an anonymous upload above 1 MiB is rejected and a small one is accepted."""
    metrics, limit = sandbox_app.container.metrics, sandbox_app.container.settings.max_bytes_in_flight
    query = f"csrf_token={sessions.csrf_token(VISITOR, '/validador')}"
    metrics.body_bytes = limit // 2
    large = chunks(PART % bytes(2 * MEBIBYTE))
    status, headers = ask(sandbox_app, "/validador", {**COOKIE, **UPLOAD}, large, query)
    assert (status, headers["retry-after"]) == (503, "1")
    assert ask(sandbox_app, "/validador", {**COOKIE, **UPLOAD}, chunks(PART % b"<a/>"), query)[0] == 200
    assert metrics.body_bytes == limit // 2


def test_field_of_an_upload_is_bounded(sandbox_app: SandboxApp) -> None:
    body = b'--b\r\nContent-Disposition: form-data; name="status"\r\n\r\n' + bytes(100_000) + b"\r\n--b--\r\n"
    query = f"csrf_token={sessions.csrf_token(VISITOR, '/validador')}"
    assert ask(sandbox_app, "/validador", {**COOKIE, **UPLOAD}, chunks(body), query)[0] == 400


def test_disconnect_during_a_form_is_not_an_internal_error(sandbox_app: SandboxApp) -> None:
    disconnect: Receive = lambda: {"type": "http.disconnect"}  # noqa: E731
    assert ask(sandbox_app, "/portal/entrar", {**COOKIE, **FORM}, disconnect)[0] == 499

"""Calls of the application without a server: one request, one response."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message
from tests.support.answer_schemas import assert_answer_matches
from tests.support.fake_services import TOKEN

from timbra.app.api_factory import build
from timbra.app.composition import Container
from timbra.app.request_environment import request_environment

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def application(container: Container) -> ASGIApp:
    """Return the HTTP API over a real container."""
    return build(container.get(request_environment), container.groups)


def call(
    app: ASGIApp,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | Iterable[bytes] = b"",
    query: str = "",
    extensions: dict[str, Any] | None = None,
    client: tuple[str, int] | None = None,
) -> Answer:
    """The answer to one request; a JSON answer must match the OpenAPI schema of its operation.

    body: whole, or in pieces without a Content-Length. headers: as Latin-1 text.
    """
    raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in (headers or {}).items()]
    pieces = [body] if isinstance(body, bytes) else list(body)
    if isinstance(body, bytes):
        raw.append((b"content-length", str(len(body)).encode()))
    incoming: list[Message] = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    incoming[-1]["more_body"] = False
    sent: list[Message] = []

    async def receive() -> Message:
        return incoming.pop(0) if incoming else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": raw,
        "extensions": extensions or {},
        "client": client,
    }

    async def run() -> None:
        await app(scope, receive, send)

    asyncio.run(run())
    start, *rest = sent
    answer = Answer(
        start["status"],
        {name.decode(): value.decode("latin-1") for name, value in start["headers"]},
        b"".join(message.get("body", b"") for message in rest),
    )
    if answer.headers.get("content-type", "").startswith("application/json"):
        assert_answer_matches(method, path, answer.status, answer.json)
    return answer


def upload(content: bytes, *, boundary: str = "b1") -> tuple[dict[str, str], bytes]:
    """Return headers and body of an authorised multipart upload."""
    line = f"--{boundary}".encode()
    body = line + b'\r\nContent-Disposition: form-data; name="xml"\r\n\r\n' + content + b"\r\n" + line + b"--\r\n"
    return {**BEARER, "Content-Type": f"multipart/form-data; boundary={boundary}"}, body

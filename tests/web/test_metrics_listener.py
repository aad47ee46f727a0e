"""The listener of metrics: `/metrics` without a token at its port, and nothing else there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from timbra.web.framework.metrics_listener import MetricsListener, is_metrics_listener

PORT = 9464


async def application(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer 200 to a request of the listener, 202 to others."""
    status = 200 if scope["type"] == "http" and is_metrics_listener(scope) else 202
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def status_of(**scope: Any) -> int:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    request = {"type": "http", "method": "GET", "headers": [], "query_string": b"", **scope}
    asyncio.run(MetricsListener(application, PORT)(request, receive, send))
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("server", "path", "status"),
    [
        (("127.0.0.1", PORT), "/metrics", 200),
        (("127.0.0.1", PORT), "/health", 404),
        (("127.0.0.1", PORT), "/metrics/", 404),
        (("127.0.0.1", PORT), "/portal", 404),
        (("127.0.0.1", 8080), "/metrics", 202),
        (("127.0.0.1", 8080), "/health", 202),
        (None, "/metrics", 202),
    ],
)
def test_listener_serves_metrics_only_and_others_are_unchanged(server: Any, path: str, status: int) -> None:
    assert status_of(server=server, path=path) == status


def test_listener_cannot_be_named_by_a_header() -> None:
    headers = [(b"host", b"127.0.0.1:9464"), (b"x-forwarded-port", b"9464")]
    assert status_of(server=("127.0.0.1", 8080), path="/metrics", headers=headers) == 202

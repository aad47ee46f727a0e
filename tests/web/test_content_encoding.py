"""Encoded request bodies: gzip is read like a plain body, within the same limits; others are rejected by name."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Iterator, Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Message, Receive
from tests.support.account_requests import ManagementClient
from tests.support.asgi import Answer, call, upload
from tests.support.fake_services import STAMPED, FakeServices
from tests.support.framings import CURL_PART, part

from timbra.app.operation_table import OPERATIONS
from timbra.core.metrics import MetricsRegistry
from timbra.web.framework.operation import Operation
from timbra.web.framework.router import placeholders
from timbra.web.parsing.body_stream import body_chunks
from timbra.web.parsing.content_encoding import PIECE, inflated
from timbra.web.parsing.request_body import BodyRejectedError, MemoryBudget, MinimumRate, read_body

RATE = MinimumRate(10, 0.01)
LIMIT = 1_000_000
XML = b"<cfdi:Comprobante Version='4.0'/>"
ZIPPED = gzip.compress(XML, mtime=0)
FAULTS = {"batch-soap": 500}
"""Statuses of operations whose errors are not 400."""
TAKING = [operation for operation in OPERATIONS if operation.payloads]


class Sent:
    """Chunks of a body as they arrive."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._waiting = [*chunks]
        self.received = 0

    async def receive(self) -> Message:
        chunk = self._waiting.pop(0)
        self.received += len(chunk)
        return {"type": "http.request", "body": chunk, "more_body": bool(self._waiting)}


async def _collected(receive: Receive, headers: dict[str, str], limit: int, *, streamed: bool) -> bytes:
    plain, remaining = inflated(receive, headers, limit)
    if streamed:
        return b"".join([piece async for piece in body_chunks(plain, remaining, limit, RATE)])
    return await read_body(plain, remaining, limit, RATE, MemoryBudget(MetricsRegistry(), 10**9))


def read(
    chunks: Sequence[bytes], coding: str = "gzip", limit: int = LIMIT, *, streamed: bool = False, sized: bool = False
) -> bytes:
    headers = {"content-encoding": coding}
    if sized:
        headers["content-length"] = str(sum(map(len, chunks)))
    return asyncio.run(_collected(Sent(chunks).receive, headers, limit, streamed=streamed))


def cut(content: bytes, size: int) -> list[bytes]:
    return [content[start : start + size] for start in range(0, len(content), size)] or [b""]


def code_of(chunks: Sequence[bytes], *, streamed: bool, limit: int = LIMIT) -> tuple[str, str]:
    with pytest.raises(BodyRejectedError) as rejected:
        read(chunks, limit=limit, streamed=streamed)
    return rejected.value.code, rejected.value.detail or ""


@given(
    content=st.one_of(st.binary(max_size=300), st.integers(0, PIECE + 2000).map(lambda size: bytes(size))),
    size=st.integers(1, 70),
    level=st.integers(0, 9),
    coding=st.sampled_from(["gzip", "GZIP", "x-gzip", " gzip "]),
    streamed=st.booleans(),
    sized=st.booleans(),
)
def test_gzip_in_any_chunks_is_the_plain_body(
    content: bytes, size: int, level: int, coding: str, streamed: bool, sized: bool
) -> None:
    chunks = cut(gzip.compress(content, level), size)
    assert read(chunks, coding, streamed=streamed, sized=sized) == content


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
def test_body_without_a_coding_is_received_as_it_is(coding: str) -> None:
    sent, headers = Sent([XML]), {"content-encoding": coding}
    receive, same = inflated(sent.receive, headers, LIMIT)
    assert (receive, same) == (sent.receive, headers)
    assert same is headers


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("size", [1000, 10**6])
def test_limit_counts_inflated_bytes(size: int, streamed: bool) -> None:
    fits, bomb = gzip.compress(bytes(LIMIT)), gzip.compress(bytes(100 * LIMIT))
    assert len(bomb) < LIMIT
    assert read(cut(fits, size), streamed=streamed) == bytes(LIMIT)
    assert code_of(cut(gzip.compress(bytes(LIMIT + 1)), size), streamed=streamed)[0] == "TB4001"
    assert code_of(cut(bomb, size), streamed=streamed)[0] == "TB4001"


def test_bomb_is_inflated_in_pieces_and_no_further_than_twice_the_limit() -> None:
    sizes: list[int] = []
    turns = 0

    async def rejected() -> None:
        nonlocal turns
        plain, headers = inflated(
            Sent([gzip.compress(bytes(100 * LIMIT))]).receive, {"content-encoding": "gzip"}, LIMIT
        )

        async def counted() -> Message:
            message = await plain()
            sizes.append(len(message["body"]))
            return message

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(other())
        with pytest.raises(BodyRejectedError, match="TB4001"):
            await read_body(counted, headers, LIMIT, RATE, MemoryBudget(MetricsRegistry(), 10**9))
        task.cancel()

    asyncio.run(rejected())
    assert max(sizes) == PIECE
    assert sum(sizes) <= 2 * LIMIT + PIECE
    assert turns >= len(sizes) - 1


@pytest.mark.parametrize("streamed", [False, True])
def test_gzip_that_inflates_to_nothing_is_limited_too(streamed: bool) -> None:
    endless_name = b"\x1f\x8b\x08\x08" + bytes(6) + b"x" * (LIMIT + 1)
    assert code_of(cut(endless_name, PIECE), streamed=streamed)[0] == "TB4001"


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (ZIPPED[:-1], "está incompleto"),
        (gzip.compress(bytes(PIECE), mtime=0)[:-1], "está incompleto"),
        (ZIPPED[:5], "está incompleto"),
        (XML, "está dañado"),
        (zlib.compress(XML), "está dañado"),
        (ZIPPED[:-5] + b"12345", "está dañado"),
        (ZIPPED + b"x", "trae más después de su final"),
        (ZIPPED * 2, "trae más después de su final"),
    ],
)
@pytest.mark.parametrize("size", [1, 10**6])
def test_damaged_gzip_is_rejected(content: bytes, words: str, size: int, streamed: bool) -> None:
    code, detail = code_of(cut(content, size), streamed=streamed)
    assert code == "TB4008"
    assert words in detail


def test_empty_body_is_empty_in_gzip_too() -> None:
    assert read([b""]) == b""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagementClient]:
    opened = ManagementClient(tmp_path_factory.mktemp("codings") / "data")
    yield opened
    opened.sandbox_app.container.close()


def sent_to(client: ManagementClient, operation: Operation, coding: str, body: bytes) -> Answer:
    path = operation.paths[0]
    for name in placeholders(path):
        path = path.replace(f"{{{name}}}", operation.choices.get(name, (str(UUID(int=1)),))[0])
    headers = {
        "Authorization": f"Bearer {client.tokens['jefa@example.com']}",
        "Content-Type": operation.payloads[0].media_type + "; boundary=b1",
        "Content-Encoding": coding,
    }
    return call(client.app, operation.method, path, headers=headers, body=body)


@pytest.mark.parametrize("operation", TAKING, ids=lambda operation: operation.name)
def test_every_route_with_a_body_reads_gzip_and_rejects_other_codings(
    client: ManagementClient, operation: Operation
) -> None:
    body = part("b1", CURL_PART, XML)
    for coding, sent, words in (
        ("br", body, "El cuerpo viene en br; se admite gzip"),
        ("gzip, gzip", body, "El cuerpo viene en gzip, gzip"),
        ("gzip", body, "El cuerpo en gzip está dañado."),
    ):
        answer = sent_to(client, operation, coding, sent)
        assert answer.status == FAULTS.get(operation.name, 400), answer.body
        assert "TB4008" in answer.body.decode()
        assert words in answer.body.decode()
    assert "TB4008" not in sent_to(client, operation, "gzip", gzip.compress(body)).body.decode()


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_document_in_gzip_is_stamped(coding: str) -> None:
    services = FakeServices()
    headers, body = upload(XML)
    sent = gzip.compress(body) if coding else body
    answer = call(
        services.app(), "POST", "/cfdi33/stamp/v4", headers={**headers, "Content-Encoding": coding}, body=sent
    )
    assert answer.status == 200
    assert answer.json["data"]["uuid"] == STAMPED.uuid

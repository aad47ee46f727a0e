"""The queue signs what waits at the same time together, and each request gets its own result."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Sequence

import pytest

from timbra.core.metrics import SIGNATURE_BATCH_SIZE, MetricsRegistry
from timbra.seals.signature_queue import SignatureQueue
from timbra.seals.signers.batches import LANES, SignatureBatches, SignatureRequest


class NamedSigner:
    """A signer whose signatures are its name and the data."""

    def __init__(self, name: bytes) -> None:
        self.name = name

    def sign(self, data: bytes, _digest: str = "sha256") -> bytes:
        return self.name + data


class RecordingBatches(SignatureBatches):
    """Accepts every signer but one, fails for one text, and records the sizes of the groups."""

    def __init__(self) -> None:
        self.reason = ""
        self.sizes: list[int] = []

    def accepts(self, signer: object) -> bool:
        return isinstance(signer, NamedSigner) and signer.name != b"hsm:"

    def sign(self, requests: Sequence[SignatureRequest]) -> list[bytes | Exception]:
        self.sizes.append(len(requests))
        return [
            ValueError("no signature") if each.data == b"fail" else each.signer.sign(each.data) for each in requests
        ]


@pytest.fixture
def batches() -> RecordingBatches:
    return RecordingBatches()


@pytest.fixture
def queue(batches: RecordingBatches) -> SignatureQueue:
    return SignatureQueue(MetricsRegistry(), batches)


async def seal(queue: SignatureQueue, text: str, signer: bytes = b"a:") -> bytes:
    return b64decode(await queue.seal(NamedSigner(signer), text))


async def seal_all(queue: SignatureQueue, texts: Sequence[str]) -> list[bytes | BaseException]:
    with queue.concurrent(len(texts)):
        return await asyncio.gather(*(seal(queue, text) for text in texts), return_exceptions=True)


@pytest.mark.parametrize("count", [3, 8, 9, 20])
def test_seal_signs_concurrent_requests_together(queue: SignatureQueue, batches: RecordingBatches, count: int) -> None:
    texts = [str(number) for number in range(count)]
    assert asyncio.run(seal_all(queue, texts)) == [b"a:" + text.encode() for text in texts]
    assert batches.sizes == [min(LANES, count - start) for start in range(0, count, LANES)]


def test_seal_signs_a_lone_request_immediately(queue: SignatureQueue, batches: RecordingBatches) -> None:
    assert asyncio.run(seal(queue, "one")) == b"a:one"
    assert batches.sizes == []


def test_seal_counts_the_requests_of_the_http_server(batches: RecordingBatches) -> None:
    metrics = MetricsRegistry()
    metrics.requests_in_flight = 3
    queue = SignatureQueue(metrics, batches)
    assert asyncio.run(seal(queue, "one")) == b"a:one"
    assert batches.sizes == [1]
    [(name, *_)] = metrics.state()["histograms"]
    assert name == SIGNATURE_BATCH_SIZE.name


def test_seal_does_not_batch_a_signer_that_is_not_accepted(queue: SignatureQueue, batches: RecordingBatches) -> None:
    async def run() -> list[bytes]:
        with queue.concurrent(4):
            return await asyncio.gather(*(seal(queue, "x", b"hsm:") for _ in range(4)))

    assert asyncio.run(run()) == [b"hsm:x"] * 4
    assert batches.sizes == []


def test_seal_signs_with_an_hsm_between_the_requests_of_a_batch(
    queue: SignatureQueue, batches: RecordingBatches
) -> None:
    names = [b"a:", b"hsm:", b"b:", b"hsm:", b"c:"]

    async def run() -> list[bytes]:
        with queue.concurrent(len(names)):
            return await asyncio.gather(*(seal(queue, "x", name) for name in names))

    assert asyncio.run(run()) == [name + b"x" for name in names]
    assert batches.sizes == [3]


def test_seal_raises_the_error_of_one_request_only(queue: SignatureQueue) -> None:
    first, failed, last = asyncio.run(seal_all(queue, ["1", "fail", "2"]))
    assert (first, last) == (b"a:1", b"a:2")
    assert isinstance(failed, ValueError)


def test_seal_raises_the_error_of_the_whole_batch(queue: SignatureQueue, batches: RecordingBatches) -> None:
    def fail(requests: Sequence[SignatureRequest]) -> list[bytes | Exception]:
        raise MemoryError

    batches.sign = fail  # type: ignore[method-assign]
    outcomes = asyncio.run(asyncio.wait_for(seal_all(queue, ["1", "2", "3"]), 10))
    assert [type(outcome) for outcome in outcomes] == [MemoryError] * 3


def test_seal_is_answered_and_later_ones_are_signed_when_a_batch_has_no_memory(
    queue: SignatureQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [str(number) for number in range(2 * LANES)]
    with monkeypatch.context() as patch:
        patch.setattr(queue, "_results", lambda _: [])
        failed = asyncio.run(asyncio.wait_for(seal_all(queue, texts), 10))
    assert {type(each) for each in failed} == {ValueError}
    assert asyncio.run(seal_all(queue, texts)) == [b"a:" + text.encode() for text in texts]


def test_seal_drops_a_cancelled_request(queue: SignatureQueue, batches: RecordingBatches) -> None:
    async def run() -> list[bytes]:
        with queue.concurrent(4):
            tasks = [asyncio.create_task(seal(queue, str(number))) for number in range(4)]
            await asyncio.sleep(0)
            tasks[1].cancel()
            return await asyncio.gather(*(task for number, task in enumerate(tasks) if number != 1))

    assert asyncio.run(run()) == [b"a:0", b"a:2", b"a:3"]
    assert batches.sizes == [3]


def test_seal_works_again_after_an_event_loop_that_ended_before_the_batch(queue: SignatureQueue) -> None:
    async def leave() -> None:
        asyncio.get_running_loop().create_task(seal(queue, "lost"))
        await asyncio.sleep(0)

    with queue.concurrent(3):
        asyncio.run(leave())
    assert asyncio.run(seal_all(queue, ["1", "2", "3"])) == [b"a:1", b"a:2", b"a:3"]


def test_seal_in_a_second_event_loop_does_not_wait_for_the_first(queue: SignatureQueue) -> None:
    async def first() -> bytes:
        with queue.concurrent(3):
            own = asyncio.create_task(seal(queue, "first"))
            await asyncio.sleep(0)
            other = await asyncio.to_thread(lambda: asyncio.run(seal(queue, "second")))
            assert await own == b"a:first"
            return other

    assert asyncio.run(first()) == b"a:second"


def test_queue_signs_immediately_where_signatures_are_made_one_by_one(
    queue: SignatureQueue, batches: RecordingBatches
) -> None:
    batches.reason = "no AVX-512 IFMA"
    assert asyncio.run(seal_all(queue, ["1", "2", "3"])) == [b"a:1", b"a:2", b"a:3"]
    assert batches.sizes == []

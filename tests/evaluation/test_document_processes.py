"""Child processes for large documents: errors at their limits, and a new process after each."""

from __future__ import annotations

import asyncio
import gc
import os
import pickle
import weakref
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from structlog.testing import capture_logs
from tests.support import child_work

from timbra.app import document_processes
from timbra.container.child import ProcessOutcome
from timbra.core.errors import DocumentLocation, ServiceError
from timbra.core.metrics import DOCUMENTS_OFFLOADED, DOCUMENTS_REJECTED, STAMP_CLAIMS, MetricsRegistry
from timbra.evaluation.processes import (
    MALLOC,
    DocumentProcesses,
    ProcessLimits,
    predicted_nodes,
)
from timbra.pools.work_budget import spend
from timbra.settings import Settings

MEBIBYTE = 1024 * 1024
ACCOUNT = "1"


def processes(
    seconds: float = 60, metrics: MetricsRegistry | None = None, memory: int = 512, processor_seconds: float = 10
) -> DocumentProcesses:
    limits = ProcessLimits(1, memory * MEBIBYTE, seconds, 100, 8, processor_seconds)
    return DocumentProcesses(child_work.run_without_container, limits, metrics or MetricsRegistry())


@pytest.fixture
def opened() -> Iterator[DocumentProcesses]:
    made = processes()
    yield made
    made.close()


def rejection(processes: DocumentProcesses, work: object, *args: object) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        asyncio.run(processes.run(ACCOUNT, None, work, *args))  # type: ignore[arg-type]
    return caught.value


def process_id(processes: DocumentProcesses) -> int:
    return asyncio.run(processes.run(ACCOUNT, None, child_work.process_id))


@pytest.mark.parametrize(("size", "large"), [(99, False), (100, True), (101, True)])
def test_is_costly_compares_the_size_with_the_limit(opened: DocumentProcesses, size: int, large: bool) -> None:
    assert opened.is_costly(bytes(size)) == large


@pytest.mark.parametrize(
    ("document", "nodes"),
    [
        (b"<a/>", 1),
        (b"<a>x<?b?>y<!--c--><![CDATA[z]]></a>", 5),
        (b'<a b="1" c="2" d="3" e="4"/>', 2),
        (b'\xef\xbb\xbf {"a": [1, {"b": 2}], "c": 3}', 8),
        (b"\r\n" + b" " * 1000 + b"[[[[", 4),
        (b"[[[[", 4),
        (b"a, b, c: {", 0),
        (b"", 0),
    ],
)
def test_predicted_nodes_counts_marks(document: bytes, nodes: int) -> None:
    assert predicted_nodes(document) == nodes


@pytest.mark.parametrize(("document", "costly"), [(b"<a/>" * 7, False), (b"<a/>" * 8, True), (b"[" * 8, True)])
def test_is_costly_counts_the_nodes_of_a_small_document(document: bytes, costly: bool) -> None:
    metrics = MetricsRegistry()
    made = processes(metrics=metrics)
    assert made.is_costly(document) == costly
    assert metrics.counts.get((DOCUMENTS_OFFLOADED.name, ("nodes",)), 0) == costly
    made.close()


def test_run_costly_moves_a_document_when_its_faults_exceed_the_budget() -> None:
    metrics = MetricsRegistry()
    made = processes(metrics=metrics)

    async def within() -> int:
        spend(8)
        return os.getpid()

    async def beyond() -> int:
        spend(9)
        return os.getpid()

    def run(document: bytes, here: Callable[[], Awaitable[int]]) -> int:
        in_child = partial(made.run, ACCOUNT, None, child_work.process_id, size=len(document))
        return asyncio.run(made.run_costly(document, here, in_child))

    assert run(b"<a/>", within) == os.getpid()
    assert run(b"<a/>", beyond) != os.getpid()
    assert run(b"<a/>" * 100, within) != os.getpid()
    assert {key: count for key, count in metrics.counts.items() if key[0] == DOCUMENTS_OFFLOADED.name} == {
        (DOCUMENTS_OFFLOADED.name, ("faults",)): 1,
        (DOCUMENTS_OFFLOADED.name, ("size",)): 1,
    }
    made.close()


def test_run_rejects_a_document_at_its_limit_of_processor_time_and_replaces_the_process() -> None:
    """A document of more than one MiB has twice the time of a smaller one."""
    metrics = MetricsRegistry()
    made = processes(metrics=metrics, processor_seconds=1)
    first = process_id(made)
    with capture_logs() as logs, pytest.raises(ServiceError) as caught:
        asyncio.run(made.run(ACCOUNT, None, child_work.compute, size=MEBIBYTE + 1))
    error = caught.value
    assert (error.code, error.retry_after) == ("TB4024", None)
    assert error.detail == "El documento usó 2 segundos de procesador, el máximo para su tamaño."
    assert [(line["event"], line["limit"], line["account"], line["bytes"]) for line in logs] == [
        ("document rejected", "processor", ACCOUNT, MEBIBYTE + 1)
    ]
    assert metrics.counts[DOCUMENTS_REJECTED.name, ("processor",)] == 1
    assert process_id(made) not in (first, os.getpid())
    made.close()


def test_run_works_in_one_child_that_is_reused(opened: DocumentProcesses) -> None:
    assert process_id(opened) == process_id(opened) != os.getpid()


def test_run_raises_co1000_and_replaces_a_process_that_dies(opened: DocumentProcesses) -> None:
    first = process_id(opened)
    error = rejection(opened, child_work.die)
    assert (error.code, error.retry_after) == ("CO1000", 10)
    assert error.detail == "El proceso que revisaba el documento terminó antes de tiempo."
    assert process_id(opened) != first


def test_run_raises_301_at_the_memory_limit(opened: DocumentProcesses) -> None:
    error = rejection(opened, child_work.take_memory, 600 * MEBIBYTE)
    assert (error.code, error.retry_after) == ("301", None)
    assert error.detail == "El documento pide más memoria de la que se le concede."
    assert process_id(opened)


def test_run_raises_co1000_and_replaces_a_process_that_hangs() -> None:
    made = processes(seconds=8)  # the start of a child on a busy machine is in this time too
    first = process_id(made)
    error = rejection(made, child_work.hang)
    assert (error.code, error.detail) == ("CO1000", "El documento tarda más de 8 segundos en procesarse.")
    assert error.retry_after is None
    assert process_id(made) != first
    made.close()


def test_run_raises_the_error_of_the_work_with_all_its_values(opened: DocumentProcesses) -> None:
    location = DocumentLocation("Emisor/@Rfc", "X", "Y")
    raised = rejection(
        opened, child_work.fail, ServiceError("307", "detalle", data=["d"], retry_after=4, location=location)
    )
    assert (raised.code, raised.detail, raised.data, raised.retry_after) == ("307", "detalle", ["d"], 4)
    assert raised.location == location


def test_run_adds_the_metrics_of_the_child() -> None:
    metrics = MetricsRegistry()
    made = processes(metrics=metrics)
    process_id(made)
    with pytest.raises(LookupError):
        asyncio.run(made.run(ACCOUNT, None, child_work.fail, LookupError()))
    assert metrics.counts[STAMP_CLAIMS.name, ("stored",)] == 2
    made.close()


def test_run_rejects_requests_beyond_the_queue_of_an_account(opened: DocumentProcesses) -> None:
    async def many() -> list[object]:
        work = (opened.run(ACCOUNT, None, child_work.process_id) for _ in range(11))
        return await asyncio.gather(*work, return_exceptions=True)

    rejected = [answer for answer in asyncio.run(many()) if isinstance(answer, ServiceError)]
    assert [(error.code, error.retry_after) for error in rejected] == [("CO1000", 10)] * 2


def test_close_ends_a_process_at_work() -> None:
    made = processes()

    async def closed_meanwhile() -> None:
        work = asyncio.create_task(made.run(ACCOUNT, None, child_work.hang))
        await asyncio.sleep(0.5)
        made.close()
        with pytest.raises(ServiceError, match="CO1000"):
            await work

    asyncio.run(closed_meanwhile())


def test_children_use_huge_pages(opened: DocumentProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    found = asyncio.run(opened.run(ACCOUNT, None, child_work.variable_in_group, "GLIBC_TUNABLES"))
    assert found == MALLOC["GLIBC_TUNABLES"]


class Part:
    """A part of a document that refers to itself, or to an exception whose frames refer to it."""

    itself: object = None


parts: list[weakref.ref[Part]] = []


def make_cycle(_groups: object) -> str:
    part = Part()
    part.itself = part
    parts.append(weakref.ref(part))
    return "done"


def fail_with_a_part(_groups: object) -> None:
    part = Part()
    parts.append(weakref.ref(part))
    try:
        int("x")
    except ValueError as error:
        part.itself = error
        raise ServiceError("301", "detalle") from error


@pytest.fixture
def run_in_child(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[..., object]], ProcessOutcome]]:
    """The function that a child runs, in this process and without a container; no collection runs by itself."""
    container = SimpleNamespace(get=lambda _: Mock(), groups={}, metrics=MetricsRegistry())
    monkeypatch.setattr(document_processes, "_container", lambda _settings: container)
    parts.clear()
    yield lambda work: document_processes.run_in_child(Settings(), work)
    gc.enable()


@pytest.mark.parametrize("work", [make_cycle, fail_with_a_part])
def test_run_in_child_releases_the_document(
    run_in_child: Callable[[Callable[..., object]], ProcessOutcome], work: Callable[..., object]
) -> None:
    outcome = run_in_child(work)
    assert [part() for part in parts] == [None]
    assert (outcome.value, str(outcome.error)) in (("done", "None"), (None, "301: detalle"))


def fail_with_a_defect(_groups: object) -> None:
    raise KeyError("defect")


def test_run_in_child_keeps_the_traceback_of_a_defect_for_the_log_of_the_parent(
    run_in_child: Callable[[Callable[..., object]], ProcessOutcome],
) -> None:
    error = pickle.loads(pickle.dumps(run_in_child(fail_with_a_defect).error))
    assert isinstance(error, KeyError)
    [note] = error.__notes__
    assert "in fail_with_a_defect" in note


def test_run_in_child_collects_all_objects_after_some_documents_only(
    run_in_child: Callable[[Callable[..., object]], ProcessOutcome],
) -> None:
    generations = []
    gc.callbacks.append(lambda phase, info: generations.append(info["generation"]) if phase == "start" else None)
    for _ in range(2 * document_processes.DOCUMENTS_PER_FULL_COLLECTION):
        run_in_child(make_cycle)
    gc.callbacks.pop()
    assert generations.count(document_processes.ALL) == 2
    assert generations.count(document_processes.YOUNG) == 2 * document_processes.DOCUMENTS_PER_FULL_COLLECTION - 2

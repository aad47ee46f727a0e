"""Documents of uploads and of the ZIP route have the limit of processor time of their size."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.database.build import opened_database
from timbra.evaluation.build import issuer_keys
from timbra.evaluation.processes import DocumentProcesses
from timbra.examples import ingreso
from timbra.pools.coroutines import run_coroutine
from timbra.received.build import CHILD_WORK, document_intake
from timbra.received.examination import Examiner, examine_entries, read_metadata_lines
from timbra.received.files import Entry, UploadedFile, list_entries
from timbra.received.store import ReceivedRepository, ResultFilter
from timbra.received.uploads import ReceivedOptions, ReceivedProgress, ReceivedValidation, UploadExaminer
from timbra.stamping.large_documents import LargeStampRequest
from timbra.stamping.models import StampResult
from timbra.stamping.processes import stamp_archive_in_child, stamper
from timbra.validation.build import validation_services

COSTLY = b"<!-- costly -->"
SIZE = 3_000_000
TOO_LONG = ServiceError("TB4024", "El documento usó 10 segundos de procesador, el máximo para su tamaño.")


@dataclass(slots=True)
class FakeProcesses:
    """Runs work in this process; work about a costly document exceeds its limit of processor time.

    Attributes:
        calls: name of each work, with the size by which it is limited.
    """

    examiner: Examiner
    calls: list[tuple[str, int | None]] = field(default_factory=list)

    async def run(self, _account: str, _answer: object, work: Callable[..., Any], *args: Any, size: int | None) -> Any:
        self.calls.append((work.__name__, size))
        if work is CHILD_WORK.listing:
            return list_entries(args[0], 100)
        entries = args[0] if isinstance(args[0], tuple) else (args[0],)
        if any(COSTLY in Path(entry.path).read_bytes() for entry in entries):
            raise TOO_LONG
        if work is CHILD_WORK.metadata:
            return read_metadata_lines(self.examiner, *args)
        return await asyncio.to_thread(run_coroutine, examine_entries(self.examiner, *args))


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("limits") / "data")
    yield made
    made.container.close()


def upload(app: SandboxApp, processes: FakeProcesses, files: dict[str, bytes], folder: Path) -> dict[str, str | None]:
    """Return the codes of the errors of the stored documents without a report, by name."""
    uploaded = []
    for name, content in files.items():
        (folder / name).write_bytes(content)
        uploaded.append(UploadedFile(name, str(folder / name)))
    repository = ReceivedRepository(app.container.get(opened_database))
    children: DocumentProcesses = processes  # type: ignore[assignment]
    clock = app.container.wall
    examiner = UploadExaminer(processes.examiner, children, CHILD_WORK, clock, MetricsRegistry())
    validation = ReceivedValidation(repository, examiner, app.container.get(document_intake), clock, 30)
    account = app.caller.account_id
    run, _ = validation.create(account, folder.name, "label")

    async def add() -> list[ReceivedProgress]:
        options = ReceivedOptions(with_status=False, require_stamp=False)
        return [each async for each in validation.add(account, run, uploaded, options, asyncio.to_thread)]

    progress = asyncio.run(add())
    assert (progress[-1].done, progress[-1].total) == (len(files), len(files))
    stored = repository.page(run, ResultFilter(), -1, 100)
    return {result.document["source"]: result.document.get("rejection_code") for result in stored}


@pytest.fixture
def processes(app: SandboxApp) -> FakeProcesses:
    validation = app.container.get(validation_services)
    return FakeProcesses(Examiner(validation.validation, validation.taxpayer_lookup))


def test_document_beyond_its_processor_time_has_a_row_and_the_upload_goes_on(
    app: SandboxApp, processes: FakeProcesses, tmp_path: Path
) -> None:
    texts = {f"{number}.xml": ingreso({"@Folio": str(number)}, fecha=FECHA).encode() for number in range(3)}
    costly = texts["1.xml"] + COSTLY
    codes = upload(app, processes, texts | {"1.xml": costly, "1.txt": b"Uuid~" + COSTLY}, tmp_path)
    assert codes == {"0.xml": None, "1.xml": "TB4024", "2.xml": None, "1.txt": "TB4024"}
    sizes = [len(texts["0.xml"]), len(costly), len(texts["2.xml"])]
    examine = CHILD_WORK.examine.__name__
    assert processes.calls[1:] == [
        (examine, sum(sizes)),
        *((examine, size) for size in sizes),
        (CHILD_WORK.metadata.__name__, len(b"Uuid~" + COSTLY)),
    ]


def archive(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.xml", content)
    return buffer.getvalue()


def larger(content: bytes) -> bytes:
    """Return an archive that announces twice the size of its content."""
    made = archive(content)
    announced = len(content).to_bytes(4, "little")
    assert made.count(announced) == 2
    return made.replace(announced, (2 * len(content)).to_bytes(4, "little"))


@pytest.mark.parametrize(("size", "limit"), [(SIZE, SIZE), (3 * SIZE, 2 * SIZE)])
def test_document_in_an_archive_is_limited_by_its_own_size(
    app: SandboxApp, tmp_path: Path, size: int, limit: int
) -> None:
    calls: list[tuple[str, int | None]] = []

    class Processes:
        async def run(self, _account: str, _answer: object, work: Callable[..., Any], *args: Any, size: int) -> Any:
            calls.append((work.__name__, size))
            raise TOO_LONG

        def end_idle(self, _seconds: float) -> None:
            calls.append(("end", None))

    processes: DocumentProcesses = Processes()  # type: ignore[assignment]
    stamp = stamper(processes, app.container.get(issuer_keys), lambda: None, 2 * SIZE)

    async def run() -> StampResult:
        return await stamp(LargeStampRequest(app.caller, tmp_path / "a.zip", size, "r"))

    with pytest.raises(ServiceError, match="TB4024"):
        asyncio.run(run())
    assert calls == [(stamp_archive_in_child.__name__, limit), ("end", None)]


def test_archive_that_announces_more_than_it_has_is_rejected(tmp_path: Path, processes: FakeProcesses) -> None:
    """Its document would get more processor time."""
    path = tmp_path / "a.zip"
    path.write_bytes(larger(ingreso().encode()))
    [entry] = list_entries((UploadedFile("a.zip", str(path)),), 100).entries
    assert isinstance(entry, Entry)
    assert entry.size == 2 * len(ingreso().encode())
    [examined] = run_coroutine(examine_entries(processes.examiner, [entry], "1", False))
    assert examined.rejection is not None
    assert examined.rejection.code == "source-unreadable"
    assert "a.xml no tiene el tamaño que anuncia" in str(examined.rejection.detail)

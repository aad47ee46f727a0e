"""A document at which the program fails: its row, the other documents, the log and the metric, in every runner."""

from __future__ import annotations

import asyncio
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from inspect import iscoroutinefunction
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from lxml import etree
from tests.support.hostile_archives import zipped
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from typer.testing import CliRunner

from timbra import examples
from timbra.batches.build import batch_runner, batch_service
from timbra.batches.store.models import Batch
from timbra.bulk.plan import Planner
from timbra.bulk.worker import Worker, WorkerOptions
from timbra.cfdi.tfd import stamp_elements
from timbra.cli.main import app as command
from timbra.console.sources import list_sources
from timbra.container.build import data_folder
from timbra.delivery.ports import authority_work
from timbra.received.build import received_validation
from timbra.received.files import UploadedFile
from timbra.received.store import ResultFilter
from timbra.received.uploads import ReceivedOptions
from timbra.validation.build import validation_services
from timbra.validation.folders import BatchOptions, DocumentResult, validate_sources

DONE = "done"
FAILED = "failed"
REJECTED = "rejected"
RUNNING = "running"

FAILING = "defecto"
"""Name and serie of the document at which the program fails."""
NAMES = ("a.xml", f"{FAILING}.xml", "z.xml")
METADATA_HEAD = (
    "Uuid~RfcEmisor~NombreEmisor~RfcReceptor~NombreReceptor~RfcPac~FechaEmision~FechaCertificacionSat~Monto~"
    "EfectoComprobante~Estatus~FechaCancelacion\r\n"
)
RECORDS = "BatchRunner._records"
"""The stage that reads stamps, an argument of the runner."""
Outcomes = dict[str, str | None]
Documents = dict[str, bytes]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def stamped(app: SandboxApp) -> Documents:
    """Three stamped invoices; the second is the one at which the program fails."""
    texts = [examples.ingreso({"@Serie": Path(name).stem}, fecha=FECHA) for name in NAMES]
    issued = {name: app.issue(text.encode()).cfdi.encode() for name, text in zip(NAMES, texts, strict=True)}
    app.container.get(authority_work).deliver()
    return issued


def fail_at_the_document(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, uuid: str) -> None:
    """Let a function raise KeyError when its arguments or its result are about the document, unless it has failed."""
    original = getattr(owner, name)

    def check(*values: object) -> None:
        text = " ".join(str(etree.tostring(each)) if etree.iselement(each) else repr(each) for each in values).lower()
        if (FAILING in text or uuid in text) and "co1000" not in text:
            raise KeyError("the defect")

    def call(*args: Any, **options: Any) -> Any:
        check(*args)
        result = original(*args, **options)
        check(result)
        return result

    async def call_async(*args: Any, **options: Any) -> Any:
        check(*args)
        return await original(*args, **options)

    monkeypatch.setattr(owner, name, call_async if iscoroutinefunction(original) else call)


def validate_folder(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    for name, content in documents.items():
        (folder / name).write_bytes(content)
    arguments = [str(folder), "--json", "--csv", str(folder / "out.csv"), "--data", str(app.container.get(data_folder))]
    result = CliRunner().invoke(command, ["validate", *arguments, "--workers", "1"], env={"TIMBRA_CLOCK": NOW})
    assert result.exit_code == 1, result.output
    assert len((folder / "out.csv").read_text().splitlines()) == 1 + len(documents)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return {Path(line["file"]).name: line.get("error", {}).get("code") for line in lines}


def stamp_folder(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    for name, content in documents.items():
        (folder / name).write_bytes(content)
    arguments = [str(folder), "--account", "ana@example.com", "--sealed", "--out", str(folder / "out")]
    options = ["--data", str(app.container.get(data_folder))]
    result = CliRunner().invoke(command, ["stamp", *arguments, *options], env={"TIMBRA_CLOCK": NOW, "COLUMNS": "300"})
    assert result.exit_code == 1, result.output
    lines = [line.partition(": ") for line in result.output.splitlines() if ".xml: " in line]
    return {Path(file).name: "CO1000" if "no pudo completar" in text else None for file, _, text in lines}


def validate_in_bulk(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    for name, content in documents.items():
        (folder / name).write_bytes(content)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TIMBRA_CLOCK", NOW)
        with closing(Worker(WorkerOptions(app.container.get(data_folder)))) as worker:
            results = [worker.run(task) for task in Planner().tasks([str(folder)])]
    found = [row for result in results for batch in result.batches["documents"] for row in batch.to_pylist()]
    return {row["source"].rpartition("/")[2].rpartition("!")[2]: row["rejection_code"] for row in found}


def validate_archive_in_bulk(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    return validate_in_bulk(app, {"all.zip": zipped(documents)}, folder)


def validate_received(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    received, account = app.container.get(received_validation), app.caller.account_id
    files = [UploadedFile(name, str(folder / name)) for name in documents]
    for file in files:
        Path(file.path).write_bytes(documents[file.name])
    number, _ = received.create(account, str(folder), "x")

    async def run() -> None:
        options = ReceivedOptions(with_status=True, require_stamp=False)
        async for _ in received.add(account, number, files, options, asyncio.to_thread):
            pass

    asyncio.run(run())
    found = received.repository.page(number, ResultFilter(), -1, 100)
    return {result.document["source"]: result.document.get("rejection_code") for result in found}


def validate_received_metadata(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    line = "6B29FC40-CA47-1067-B31D-00DD010662D{}~AAA010101AAA~A~EKU9003173C9~E~SPR190613I52~2026-11-01 10:00:00~"
    rest = "2026-11-01 10:01:00~$1,160.50~I~1~\r\n"
    files = {name: (METADATA_HEAD + line.format(place) + rest).encode() for place, name in enumerate(documents)}
    outcomes = validate_received(
        app, {name.replace(".xml", ".txt"): content for name, content in files.items()}, folder
    )
    return {name.replace(".txt", ".xml"): code for name, code in outcomes.items()}


def stamp_batch(app: SandboxApp, documents: Documents, folder: Path) -> Outcomes:
    """Return the codes of the outcomes, and the text in place of what the result does not have as CO1000."""
    batch = processed(app, submit(app, documents))
    assert batch.state == DONE
    repository = app.container.get(batch_runner)._repository
    outcomes: Outcomes = {
        item.name: item.code if item.result == REJECTED else None for item in repository.items(batch.id)
    }
    output = b"".join(filter(None, (repository.chunk(batch.id, "output", number) for number in range(9))))
    with zipfile.ZipFile(io.BytesIO(output)) as archive:
        texts = [name for name in archive.namelist() if name.endswith(".txt")]
    return outcomes | {name.replace(".txt", ".xml"): "CO1000" for name in texts}


def submit(app: SandboxApp, documents: Documents) -> Batch:
    batches, archive = app.container.get(batch_service), io.BytesIO(zipped(documents))
    return batches.submit(app.caller.account_id, archive, "lote.zip", "stamp", "http://h", pdf=True, pdf_template="")


def processed(app: SandboxApp, batch: Batch) -> Batch:
    asyncio.run(app.container.get(batch_runner).run_due())
    return app.container.get(batch_service).find(app.caller.account_id, batch.id)


Runner = Callable[[SandboxApp, Documents, Path], Outcomes]
STAGES: dict[Runner, tuple[str, ...]] = {
    validate_folder: (
        "timbra.console.sources:DocumentReader.read",
        "timbra.validation.validation:ValidationService.validate_document",
        "timbra.validation.folders:document_row",
        "timbra.validation.report_rendering:to_json_line",
    ),
    stamp_folder: (
        "timbra.console.sources:DocumentReader.read",
        "timbra.stamping.stamping:StampingService.stamp",
    ),
    validate_in_bulk: (
        "timbra.bulk.reading:read_file",
        "timbra.validation.validation:ValidationService.validate_document",
        "timbra.bulk.worker:document_row",
    ),
    validate_archive_in_bulk: ("timbra.bulk.archives:Archive.read",),
    validate_received: (
        "timbra.received.uploads:list_entries",
        "timbra.received.uploads:examine_entries",
        "timbra.received.files:EntryReader.read",
        "timbra.validation.validation:ValidationService.examine_document",
        "timbra.received.examination:document_row",
        "timbra.validation.validation:ValidationService._start_status",
        "timbra.received.uploads:result_of",
    ),
    validate_received_metadata: (
        "timbra.received.uploads:read_metadata_lines",
        "timbra.received.uploads:result_of",
    ),
    stamp_batch: (
        "timbra.batches.archive:BatchArchive.read",
        "timbra.stamping.stamping:StampingService.stamp",
        "timbra.documents.printing:PrintingService.issuer_and_pdf",
        RECORDS,
    ),
}
COUNTED = (validate_received, validate_received_metadata, stamp_batch)
"""Runners of a server, whose metrics count defects."""


def place_of(app: SandboxApp, stage: str) -> tuple[Any, str]:
    """Return the object with the function of a stage, and its name."""
    path, _, name = stage.rpartition(".")
    if stage == RECORDS:
        return app.container.get(batch_runner), name
    module, _, function = stage.partition(":")
    return (resolve_name(path), name) if "." in function else (resolve_name(module), function)


@pytest.mark.parametrize(
    ("runner", "stage"),
    [pytest.param(runner, stage, id=f"{runner.__name__}-{stage}") for runner in STAGES for stage in STAGES[runner]],
)
def test_document_at_which_the_program_fails_is_a_row(
    app: SandboxApp,
    stamped: Documents,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    runner: Runner,
    stage: str,
) -> None:
    [stamp] = stamp_elements(etree.fromstring(stamped[NAMES[1]]))
    uuid = stamp.attrib["UUID"].lower()
    fail_at_the_document(monkeypatch, *place_of(app, stage), str(uuid))
    counts = app.container.metrics.counts
    before = counts.get(("internal_errors", ("CO1000",)), 0)

    outcomes = runner(app, stamped, tmp_path)

    assert outcomes == {NAMES[0]: None, NAMES[1]: "CO1000", NAMES[2]: None}
    [record] = [record for record in caplog.records if record.name == "timbra.documents"]
    assert record.exc_info is not None
    assert "the defect" in str(record.exc_info[1])
    assert counts.get(("internal_errors", ("CO1000",)), 0) - before == (runner in COUNTED)


@pytest.mark.parametrize(
    ("error", "state", "failure", "counted"),
    [
        (KeyError("the defect"), FAILED, "CO1000 - El servicio no pudo completar la operación.", 1),
        (OSError("no space left"), RUNNING, "", 0),
        (MemoryError(), RUNNING, "", 0),
    ],
)
def test_batch_at_which_the_program_fails_ends_or_is_taken_over_and_the_next_one_is_processed(
    app: SandboxApp,
    stamped: Documents,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    state: str,
    failure: str,
    counted: int,
) -> None:
    runner, counts = app.container.get(batch_runner), app.container.metrics.counts
    before = counts.get(("internal_errors", ("CO1000",)), 0)
    first, second = submit(app, {"a.xml": stamped[NAMES[0]]}), submit(app, {"b.xml": stamped[NAMES[2]]})
    caller, errors = runner._caller, [error]

    def fail_once(account: int) -> Any:
        if errors:
            raise errors.pop()
        return caller(account)

    monkeypatch.setattr(runner, "_caller", fail_once)
    done, found = (
        processed(app, second),
        app.container.get(batch_service).find(app.caller.account_id, first.id),
    )

    assert (done.state, done.repeated) == (DONE, 1)
    assert (found.state, found.failure, found.attempts) == (state, failure, 1)
    assert (found.due_at is None) == (state == FAILED)
    assert counts.get(("internal_errors", ("CO1000",)), 0) - before == counted
    if state == RUNNING:
        runner._repository.give_back(found, app.container.wall.now())
        assert processed(app, first).state == DONE


def end_the_process(result: DocumentResult) -> DocumentResult:
    if FAILING in result.name and result.rejection is None:
        os._exit(9)
    return result


def return_what_cannot_be_pickled(result: DocumentResult) -> object:
    return (lambda: None) if FAILING in result.name and result.rejection is None else result


@pytest.mark.parametrize(
    ("render", "code"), [(end_the_process, "bulk-process-ended"), (return_what_cannot_be_pickled, "CO1000")]
)
def test_document_at_which_a_process_of_a_folder_ends_is_a_row(
    app: SandboxApp,
    stamped: Documents,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    render: Callable[[DocumentResult], object],
    code: str,
) -> None:
    monkeypatch.setattr("timbra.validation.folders.CHUNK", 3)
    monkeypatch.setenv("TIMBRA_CLOCK", NOW)
    names = [f"{place}.xml" for place in range(8)] + [f"8-{FAILING}.xml"] + [f"9{place}.xml" for place in range(9)]
    for name in names:
        (tmp_path / name).write_bytes(stamped[NAMES[0]])
    options = BatchOptions(
        app.container.get(data_folder), 2, with_status=False, require_stamp=False, max_bytes=1_000_000, render=render
    )
    services = app.container.get(validation_services)
    results = [*validate_sources(services.validation, list_sources([tmp_path]), options)]

    assert [Path(result.name).name for result in results] == names
    codes = {Path(result.name).name: result.rejection and result.rejection.code for result in results}
    assert codes == {**dict.fromkeys(names), f"8-{FAILING}.xml": code}

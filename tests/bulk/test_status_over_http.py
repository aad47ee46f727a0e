"""`timbra bulk status` against the emulator of the SAT over HTTP, with its faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.emulator.emulator_support import EmulatorRun, running_over
from tests.support.sandbox_app import NOW, SandboxApp
from typer.testing import CliRunner, Result

from timbra.bulk import statuses
from timbra.bulk.plan import Planner
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.worker import Worker, WorkerOptions
from timbra.cli.main import app
from timbra.container.build import data_folder
from timbra.core.retry import Backoff

SCHEMA_VERSION = 3

SERVICE = "/ConsultaCFDIService.svc"
DOCUMENTS = 6

Command = Callable[..., Result]


@pytest.fixture(scope="module")
def emulator(sandbox_app: SandboxApp) -> Iterator[EmulatorRun]:
    with running_over(sandbox_app.container) as run:
        yield run


@pytest.fixture
def results(
    sandbox_app: SandboxApp, stamped: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ResultFolder:
    """A result folder of six stamped documents, without an answer of the authority."""
    monkeypatch.setenv("TIMBRA_CLOCK", NOW)
    for number, content in enumerate(stamped):
        (tmp_path / f"{number}.xml").write_bytes(content)
    folder = ResultFolder(str(tmp_path / "out"))
    folder.create(RunDescription("validate", SCHEMA_VERSION, "", "", (f"{tmp_path}/*.xml",), {}), Planner())
    with folder.lock(), closing(Worker(WorkerOptions(sandbox_app.container.get(data_folder)))) as worker:
        folder.write_part(0, map(worker.run, folder.all_tasks()))
    return folder


@pytest.fixture
def bulk(
    sandbox_app: SandboxApp, emulator: EmulatorRun, results: ResultFolder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Command]:
    """Runs a command of `timbra bulk` on the folder, with short pauses, the emulator as the authority."""
    for name in ("PAUSES", "REPETITIONS"):
        monkeypatch.setattr(statuses, name, Backoff(0.001, limit=0.001))
    environment = {
        "TIMBRA_CLOCK": NOW,
        "TIMBRA_DATA": str(sandbox_app.container.get(data_folder)),
        "TIMBRA_STATUS_SERVICE": "sat",
        "TIMBRA_SAT_STATUS_URL": emulator.url(SERVICE),
    }
    yield lambda name, *arguments: CliRunner().invoke(
        app, ["bulk", name, results.location, *map(str, arguments)], env=environment
    )
    emulator.emulator.configuration.faults.replace(())


@pytest.mark.parametrize(
    "fault",
    [
        {"fault": "status", "status": 503, "times": 3},
        {"fault": "connection-reset", "times": 3},
        {"fault": "answer-lost", "times": 3},
        {"fault": "soap-fault", "times": 3},
        {"fault": "truncated", "times": 3},
    ],
    ids=lambda fault: fault["fault"],
)
def test_bulk_status_repeats_queries_without_an_answer(
    emulator: EmulatorRun, bulk: Command, fault: dict[str, object]
) -> None:
    assert emulator.control("POST", "/faults", {"service": "status", **fault}).status_code == 200
    result = bulk("status", "--rate", 1000, "--concurrency", 2)
    assert (result.exit_code, result.stderr) == (0, "6 due, 6 answered, 0 without an answer\n")
    found = bulk("query", "SELECT DISTINCT status, cancelable, status_time IS NOT NULL FROM documents")
    assert found.stdout == "Vigente\tCancelable sin aceptación\tTrue\n"
    assert bulk("status").stderr == "0 due, 0 answered, 0 without an answer\n"


def test_bulk_status_makes_every_attempt_at_its_rate(
    emulator: EmulatorRun, bulk: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[None] = []
    monkeypatch.setattr(statuses.Pacer, "wait", lambda pacer: waits.append(None))
    emulator.fault("status", service="status", status=503, times=3)
    assert bulk("status", "--concurrency", 2).exit_code == 0
    assert len(waits) == DOCUMENTS + 3


def test_bulk_status_ends_while_the_authority_is_down_and_goes_on_afterwards(
    emulator: EmulatorRun, bulk: Command
) -> None:
    emulator.fault("status", service="status", status=503, skip=2)
    down = bulk("status", "--concurrency", 1)
    assert (down.exit_code, down.stderr) == (1, "6 due, 2 answered, 4 without an answer\n")
    assert bulk("query", "SELECT count(*) FROM statuses").stdout == "2\n"
    emulator.emulator.configuration.faults.replace(())
    assert bulk("status").stderr == "4 due, 4 answered, 0 without an answer\n"


def test_bulk_status_asks_again_about_old_answers_except_cancelled(
    sandbox_app: SandboxApp, emulator: EmulatorRun, results: ResultFolder, bulk: Command
) -> None:
    assert bulk("status").exit_code == 0
    with_one_cancelled(results, bulk)
    assert bulk("status", "--max-age", 0).stderr == "5 due, 5 answered, 0 without an answer\n"
    assert bulk("status", "--max-age", 1).stderr == "0 due, 0 answered, 0 without an answer\n"


def with_one_cancelled(results: ResultFolder, bulk: Command) -> None:
    """Store a later answer about the first document: cancelled."""
    uuid = bulk("query", "SELECT uuid FROM documents WHERE document_id = 0").stdout.strip()
    at = bulk("query", "SELECT max(status_time) FROM documents").stdout.strip()
    row = {"uuid": uuid, "status": "Cancelado", "status_time": datetime.fromisoformat(at) + timedelta(seconds=1)}
    with results.lock():
        results.write_statuses([row])

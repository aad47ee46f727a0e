"""Reconciliations that accounts order, in SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from tests.support.reconciliation_month import OWN, planted_month
from tests.support.store_records import NOON, MovableClock

from timbra.core.errors import ServiceError
from timbra.core.metrics import MetricsRegistry
from timbra.database.database import Database
from timbra.received.documents.models import DeliveredXml, DocumentMetadata, ReceivedHeader
from timbra.received.documents.store import DocumentStore
from timbra.received.reconciliation.column_map import ColumnMap
from timbra.received.reconciliation.engine import Reconciliation
from timbra.received.reconciliation.options import ReconciliationOptions, Side
from timbra.received.reconciliation.result_files import summary_values
from timbra.received.reconciliation.run_models import FileRole, RunFile, RunOptions, RunState, StoredReconciliation
from timbra.received.reconciliation.run_store import RunRepository
from timbra.received.reconciliation.runs import ReconciliationRunner, ReconciliationRuns
from timbra.received.reconciliation.stored_source import StoredDocuments

ANA, BEA = 1, 2
OCTOBER = ReconciliationOptions(OWN, Side.RECEIVED, date(2026, 10, 1), date(2026, 10, 31), Decimal("0.01"))


class Fixture:
    """Intake and runner over one database, with a clock that a test moves."""

    def __init__(self, database: Database) -> None:
        self.clock = MovableClock()
        self.repository = RunRepository(database, self.clock)
        self.runs = ReconciliationRuns(self.repository, self.clock, self.clock, 30)
        self.documents = DocumentStore(database, self.clock, self.clock)
        self.metrics = MetricsRegistry()
        self.failure: Exception | None = None
        self.runner = ReconciliationRunner(self.repository, self.read_account, self.metrics)

    def read_account(self, run: StoredReconciliation, found: Reconciliation) -> None:
        if self.failure is not None:
            raise self.failure
        if run.options.with_stored:
            StoredDocuments(self.documents, run.account_id).read(found.workspace)

    def submit(self, options: RunOptions, *paths: Path, submission: str = "a", account: int = ANA) -> int:
        return self.runs.submit(account, submission, options, paths)


@pytest.fixture
def fixture(database: Database) -> Fixture:
    return Fixture(database)


@pytest.fixture
def sat_file(tmp_path: Path) -> Path:
    month = planted_month(28, 1)
    month.write(tmp_path)
    return tmp_path / "metadata.zip"


def options_with(*files: tuple[FileRole, str], stored: bool = False) -> RunOptions:
    names = tuple(RunFile(role, name) for role, name in files)
    return RunOptions(OCTOBER, stored, False, names, ColumnMap({"uuid": "UUID"}, recognize=True))


def test_run_stores_the_numbers_and_the_differences_of_uploaded_files(fixture: Fixture, sat_file: Path) -> None:
    options = options_with((FileRole.SAT, "m.zip"), (FileRole.ERP, "../../erp.csv"), (FileRole.PAYMENTS, "p.CSV"))
    folder = sat_file.parent
    number = fixture.submit(options, sat_file, folder / "erp.csv", folder / "payments.csv")
    assert fixture.submit(options, sat_file) == number
    queued = fixture.runs.find(ANA, number)
    assert (queued.state, queued.summary, queued.options) == (RunState.QUEUED, None, options)
    fixture.runner.run_due()
    run = fixture.runs.find(ANA, number)
    assert (run.state, run.failure, run.finished_at) == (RunState.DONE, "", NOON)
    assert run.summary is not None
    assert [(each.name, each.kind) for each in run.summary.sources] == [
        ("m.zip!3F2504E0-4F89-41D3-9A0C-0305E82C3301_01.txt", "metadata"),
        ("../../erp.csv", "erp"),
        ("p.CSV", "payments"),
    ]
    found = [*fixture.runs.result(run).differences(None)]
    assert len(found) == run.summary.differences > 20
    kinds = {each.kind.name: each.count for each in run.summary.kinds}
    assert kinds["not-in-books"] == len(fixture.runs.part(run, "not-in-books", 0))
    assert fixture.runs.part(run, "not-in-books", 1) == []
    assert fixture.repository.lease() is None
    with pytest.raises(ServiceError, match="TB4041"):
        fixture.runs.find(BEA, number)


def test_failed_run_says_why_and_drops_its_files(fixture: Fixture, sat_file: Path) -> None:
    number = fixture.submit(options_with((FileRole.SAT, "m.zip"), (FileRole.ERP, "m.zip")), sat_file, sat_file)
    fixture.runner.run_due()
    run = fixture.runs.find(ANA, number)
    assert (run.state, run.summary) == (RunState.FAILED, None)
    assert run.failure.endswith("m.zip: no es un archivo de texto")
    with pytest.raises(ServiceError, match="TB4031"):
        fixture.runs.result(run)


def test_failure_of_the_program_is_not_shown(fixture: Fixture, sat_file: Path) -> None:
    number = fixture.submit(options_with((FileRole.SAT, "m.zip")), sat_file)
    fixture.failure = RuntimeError("secret")
    fixture.runner.run_due()
    run = fixture.runs.find(ANA, number)
    assert (run.state, "secret" in run.failure) == (RunState.FAILED, False)


def test_interrupted_run_begins_again_and_fails_at_the_third_time(fixture: Fixture, sat_file: Path) -> None:
    number = fixture.submit(options_with((FileRole.SAT, "m.zip")), sat_file)
    fixture.failure = MemoryError()
    for _ in range(2):
        fixture.runner.run_due()
        assert fixture.runs.find(ANA, number).state is RunState.RUNNING
        assert fixture.repository.lease() is None
        fixture.clock.advance(seconds=30 * 60)
    fixture.runner.run_due()
    assert "se detuvo varias veces" in fixture.runs.find(ANA, number).failure


def test_submit_is_limited_and_needs_something_to_compare(fixture: Fixture, sat_file: Path) -> None:
    options = options_with((FileRole.SAT, "m.zip"))
    for number in range(3):
        fixture.submit(options, sat_file, submission=str(number))
    with pytest.raises(ServiceError, match="espere a que terminen"):
        fixture.submit(options, sat_file, submission="further")
    fixture.submit(options, sat_file, account=BEA)
    with pytest.raises(ServiceError, match="reconciliation-sources"):
        fixture.submit(options_with((FileRole.ERP, "e.csv")), sat_file, submission="x")


def test_delete_and_expire_remove_everything(fixture: Fixture, sat_file: Path) -> None:
    options = options_with((FileRole.SAT, "m.zip"))
    first = fixture.submit(options, sat_file)
    second = fixture.submit(options, sat_file, submission="b")
    with pytest.raises(ServiceError, match="TB4041"):
        fixture.runs.delete(BEA, first)
    fixture.runs.delete(ANA, first)
    assert [run.id for run in fixture.runs.newest(ANA)] == [second]
    fixture.runner.run_due()
    fixture.clock.advance(days=30)
    fixture.runs.expire()
    assert [run.id for run in fixture.runs.newest(ANA)] == [second]
    fixture.clock.advance(seconds=1)
    fixture.runs.expire()
    assert fixture.runs.newest(ANA) == []


def test_stored_documents_give_the_same_numbers_as_their_files(fixture: Fixture, tmp_path: Path) -> None:
    month = planted_month(56, 2)
    month.write(tmp_path)
    for document in month.documents:
        header = ReceivedHeader(
            document.uuid,
            "retenciones" if document.tipo == "R" else "cfdi",
            document.issuer,
            "P",
            OWN,
            "R",
            "X",
            f"{document.fecha:%FT%T}",
            f"{document.fecha:%FT%T}",
            str(document.total),
            None if document.tipo == "R" else document.tipo,
        )
        state = "Cancelado" if document.cancelled_at else "Vigente"
        at = f"{document.cancelled_at:%FT%T}" if document.cancelled_at else None
        fixture.documents.put_metadata(ANA, [DocumentMetadata(header, state, at)])
        if document.has_xml:
            xml = document.xml().encode()
            fixture.documents.put_xml(ANA, [DeliveredXml(header, xml, document.uuid, "sat", "valid")])
    books = ((FileRole.ERP, "e.csv"), (FileRole.PAYMENTS, "p.csv"))
    sat = ((FileRole.SAT, "m.zip"), (FileRole.SAT, "x.zip"))
    paths = [tmp_path / name for name in ("erp.csv", "payments.csv", "metadata.zip", "xml.zip")]
    from_store = fixture.submit(options_with(*books, stored=True), *paths[:2])
    from_files = fixture.submit(options_with(*books, *sat), *paths, submission="b")
    fixture.runner.run_due()
    numbers = []
    for number in (from_store, from_files):
        run = fixture.runs.find(ANA, number)
        assert run.summary is not None, run.failure
        values = summary_values(run.summary)
        numbers.append([values[name] for name in ("differences", "kinds", "books")])
        assert {kind.kind.name for kind in run.summary.kinds} == {kind for kind, _ in month.planted}
    assert numbers[0] == numbers[1]
    assert numbers[0][0] == len(month.planted)


def test_runs_of_an_account_are_listed_newest_first(fixture: Fixture, sat_file: Path) -> None:
    options = options_with((FileRole.SAT, "m.zip"))
    first = fixture.submit(options, sat_file)
    fixture.clock.instant += timedelta(seconds=1)
    second = fixture.submit(options, sat_file, submission="b")
    assert [run.id for run in fixture.runs.newest(ANA)] == [second, first]
    assert [run.id for run in fixture.runs.newest(ANA, 1)] == [second]

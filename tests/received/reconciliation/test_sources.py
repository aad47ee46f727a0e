"""Sources of a reconciliation: the ledger of issued CFDI, a result folder, files of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.reconciliation_month import OWN, Invoice, planted_month
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from tests.support.xlsx import write_xlsx
from typer.testing import CliRunner

from timbra import examples
from timbra.cli.main import app
from timbra.container.build import data_folder
from timbra.database.build import opened_database
from timbra.events.event_log import Event, append_event
from timbra.received.reconciliation.column_map import ColumnMap
from timbra.received.reconciliation.engine import open_reconciliation
from timbra.received.reconciliation.exports import read_books
from timbra.received.reconciliation.ledger import Ledger
from timbra.received.reconciliation.options import ReconciliationOptions, Side
from timbra.received.reconciliation.sat_source import read_sat
from timbra.stamping.models import StampResult
from timbra.validation.arrow_tables import batch_of, schema_of
from timbra.validation.metadata_files import HEADINGS
from timbra.validation.tables import DOCUMENTS, METADATA, PAYMENTS

ISSUER = "EKU9003173C9"
TODAY = NOW[:10]


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def issued(sandbox_app: SandboxApp) -> list[StampResult]:
    texts = [examples.ingreso({"@Folio": str(number)}, fecha=FECHA) for number in range(4)]
    return [sandbox_app.issue(text.encode()) for text in texts]


def cancel(sandbox_app: SandboxApp, uuid: str, substitute: str = "") -> None:
    body = {"motivo": "01" if substitute else "02", "foliosustitucion": substitute}
    event = Event(sandbox_app.now, sandbox_app.now, 1, "cancellation.cancelled", uuid, "", body)
    with sandbox_app.container.get(opened_database).write() as connection:
        append_event(connection, event)


def test_ledger_is_compared_with_metadata_of_the_sat(
    sandbox_app: SandboxApp, issued: list[StampResult], tmp_path: Path
) -> None:
    here, gone, cancelled, old = issued
    cancel(sandbox_app, cancelled.uuid)
    cancel(sandbox_app, old.uuid, here.uuid)
    rfc, receiver, total = facts(here)
    day = f"{FECHA[:10]} {FECHA[11:]}"
    lines = [
        f"{uuid}~{rfc}~N~{receiver}~N~SPR190613I52~{day}~{day}~{amount}~I~{state}~"
        for uuid, amount, state in (
            (here.uuid, total, "0"),
            (cancelled.uuid, total, "1"),
            (old.uuid, total, "0"),
            ("11111111-2222-4333-8444-555555555555", "5", "1"),
        )
    ]
    (tmp_path / "m.txt").write_text("\n".join(("~".join(HEADINGS), *lines)))
    arguments = ("--rfc", rfc, "--side", "issued", "--sat", tmp_path, "--ledger", "--month", TODAY[:7])
    folder = sandbox_app.container.get(data_folder)
    out = ("--data", folder, "--json", tmp_path / "r.json")
    result = CliRunner().invoke(app, ["reconcile", *map(str, (*arguments, *out))], env={"TIMBRA_CLOCK": NOW})
    assert result.exit_code == 1, result.output
    rows = json.loads((tmp_path / "r.json").read_bytes())["differences"]
    assert [(row["kind"], row["books"], row["uuid"]) for row in rows] == [
        ("not-in-books", "ledger", "11111111-2222-4333-8444-555555555555"),
        ("not-at-sat", "ledger", gone.uuid),
        ("cancelled-at-sat", "ledger", here.uuid),
        ("cancelled-in-books", "ledger", cancelled.uuid),
    ]


def facts(result: StampResult) -> tuple[str, str, str]:
    from timbra.cfdi.document import DocumentParser
    from timbra.validation.tables import header_columns

    row = header_columns(DocumentParser().parse(result.cfdi.encode()).root)
    return row["issuer_rfc"], row["receiver_rfc"], f"{row['total']:f}"


def test_ledger_is_the_reference_of_an_export_without_files_of_the_sat(
    sandbox_app: SandboxApp, issued: list[StampResult], tmp_path: Path
) -> None:
    rfc, _, total = facts(issued[0])
    (tmp_path / "erp.csv").write_text(f"UUID,Total,Fecha\n{issued[0].uuid},{total},{TODAY}\n")
    with open_reconciliation(ReconciliationOptions(rfc, Side.ISSUED)) as found:
        Ledger(sandbox_app.container.get(opened_database), sandbox_app.caller.account_id).read(found.workspace)
        read_books(found.workspace, tmp_path / "erp.csv", ColumnMap())
        found.run()
        kinds = {each.kind.name: each.count for each in found.summary.kinds}
        assert kinds.pop("not-in-books") == len(issued) - 1 - 2
        assert kinds.keys() <= {"cancelled-at-sat", "substituted"}


def test_result_folder_of_bulk_is_read_by_its_written_parts(tmp_path: Path) -> None:
    month = planted_month(0, 0)
    invoice, cancelled, absent = (month.invoice() for _ in range(3))
    folder = tmp_path / "results"
    rows = {
        "documents": [document(invoice, 0), document(absent, 1)],
        "payments": [],
        "metadata": [{**document(cancelled, 0), "status": "Cancelado", "cancelled_at": cancelled.fecha}],
    }
    columns = {"documents": DOCUMENTS, "payments": PAYMENTS, "metadata": METADATA}
    for table, values in rows.items():
        schema = schema_of(columns[table])
        (folder / table).mkdir(parents=True)
        for part in (0, 1):
            file = folder / table / f"part-00000{part}.parquet"
            pq.write_table(pa.Table.from_batches([batch_of(schema, values if part == 0 else values[:1])]), file)
    counts = {name: len(values) for name, values in rows.items()}
    written = {"part": 0, "documents": 2, "results": {}, "tables": counts}
    (folder / "run.json").write_text("{}")
    (folder / "parts").mkdir()
    (folder / "parts" / "part-000000.json").write_text(json.dumps(written))
    (folder / "parts" / "part-000001.json.1.tmp").write_text(json.dumps({**written, "part": 1}))
    (tmp_path / "erp.csv").write_text(f"UUID\n{invoice.uuid}\n{cancelled.uuid}\n")
    with open_reconciliation(ReconciliationOptions(OWN, Side.RECEIVED)) as found:
        read_sat(found.workspace, [folder])
        read_books(found.workspace, tmp_path / "erp.csv", ColumnMap())
        found.run()
        assert [(each.kind.name, each.uuid) for each in found.differences()] == [
            ("not-in-books", absent.uuid),
            ("cancelled-at-sat", cancelled.uuid),
        ]
        assert [(each.kind, each.rows) for each in found.summary.sources] == [("dataset", 3), ("erp", 2)]


def document(invoice: Invoice, number: int) -> dict[str, object]:
    values = {name: getattr(invoice, name) for name in ("uuid", "fecha", "total", "moneda")}
    parties = {"issuer_rfc": invoice.issuer, "receiver_rfc": OWN}
    return {**values, **parties, "document_id": number, "kind": "cfdi", "tipo_de_comprobante": "I", "source": "x"}


def test_workbook_is_read_like_csv(tmp_path: Path) -> None:
    month = planted_month(0, 0)
    invoice = month.invoice()
    month.documents.append(invoice)
    month.write(tmp_path)
    head = ["Reporte", "", ""], ["Folio fiscal", "Fecha", "Total"]
    row: list[str | float] = [invoice.uuid.upper(), f"{invoice.fecha:%Y-%m-%d}", float(invoice.total)]
    write_xlsx(tmp_path / "erp.xlsx", {"Otra": [["x"]], "Compras": [*head, row]})
    with open_reconciliation(ReconciliationOptions(OWN, Side.RECEIVED)) as found:
        read_sat(found.workspace, [tmp_path])
        read_books(found.workspace, tmp_path / "erp.xlsx", ColumnMap(sheet="Compras", skip=1))
        found.run()
        assert not [*found.differences()]
        assert found.summary.books[0].by_uuid == 1


def test_documents_without_stamp_and_damaged_archives_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(examples.ingreso(fecha=FECHA))
    (tmp_path / "b.zip").write_bytes(b"PK\x03\x04 damaged")
    (tmp_path / "c.xml").write_text("<x/>")
    (tmp_path / "d.txt").write_text("notes")
    since = date(2026, 10, 1)
    with open_reconciliation(ReconciliationOptions(OWN, Side.RECEIVED, since)) as found:
        read_sat(found.workspace, [tmp_path])
        found.run()
        details = [each.detail or "" for each in found.differences()]
        assert len(details) == found.summary.sources[0].unreadable == 3
        assert all(f"{name}: " in detail for name, detail in zip(("a.xml", "b.zip", "c.xml"), details, strict=True))


def test_dates_of_metadata_and_xml_are_of_the_document(tmp_path: Path) -> None:
    month = planted_month(0, 0)
    invoice = month.invoice(fecha=datetime(2026, 10, 31, 23, 59, 59))  # noqa: DTZ001
    late = month.invoice(fecha=datetime(2026, 11, 1, 0, 0, 0))  # noqa: DTZ001
    month.documents += [invoice, late]
    month.write(tmp_path)
    (tmp_path / "erp.csv").write_text("UUID\n")
    (tmp_path / "payments.csv").unlink()
    with open_reconciliation(ReconciliationOptions(OWN, Side.RECEIVED, until=date(2026, 10, 31))) as found:
        read_sat(found.workspace, [tmp_path])
        read_books(found.workspace, tmp_path / "erp.csv", ColumnMap())
        found.run()
        assert [each.uuid for each in found.differences()] == [invoice.uuid]

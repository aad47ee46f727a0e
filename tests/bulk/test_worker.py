"""Workers: rows of valid, invalid and unreadable documents."""

from __future__ import annotations

import io
import zipfile
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tests.rendering.rendered import reader
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.bulk.plan import Planner
from timbra.bulk.stamping.records import JsonTemplate, RecordReader
from timbra.bulk.worker import TaskResult, Worker
from timbra.cfdi.document import DocumentParser
from timbra.rendering.pdf import pdf
from timbra.stamping.build import stamping_services
from timbra.validation.metadata_files import HEADINGS
from timbra.validation.tables import DOCUMENTS, TABLES, Column
from timbra.validation.validation import ValidationService

TEMPLATES = Path(__file__).parents[2] / "docs" / "bulk-templates"


def run(worker: Worker, *sources: Path) -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for task in Planner(task_documents=4).tasks(map(str, sources)):
        result: TaskResult = worker.run(task)
        for name, batches in result.batches.items():
            tables.setdefault(name, []).extend(row for batch in batches for row in batch.to_pylist())
    return tables


def stored(columns: tuple[Column, ...]) -> list[str]:
    return [column.name for column in columns if not column.is_joined]


def test_worker_writes_the_columns_of_a_valid_document(worker: Worker, stamped: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(stamped[2])
    tables = run(worker, tmp_path)
    [row] = tables["documents"]
    assert list(row) == stored(DOCUMENTS)
    assert row["uuid"].encode() in stamped[2].lower()
    expected = {
        "document_id": 0,
        "source": str(tmp_path / "a.xml"),
        "bytes": len(stamped[2]),
        "kind": "cfdi",
        "version": "4.0",
        "tipo_de_comprobante": "I",
        "folio": "2",
        "issuer_rfc": examples.KEMPER.rfc,
        "moneda": "MXN",
        "total": Decimal("696.000000"),
        "complements": [],
        "result": "valid",
        "errors": 0,
        "seal": "valid",
        "stamp": "valid",
    }
    assert {name: row[name] for name in expected} == expected
    assert [concept["position"] for concept in tables["concepts"]] == [0, 1, 2]
    assert {concept["uuid"] for concept in tables["concepts"]} == {row["uuid"]}


def test_worker_writes_findings_with_their_rule_set(worker: Worker, stamped: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(stamped[0].replace(b'SubTotal="', b'SubTotal="1'))
    tables = run(worker, tmp_path)
    [row] = tables["documents"]
    assert (row["result"], row["seal"], row["stamp"]) == ("invalid", "invalid", "valid")
    findings = {finding["code"]: finding for finding in tables["findings"]}
    assert list(tables["findings"][0]) == stored(TABLES["findings"])
    assert findings["CFDI40108"]["rule_set"] == "cfdi40"
    assert findings["CFDI40108"]["rule_set_revision"] == "2026-03-25"
    assert findings["CFDI40102"]["rule_set"] == "sellos"
    assert row["errors"] <= len(tables["findings"])


def test_worker_writes_an_unstamped_document_as_warned(worker: Worker, stamped: list[bytes], tmp_path: Path) -> None:
    unstamped = stamped[0]
    start, end = unstamped.index(b"<tfd:"), unstamped.index(b"/>", unstamped.index(b"<tfd:")) + 2
    text = (unstamped[:start] + unstamped[end:]).replace(b"<cfdi:Complemento></cfdi:Complemento>", b"")
    (tmp_path / "a.xml").write_bytes(text)
    [row] = run(worker, tmp_path)["documents"]
    assert (row["result"], row["stamp"], row["uuid"]) == ("warned", "absent", None)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "xml-missing"), (b"%PDF-1.7", "source-unreadable"), (b"<a/>", "301"), (b"\xff\xfe\x00", "301")],
)
def test_worker_writes_a_row_for_an_unreadable_document(
    worker: Worker, tmp_path: Path, content: bytes, code: str
) -> None:
    (tmp_path / "a.xml").write_bytes(content)
    tables = run(worker, tmp_path)
    [row] = tables["documents"]
    assert (row["result"], row["rejection_code"], row["bytes"]) == ("unreadable", code, len(content))
    assert [finding["code"] for finding in tables["findings"]] == [code]


def test_worker_reads_members_and_limits_their_size(
    worker: Worker, stamped: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker._reader, "max_bytes", 10_000)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as file:
        for number, content in enumerate(stamped[1:]):
            file.writestr(f"{number}.xml", content)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("../../escape.xml", stamped[0])
        file.writestr("bomb.xml", b"<a>" + b" " * 20_000_000)
        file.writestr("i.zip", inner.getvalue())
    rows = run(worker, tmp_path)["documents"]
    assert [row["result"] for row in rows] == ["valid", "unreadable", *["valid"] * 5]
    assert rows[1]["rejection_code"] == "TB4001"
    assert [row["document_id"] for row in rows] == [*range(7)]
    assert rows[0]["source"] == f"{tmp_path}/a.zip!../../escape.xml"
    assert rows[2]["source"] == f"{tmp_path}/a.zip!i.zip!0.xml"


def test_worker_reads_the_cfdi_attached_to_a_pdf(worker: Worker, stamped: list[bytes], tmp_path: Path) -> None:
    root = DocumentParser().parse(stamped[0]).root
    printed, other = (pdf(reader().view(root), xml=stamped[0]), pdf(reader().view(root)))
    (tmp_path / "a.pdf").write_bytes(printed)
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as file:
        file.writestr("b.pdf", printed)
        file.writestr("c.pdf", other)
    rows = sorted(run(worker, tmp_path)["documents"], key=lambda row: str(row["source"]))
    assert [(row["result"], row["rejection_code"]) for row in rows] == [
        ("valid", None),
        ("valid", None),
        ("unreadable", "source-not-xml"),
    ]
    assert (rows[0]["total"], rows[0]["bytes"]) == (Decimal(root.get("Total", "")), len(printed))


def test_worker_continues_when_a_file_disappears(worker: Worker, stamped: list[bytes], tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(stamped[0])
    [task] = Planner().tasks([str(tmp_path)])
    (tmp_path / "a.xml").unlink()
    assert worker.run(task).counts == {"unreadable": 1, "valid": 1}


def test_worker_counts_every_document_of_an_archive_that_disappears(worker: Worker, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for number in range(3):
            file.writestr(f"{number}.xml", b"<a/>")
    [task] = Planner().tasks([str(tmp_path)])
    (tmp_path / "a.zip").unlink()
    assert worker.run(task).counts == {"unreadable": 3}


def test_worker_continues_after_an_unexpected_error(
    worker: Worker, stamped: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = ValidationService.validate_document

    async def failing(self: ValidationService, xml: bytes, *args: Any, **kwargs: Any) -> Any:
        if xml == stamped[0]:
            raise RecursionError
        return await original(self, xml, *args, **kwargs)

    monkeypatch.setattr(ValidationService, "validate_document", failing)
    for number in range(2):
        (tmp_path / f"{number}.xml").write_bytes(stamped[number])
    rows = run(worker, tmp_path)["documents"]
    assert [(row["result"], row["rejection_code"]) for row in rows] == [("unreadable", "CO1000"), ("valid", None)]
    assert rows[0]["sha256"] is not None


def test_worker_continues_after_a_metadata_file_at_which_the_program_fails(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("defect")

    monkeypatch.setattr("timbra.bulk.worker.read_metadata", fail)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("~".join(HEADINGS))
    sources = [row["source"] for row in run(worker, tmp_path)["metadata"]]
    assert sources == [f"{tmp_path}/a.txt", f"{tmp_path}/b.txt"]
    assert len(caplog.records) == 2


@pytest.mark.parametrize("name", ["factura", "nomina"])
def test_template_of_the_docs_is_stamped(sandbox_app: SandboxApp, name: str) -> None:
    template = JsonTemplate(TEMPLATES / f"{name}.json")
    reader = RecordReader(template)
    [task] = Planner(records=reader.count).tasks([str(TEMPLATES / f"{name}.csv")])
    with closing(reader):
        contents = [content for _, content in reader.documents(task)]
    assert len(contents) == 2
    for content in contents:
        assert isinstance(content, bytes)
        conversion = sandbox_app.container.get(stamping_services).json_documents.invoice(content)
        assert conversion.ignored_keys == ()
        assert sandbox_app.issue(conversion.xml).uuid


def test_worker_writes_a_row_for_a_document_at_which_the_program_fails(
    worker: Worker,
    stamped: list[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    validate = ValidationService.validate_document

    async def fail_once(service: ValidationService, content: bytes, *rest: Any, **options: Any) -> Any:
        if content == stamped[0]:
            raise KeyError("defect")
        return await validate(service, content, *rest, **options)

    monkeypatch.setattr(ValidationService, "validate_document", fail_once)
    for number in range(2):
        (tmp_path / f"{number}.xml").write_bytes(stamped[number])
    rows = run(worker, tmp_path)["documents"]
    assert [row["rejection_code"] for row in rows] == ["CO1000", None]
    assert [record.getMessage().rpartition("/")[2] for record in caplog.records] == ["0.xml"]

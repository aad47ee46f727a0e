"""Stamping of many documents: records, client and engine, with servers that a transport simulates."""

from __future__ import annotations

import csv
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import httpx2
import pyarrow.parquet as pq
import pytest
from tests.support.leading_space import LEADING

from timbra.bulk.plan import Planner
from timbra.bulk.reading import TaskReader
from timbra.bulk.result_folder import ResultFolder, RunDescription
from timbra.bulk.run import run_plan
from timbra.bulk.stamping.client import BACKOFF, StampClient
from timbra.bulk.stamping.engine import StampEngine
from timbra.bulk.stamping.records import JsonTemplate, RecordReader
from timbra.bulk.stamping.rejected import write_rejected
from timbra.core.errors import ServiceError

ATTEMPTS = 10
REASON = "Rechazo"

UUID = "0A1B2C3D-0000-4000-8000-{:012d}"
TEMPLATE = {
    "Folio": "{Folio}",
    "Serie": "{Serie}",
    "Conceptos": [{"Importe": "{Importe}", "Fija": ""}],
    "Exportacion": 1,
}


def stamped(number: int) -> str:
    return f'<c><tfd:TimbreFiscalDigital Version="1.1" UUID="{UUID.format(number)}"/></c>'


class Servers:
    """Nodes that stamp each document once; `fails` answers a request instead of them."""

    def __init__(self, fails: Callable[[httpx2.Request, int], httpx2.Response | None] = lambda *_: None) -> None:
        self._fails = fails
        self.requests: list[httpx2.Request] = []
        self.stamps: dict[str, int] = {}

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        failure = self._fails(request, len(self.requests))
        if failure is not None:
            return failure
        if b"reject" in request.content:
            message = {"message": "CFDI40160 - Uso.", "messageDetail": "detalle", "data": None, "status": "error"}
            return httpx2.Response(400, json=message)
        if request.url.path == "/pdf/v1/api/GeneratePdf":
            if UUID.format(1) in request.content.decode():
                return httpx2.Response(400, json={"message": "TB4005 - Plantilla.", "data": None, "status": "error"})
            pdf = {"contentB64": b64encode(b"%PDF").decode()}
            return httpx2.Response(200, json={"status": "success", "data": pdf})
        custom_id = request.headers["customid"]
        if custom_id in self.stamps:
            body = {"message": "307. Previo.", "data": {"cfdi": stamped(self.stamps[custom_id])}, "status": "error"}
            return httpx2.Response(400, json=body)
        number = self.stamps.setdefault(custom_id, len(self.stamps))
        return httpx2.Response(200, json={"status": "success", "data": {"cfdi": stamped(number)}})

    def client(self, waits: list[float] | None = None) -> StampClient:
        http = httpx2.Client(transport=httpx2.MockTransport(self.answer))
        sleep = (waits if waits is not None else []).append
        return StampClient(
            http, ["http://a/", "http://b"], sealed=False, sleep=sleep, backoff=replace(BACKOFF, spread=0.0)
        )


def test_stamp_client_counts_an_earlier_stamp_as_repeated() -> None:
    client = Servers().client()
    first, again, other = (client.stamp(content) for content in (b"<a/>", b"<a/>", b"<b/>"))
    assert (first.result, again.result, other.result) == ("stamped", "repeated", "stamped")
    assert first.uuid == again.uuid == UUID.format(0).lower()
    assert again.cfdi == first.cfdi
    assert first.custom_id == again.custom_id != other.custom_id


@pytest.mark.parametrize(
    "content", [b"<a/>", b'{"a": 1}', b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2"/>']
)
def test_stamp_client_recognizes_a_document_whatever_white_space_precedes_it(content: bytes) -> None:
    servers = Servers()
    client = servers.client()
    results = [client.stamp(before + content).result for before in LEADING]
    assert results == ["stamped", *["repeated"] * (len(LEADING) - 1)]
    assert len({request.url.path for request in servers.requests}) == 1


def test_stamp_client_spreads_requests_over_nodes_and_routes() -> None:
    servers = Servers()
    client = servers.client()
    retencion = b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2"/>'
    for content in (b"<a/>", b'{"Version": "4.0"}', retencion):
        client.stamp(content)
    assert [str(request.url) for request in servers.requests] == [
        "http://a/cfdi33/issue/v3",
        "http://b/v4/cfdi33/issue/json/v3",
        "http://a/retencion/issue/v3",
    ]


def failing(request: httpx2.Request, number: int) -> httpx2.Response | None:
    if number == 1:
        raise httpx2.ConnectError("refused")
    return httpx2.Response(503) if number == 2 else None


def test_stamp_client_repeats_a_request_without_an_answer_at_the_next_node() -> None:
    servers, waits = Servers(failing), list[float]()
    assert servers.client(waits).stamp(b"<a/>").result == "stamped"
    assert [request.url.host for request in servers.requests] == ["a", "b", "a"]
    assert waits == [0.2, 0.4]


@pytest.mark.parametrize(
    ("response", "requests"),
    [
        (httpx2.Response(503), ATTEMPTS),
        (httpx2.Response(401, json={"message": "El token debe contener 3 partes", "status": "error"}), 1),
        (httpx2.Response(400, json={"message": "AU2001 - Sin saldo.", "status": "error"}), 1),
        (httpx2.Response(200, text="<html>"), 1),
        (httpx2.Response(200, json=[]), 1),
    ],
    ids=["no answer", "token", "balance", "not a server", "not an object"],
)
def test_stamp_client_raises_for_what_would_reject_every_document(response: httpx2.Response, requests: int) -> None:
    servers = Servers(lambda *_: response)
    with pytest.raises(ServiceError, match="bulk-engine"):
        servers.client().stamp(b"<a/>")
    assert len(servers.requests) == requests


def test_stamp_engine_writes_stamps_rejected_documents_and_rows(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    contents = {"a.xml": b"<a/>", "b ñ:.xml": b"<reject/>", "c.xml": b"<c/>", "d.xml": b"<a/>", "e.zip": b"bad"}
    for name, content in contents.items():
        (tmp_path / "in" / name).write_bytes(content)
    out = tmp_path / "out"
    engine = StampEngine(Servers().client(), TaskReader(10), RecordReader(None), out, 2)
    with closing(engine):
        results = list(engine.run(Planner(2).tasks([str(tmp_path / "in")])))
    rows = [row for result in results for batch in result.batches["stamps"] for row in batch.to_pylist()]
    assert [row["document_id"] for row in rows] == [*range(5)]
    found = Counter(row["result"] for row in rows)
    assert found == {"stamped": 2, "repeated": 1, "rejected": 1, "unreadable": 1}
    assert sum((Counter(result.counts) for result in results), Counter()) == found
    [rejected] = [row for row in rows if row["result"] == "rejected"]
    assert (rejected["code"], rejected["detail"]) == ("CFDI40160", "detalle")
    assert (out / rejected["file"]).read_bytes() == b"<reject/>"
    assert rejected["file"].endswith("b_.xml")
    files = {row["file"] for row in rows if row["uuid"]}
    assert {path.relative_to(out).as_posix() for path in out.rglob("xml/*/*")} == files
    assert len(files) == 2


def test_stamp_engine_continues_after_a_document_at_which_the_program_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    send = StampClient.stamp

    def fail_once(client: StampClient, content: bytes) -> Any:
        if content == b"<b/>":
            raise KeyError("defect")
        return send(client, content)

    monkeypatch.setattr(StampClient, "stamp", fail_once)
    (tmp_path / "in").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "in" / f"{name}.xml").write_bytes(f"<{name}/>".encode())
    out = tmp_path / "out"
    with closing(StampEngine(Servers().client(), TaskReader(10), RecordReader(None), out, 2)) as engine:
        [result] = engine.run(Planner().tasks([str(tmp_path / "in")]))
    rows = result.batches["stamps"][0].to_pylist()
    assert [(row["result"], row["code"]) for row in rows] == [
        ("stamped", None),
        ("rejected", "CO1000"),
        ("stamped", None),
    ]
    assert (out / rows[1]["file"]).read_bytes() == b"<b/>"
    assert [record.exc_info is not None for record in caplog.records if record.name == "timbra.documents"] == [True]


def test_stamp_engine_writes_one_stamp_of_equal_documents_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_written = Barrier(2)
    monkeypatch.setattr("timbra.bulk.stamping.engine.os.fsync", lambda _: both_written.wait(30))
    (tmp_path / "in").mkdir()
    for name in ("a.xml", "b.xml"):
        (tmp_path / "in" / name).write_bytes(b"<a/>")
    out = tmp_path / "out"
    with closing(StampEngine(Servers().client(), TaskReader(10), RecordReader(None), out, 2)) as engine:
        [result] = engine.run(Planner().tasks([str(tmp_path / "in")]))
    assert result.counts == {"stamped": 1, "repeated": 1}
    assert [path.read_text() for path in out.rglob("xml/*/*")] == [stamped(0)]


def test_record_reader_fills_a_template_with_the_rows_of_a_csv(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(TEMPLATE))
    lines = ["Folio,Importe,Serie", '1,"1,5",A', "2,2,", '3,"x\ny",B']
    (tmp_path / "a.csv").write_text("\ufeff" + "\n".join(lines), "utf-8")
    reader = RecordReader(JsonTemplate(tmp_path / "t.json"))
    tasks = list(Planner(2, reader.count).tasks([str(tmp_path / "a.csv")]))
    assert [(task.start, task.stop) for task in tasks] == [(0, 2), (2, 3)]
    with closing(reader):
        found = [(name, text) for task in tasks for name, text in reader.documents(task)]
    concepts = [[{"Importe": value, "Fija": ""}] for value in ("1,5", "2", "x\ny")]
    assert [name.rpartition(":")[2] for name, _ in found] == ["1", "2", "3"]
    assert [json.loads(text) for _, text in found if isinstance(text, bytes)] == [
        {"Folio": "1", "Serie": "A", "Conceptos": concepts[0], "Exportacion": 1},
        {"Folio": "2", "Conceptos": concepts[1], "Exportacion": 1},
        {"Folio": "3", "Serie": "B", "Conceptos": concepts[2], "Exportacion": 1},
    ]


def test_json_template_leaves_out_objects_whose_placeholders_are_empty(tmp_path: Path) -> None:
    deductions = {"Total": "{ISR}", "Deduccion": [{"Clave": "002", "Importe": "{ISR}"}, {"Importe": "{IMSS}"}]}
    document = {"Deducciones": deductions, "Fijo": {"a": "1"}, "Lista": [], "Folio": "{Folio}"}
    (tmp_path / "t.json").write_text(json.dumps(document))
    template, fixed = JsonTemplate(tmp_path / "t.json"), {"Fijo": {"a": "1"}, "Lista": []}
    without = json.loads(template.fill({"ISR": "", "IMSS": " ", "Folio": "1"}))
    assert without == {**fixed, "Folio": "1"}
    one = json.loads(template.fill({"ISR": "5", "IMSS": "", "Folio": ""}))
    assert one == {**fixed, "Deducciones": {"Total": "5", "Deduccion": [{"Clave": "002", "Importe": "5"}]}}
    assert json.loads(template.fill({"ISR": "", "IMSS": "", "Folio": ""})) == {}


def test_record_reader_reports_a_missing_column_for_each_row(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(TEMPLATE))
    (tmp_path / "a.csv").write_text("Folio\n1\n")
    reader = RecordReader(JsonTemplate(tmp_path / "t.json"))
    [task] = Planner(2, reader.count).tasks([str(tmp_path / "a.csv")])
    with closing(reader):
        [(_, error)] = reader.documents(task)
    assert isinstance(error, ServiceError)
    assert "Serie" in str(error)


def test_record_reader_starts_in_the_middle_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(b'{"n": %d}' % n for n in range(5)) + b"\n\n")
    reader = RecordReader(None)
    *_, last = Planner(2, reader.count).tasks([str(tmp_path / "a.jsonl")])
    with closing(reader):
        assert [content for _, content in reader.documents(last)] == [b'{"n": 4}']
        assert [content for _, content in reader.documents(last)] == [b'{"n": 4}']


def test_planner_counts_a_csv_without_template_as_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    [task] = Planner(2, RecordReader(None).count).tasks([str(tmp_path)])
    assert "--template" in task.reason


def stamp_all(
    sources: list[Path], out: Path, template: JsonTemplate | None = None, *, is_printed: bool = False
) -> ResultFolder:
    """Stamp sources into a new result folder."""
    results, records = ResultFolder(str(out)), RecordReader(template)
    results.create(RunDescription("stamp", 1, "", "", tuple(map(str, sources)), {}), Planner(2, records.count))
    client = Servers().client()
    engine = StampEngine(client, TaskReader(100_000), RecordReader(template), out, 2, is_printed=is_printed)
    run_plan(results, engine.write, lambda _: None)
    return results


def rows_of(results: ResultFolder) -> list[dict[str, Any]]:
    return [row for file in results.files("stamps") for row in pq.read_table(file).to_pylist()]


def read_csv(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as text:
        return list(csv.DictReader(text))


def test_stamp_engine_prints_stamped_documents(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(2):
        (tmp_path / "in" / f"{number}.xml").write_bytes(b"<a%d/>" % number)
    results = stamp_all([tmp_path / "in"], tmp_path / "out", is_printed=True)
    printed, failed = sorted(rows_of(results), key=lambda row: str(row["uuid"]))
    assert Path(results.location, printed["pdf"]).read_bytes() == b"%PDF"
    assert printed["pdf"] == f"pdf/{printed['uuid'][:2]}/{printed['uuid']}.pdf"
    assert (failed["result"], failed["pdf"], failed["code"]) == ("stamped", None, "TB4005")
    assert results.count_null("stamps", "pdf", "uuid") == 1


def test_write_rejected_lists_documents_and_rows_that_are_corrected_and_stamped(tmp_path: Path) -> None:
    template = tmp_path / "t.json"
    template.write_text(json.dumps({"Folio": "{Folio}", "Uso": "{Uso}"}))
    (tmp_path / "in").mkdir()
    rows = ["Folio,Uso,Nota", *(f'{n},{"reject" if n in (2, 5) else "G03"},"=ñ, {n}"' for n in range(6))]
    (tmp_path / "in" / "a.csv").write_text("\n".join(rows), "utf-8")
    (tmp_path / "in" / "b.xml").write_bytes(b"<reject/>")
    (tmp_path / "in" / "c.json").write_bytes(b'{\n"n": "reject"}')
    results = stamp_all([tmp_path / "in"], tmp_path / "out", JsonTemplate(template))
    assert write_rejected(results) == 4
    listed = read_csv(Path(results.location, "rejected.csv"))
    assert [row["source"].rpartition("/")[2] for row in listed] == ["a.csv:3", "a.csv:6", "b.xml", "c.json"]
    assert {row["code"] for row in listed} == {"CFDI40160"}
    [table] = {row["file"] for row in listed[:2]}
    corrected = read_csv(Path(results.location, table))
    assert [row["Nota"] for row in corrected] == ["=ñ, 2", "=ñ, 5"]
    assert corrected[0][REASON] == "CFDI40160 - Uso. detalle"
    for file in Path(results.location, "rejected").iterdir():
        file.write_bytes(file.read_bytes().replace(b"reject", b"G03"))
    again = stamp_all([Path(results.location, "rejected")], tmp_path / "again", JsonTemplate(template))
    assert Counter(row["result"] for row in rows_of(again)) == {"stamped": 4}
    assert write_rejected(again) == 0
    assert not Path(again.location, "rejected.csv").exists()

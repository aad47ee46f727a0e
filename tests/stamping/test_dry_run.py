"""`?dry_run=true` on every route that stamps: the answer of a stamp, and no trace of it in the database."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text
from tests.support.asgi import Answer, application, call, upload
from tests.support.fake_services import FakeServices
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.accounts.build import account_services
from timbra.core.caller import Caller
from timbra.database.build import opened_database
from timbra.examples import ingreso
from timbra.examples.retenciones20 import retencion
from timbra.sandbox.build import flush_buffers, sandbox_services
from timbra.stamping import processes
from timbra.stamping.large_documents import LargeStampRequest
from timbra.stamping.models import StampRequest

NIL = "00000000-0000-0000-0000-000000000000"
VERSIONS = ("v1", "v2", "v3", "v4")


class DryClient:
    """A client of a sandbox with a CSD and a limited balance."""

    def __init__(self, data: Path) -> None:
        self.app = SandboxApp(data, inspector="off")
        self.credential = self.app.mint()
        self.app.store(self.credential)
        services = self.app.container.get(account_services)
        services.balances.set_unlimited(self.app.caller.account_id, False)
        services.balances.add(self.app.caller.account_id, 5, "")
        self.token = services.accounts.create_infinite_token("ana@example.com")
        self.asgi = application(self.app.container)

    def send(self, path: str, xml: bytes, *, dry: bool = True, **headers: str) -> Answer:
        path, _, query = path.partition("?")
        if "json" in path:
            sent, body = {"Content-Type": "application/json"}, orjson.dumps({"data": xml.decode()})
        else:
            sent, body = upload(b64encode(xml) if "b64" in path else xml)
        sent |= {"Authorization": f"Bearer {self.token}", **headers}
        return call(self.asgi, "POST", path, headers=sent, body=body, query=query or ("dry_run=true" if dry else ""))

    def document(self, path: str, folio: str = "1") -> bytes:
        kind = retencion({"@FolioInt": folio}, fecha=FECHA) if "retencion" in path else None
        written = kind or ingreso({"@Folio": folio}, fecha=FECHA)
        is_sealed = "/stamp/" in path
        return self.app.sealed(written, self.credential) if is_sealed else written.encode()

    def contents(self) -> dict[str, list[Any]]:
        """Return the rows of every table, after what is buffered was written."""
        flush_buffers(self.app.container)
        with self.app.container.get(opened_database).read() as connection:
            names = connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars().all()
            kept = [
                name for name in names if name not in ("api_call", "api_call_dropped", "cache_version", "sqlite_stat1")
            ]
            return {name: [tuple(row) for row in connection.execute(text(f'SELECT * FROM "{name}"'))] for name in kept}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DryClient]:
    made = DryClient(tmp_path_factory.mktemp("dry") / "data")
    yield made
    made.app.container.close()


ROUTES = [
    *(f"/cfdi33/{operation}/{version}" for operation in ("stamp", "issue") for version in VERSIONS),
    *(f"/v4/cfdi33/issue/json/{version}" for version in VERSIONS),
    *(f"/cfdi33/stamp/{version}/b64" for version in VERSIONS),
    *(f"/retencion/stamp/{version}" for version in VERSIONS),
    *(f"/v4/retencion/issue/{version}" for version in VERSIONS),
    "/retencion/issue/json/v3",
    "/v3/cfdi33/stamp/v2",
    "/cfdi33/v2/issue/v4",
]


@pytest.mark.parametrize("path", ROUTES)
def test_dry_run_answers_as_a_stamp_and_stores_nothing(client: DryClient, path: str) -> None:
    xml, before = client.document(path), client.contents()
    answer = client.send(path, xml)
    assert client.contents() == before
    assert (answer.status, answer.headers["x-timbra-dry-run"]) == (200, "true")
    data = answer.json["data"]
    assert data.get("uuid", NIL) == NIL
    assert data.get("tfd", "") == ""
    assert (data.get("selloSAT", ""), data.get("cadenaOriginalSAT", ""), data.get("qrCode", "")) == ("", "", "")
    document = data.get("retencion") or data.get("cfdi") or ""
    if document:
        written = b64decode(document) if "b64" in path else document.encode()
        assert b"TimbreFiscalDigital" not in written
        assert b'Sello="' in written


@pytest.mark.parametrize(
    "path", ["/cfdi33/issue/v4", "/cfdi33/stamp/v1", "/retencion/issue/v3", "/cfdi33/issue/json/v4"]
)
def test_dry_run_has_the_members_and_the_seal_of_the_stamp_that_follows(tmp_path: Path, path: str) -> None:
    client = DryClient(tmp_path / "data")
    xml = client.document(path)
    dry, real = client.send(path, xml), client.send(path, xml, dry=False)
    assert (dry.status, real.status) == (200, 200)
    assert list(dry.json["data"]) == list(real.json["data"])
    assert "x-timbra-dry-run" not in real.headers
    for name in ("noCertificadoSAT", "noCertificadoCFDI", "selloCFDI", "fechaTimbrado"):
        assert dry.json["data"].get(name) == real.json["data"].get(name)
    repeated = client.send(path, xml)
    assert repeated.json["message"].partition(".")[0].lstrip("T") == "307"
    assert repeated.json["data"] == real.json["data"], "the earlier stamp"
    assert repeated.headers["x-timbra-dry-run"] == "true"
    client.app.container.close()


REJECTIONS: dict[str, Callable[[DryClient], bytes]] = {
    "301": lambda client: b"<cfdi:Comprobante/>",
    "CFDI40102": lambda client: client.document("/stamp/").replace(b'Folio="1"', b'Folio="2"'),
    "xml-missing": lambda client: b" ",
}


@pytest.mark.parametrize("name", REJECTIONS)
def test_dry_run_is_rejected_as_the_stamp_and_logs_nothing(client: DryClient, name: str) -> None:
    xml, before = REJECTIONS[name](client), client.contents()
    dry = client.send("/cfdi33/stamp/v4", xml)
    assert client.contents() == before
    real = client.send("/cfdi33/stamp/v4", xml, dry=False)
    assert (dry.status, dry.json) == (real.status, real.json)
    assert client.contents() != before, "the real rejection is logged"


def test_dry_run_finds_a_taken_customid_and_an_empty_balance(tmp_path: Path) -> None:
    client = DryClient(tmp_path / "data")
    path = "/v4/cfdi33/issue/v4"
    assert client.send(path, client.document(path), dry=False, customid="a").status == 200
    other = client.document(path, "2")
    dry, real = client.send(path, other, customid="a"), client.send(path, other, dry=False, customid="a")
    assert dry.json == real.json
    assert real.json["message"].startswith("CFDI3307")
    balances = client.app.container.get(account_services).balances
    balances.remove(client.app.caller.account_id, 4, "")
    dry, real = client.send(path, other), client.send(path, other, dry=False)
    assert dry.json == real.json
    assert real.json["message"].startswith("AU2001")
    client.app.container.close()


@pytest.mark.parametrize("value", ["yes", "si", "truee", "", "2"])
def test_dry_run_with_another_value_is_rejected(client: DryClient, value: str) -> None:
    before = client.contents()["stamp"]
    answer = client.send(f"/cfdi33/issue/v4?dry_run={value}", client.document("/issue/", "9"))
    assert client.contents()["stamp"] == before
    assert (answer.status, answer.json["message"][:6]) == (400, "TB4005")


def test_dry_run_ignores_the_fault_that_loses_answers(client: DryClient) -> None:
    client.app.container.get(sandbox_services).faults.set("answer-lost", 1)
    assert client.send("/cfdi33/issue/v4", client.document("/issue/")).status == 200
    client.app.container.get(sandbox_services).faults.clear()


def test_dry_run_of_a_large_document_is_passed_to_its_service() -> None:
    fakes = FakeServices()
    headers, body = upload(b"PK")
    dry = call(fakes.app(), "POST", "/cfdi/stamp/v1/zip", headers=headers, body=body, query="dry_run=true")
    real = call(fakes.app(), "POST", "/cfdi/stamp/v1/zip", headers=headers, body=body)
    assert fakes.stamping_services.large.dry_runs == [True, False]
    assert (dry.headers["x-timbra-dry-run"], "x-timbra-dry-run" in real.headers) == ("true", False)


def test_dry_run_of_a_large_document_reaches_the_order_of_the_child(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    orders: list[StampRequest] = []
    monkeypatch.setattr(processes, "unpack", lambda *_: b"<a/>")
    monkeypatch.setattr(processes, "check_size", lambda _: None)
    monkeypatch.setattr(processes, "stamp_in_child", lambda _groups, order, _operation: orders.append(order))
    (tmp_path / "a.zip").write_bytes(b"")
    for dry_run in (True, False):
        request = LargeStampRequest(Caller(1, "ana", "account"), tmp_path / "a.zip", 0, "r", None, dry_run)
        processes.stamp_archive_in_child({}, request, 10)
    assert [order.dry_run for order in orders] == [True, False]

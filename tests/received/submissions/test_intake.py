"""Documents that are added from files, by the API and in the portal: stored once, or rejected with a reason."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.received.submissions.conftest import archive, written
from tests.support.asgi import Answer, application, call
from tests.support.browser import Visitor
from tests.support.hostile_archives import overlapping
from tests.support.sandbox_app import SandboxApp
from typer.testing import CliRunner

from timbra.accounts.build import account_services
from timbra.cli.main import app as command
from timbra.database.build import opened_database
from timbra.database.tables.audit import AUDIT_EVENT
from timbra.documents.build import document_services
from timbra.received.build import document_store
from timbra.received.documents.models import DocumentFilter, ReceivedDocument

PATH = "/received/documents"


def stored(app: SandboxApp) -> list[ReceivedDocument]:
    account = app.caller.account_id
    return sorted(
        app.container.get(document_store).lists.page(account, DocumentFilter()).documents, key=lambda each: each.id
    )


def request(app: SandboxApp, method: str, path: str, body: bytes = b"", kind: str = "", query: str = "") -> Answer:
    token = account_services(app.container).accounts.create_infinite_token("ana@example.com")
    headers = {"Authorization": f"bearer {token}", "Content-Type": kind or "multipart/form-data; boundary=b1"}
    return call(application(app.container), method, path, headers=headers, body=body, query=query)


def multipart(files: dict[str, bytes]) -> bytes:
    parts = [f'name="file"; filename="{name}"\r\n\r\n'.encode() + each for name, each in files.items()]
    return b"".join(b"--b1\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + b"--b1--\r\n"


def outcomes(answer: Answer) -> list[tuple[str, str]]:
    return [(each["name"], each["outcome"]) for each in answer.json["data"]["files"]]


def test_command_adds_a_folder_once_and_says_why_it_rejects(
    app: SandboxApp, documents: dict[str, bytes], tmp_path: Path
) -> None:
    printed = app.container.get(document_services).printing.print(documents["dos.xml"]).pdf
    unstamped = documents["uno.xml"].partition(b"<cfdi:Complemento>")
    files = {
        "uno.xml": documents["uno.xml"],
        "b.zip": archive({"otro.xml": documents["otro.xml"], "x.doc": b"x"}),
        "c.pdf": printed,
        "mal.xml": documents["mal.xml"],
        "roto.zip": b"PK\x03\x04",
        "sin.xml": unstamped[0] + b"</cfdi:Comprobante>",
        "nota.txt": b"hola",
    }
    folder = written(tmp_path, files)
    order = ["received", "add", "--account", "ana@example.com", "--data", str(app.container.settings.data), str(folder)]
    runner = CliRunner()
    first = runner.invoke(command, [*order, "--json"])
    lines = [json.loads(line) for line in first.stdout.splitlines()]

    assert first.exit_code == 1
    assert {Path(line["name"]).name: line["outcome"] for line in lines} == {
        "b.zip!otro.xml": "new",
        "c.pdf": "new",
        "mal.xml": "new",
        "roto.zip": "rejected",
        "sin.xml": "rejected",
        "uno.xml": "new",
    }
    assert {line["result"] for line in lines if line["name"].endswith("/mal.xml")} == {"invalid"}
    assert "sin.xml: El comprobante debe llevar un timbre fiscal digital." in first.stderr
    assert runner.invoke(command, order).stdout == "known\t4\nrejected\t2\n"
    assert [each.source for each in stored(app)] == ["file"] * 4
    with app.container.get(opened_database).read() as connection:
        query = select(AUDIT_EVENT.c.body).where(AUDIT_EVENT.c.kind == "received.added")
        assert [json.loads(body) for body in connection.execute(query).scalars()] == [{"source": "file", "new": 4}]


def test_command_rejects_documents_of_other_parties(
    app: SandboxApp, documents: dict[str, bytes], tmp_path: Path
) -> None:
    order = ["received", "add", "--account", "ana@example.com", "--data", str(app.container.settings.data)]
    written(tmp_path, {"uno.xml": documents["uno.xml"]})
    answer = CliRunner().invoke(command, [*order, "--rfc", "AAA010101AAA", str(tmp_path)])
    assert (answer.exit_code, answer.stdout) == (1, "rejected\t1\n")
    assert "Ni el emisor ni el receptor" in answer.stderr


def test_api_answers_what_became_of_each_file(app: SandboxApp, documents: dict[str, bytes]) -> None:
    files = {
        "uno.xml": documents["uno.xml"],
        "basura.xml": b"hola",
        "z.zip": archive({"dos.xml": documents["dos.xml"]}),
    }
    answer = request(app, "POST", PATH, multipart(files))
    again = request(app, "POST", PATH, multipart(files))
    listed = [{"name": name, "data": b64encode(content).decode()} for name, content in files.items()]
    by_json = request(app, "POST", PATH, json.dumps({"files": listed}).encode(), "application/json")

    assert (answer.status, answer.json["status"]) == (200, "success")
    assert outcomes(answer) == [("uno.xml", "new"), ("basura.xml", "rejected"), ("z.zip!dos.xml", "new")]
    assert outcomes(again) == outcomes(by_json)
    assert outcomes(again) == [("uno.xml", "known"), ("basura.xml", "rejected"), ("z.zip!dos.xml", "known")]
    data = again.json["data"]
    assert [data[name] for name in ("new", "known", "replaced", "different", "rejected")] == [0, 2, 0, 0, 1]
    assert data["files"][1]["reasons"][0]["message"] != ""
    assert request(app, "POST", PATH, multipart({}), query="").status == 400
    assert request(app, "POST", PATH, multipart(files), query="rfc=x").status == 400


@pytest.mark.parametrize("name", ["uno.zip", "uno.xml"])
def test_api_rejects_a_hostile_archive(app: SandboxApp, name: str) -> None:
    answer = request(app, "POST", PATH, multipart({name: overlapping()}))
    assert outcomes(answer) == [(name, "rejected")]
    assert "se enciman" in answer.json["data"]["files"][0]["reasons"][0]["message"]


def test_portal_keeps_documents_only_when_asked(app: SandboxApp, documents: dict[str, bytes]) -> None:
    visitor = Visitor(app)
    visitor.sign_in("ana@example.com")
    files = [("archivos", ("uno.xml", documents["uno.xml"])), ("archivos", ("basura.xml", b"hola"))]
    for fields, sources in (({}, []), ({"guardar": "yes"}, ["portal"])):
        visitor.get("/portal/proveedores")
        answer = visitor.post("/portal/proveedores", {"status": "yes", **fields}, files=files)
        visitor.get(answer.headers["location"])
        assert ("Entre los recibidos hay 1 de estos documentos." in visitor.text) is bool(fields)
        assert [each.source for each in stored(app)] == sources

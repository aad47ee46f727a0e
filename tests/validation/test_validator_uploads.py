"""Many documents on the validator page: archives, folders, PDF, exports, errors of the form, bounds."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import pytest
from python_calamine import CalamineWorkbook
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra import examples
from timbra.core.errors import ServiceError
from timbra.documents.build import document_services
from timbra.validation import uploads
from timbra.validation.uploads import ChosenFile, documents_of

File = tuple[str, tuple[str, bytes]]


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


@pytest.fixture(scope="module")
def good(sandbox_app: SandboxApp) -> bytes:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app.issue(examples.ingreso(fecha=FECHA).encode()).cfdi.encode()


def archive(**members: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name.replace("_", "."), content)
    return written.getvalue()


def sent(visitor: Visitor, files: list[File], **fields: str) -> tuple[int, bytes]:
    visitor.get("/validador")
    answer = visitor.post("/validador", fields, files=files)
    return answer.status_code, answer.content


def rows(visitor: Visitor) -> list[list[str]]:
    assert visitor.page is not None
    found = visitor.page.xpath("//table[contains(@class, 'summary')]/tbody/tr")
    return [[row.get("data-state"), *(row.xpath(f"normalize-space(td[{n}])") for n in (1, 2))] for row in found]


def test_validator_reads_archives_folders_and_pdf(visitor: Visitor, sandbox_app: SandboxApp, good: bytes) -> None:
    printed = sandbox_app.container.get(document_services).printing.print(good).pdf
    wrong = with_attribute(good, "SubTotal", "7.77")
    files: list[File] = [
        ("xml", ("a.pdf", printed)),
        ("xml", ("b.zip", archive(c_xml=wrong, d_txt=b"texto", e_pdf=printed))),
        ("xml", ("f.zip", b"PK\x03\x04")),
        ("xml", ("g.pdf", b"%PDF-1.7")),
        ("carpeta", ("2026/h.xml", good)),
        ("carpeta", ("2026/foto.jpg", b"\xff\xd8\xff")),
    ]

    assert sent(visitor, files)[0] == 200
    assert rows(visitor) == [
        ["valid", "a.pdf", "sin errores PDF"],
        ["wrong", "b.zip!c.xml", "con errores"],
        ["valid", "b.zip!e.pdf", "sin errores PDF"],
        ["wrong", "f.zip", "no es un CFDI"],
        ["wrong", "g.pdf", "no es un CFDI"],
        ["valid", "2026/h.xml", "sin errores"],
    ]
    assert "Todos (6) Con errores (3) Sin errores (3)" in visitor.text
    assert "Se omitieron 2 archivos que no son XML ni PDF" in visitor.text
    assert "Es un PDF: se validó el CFDI que lleva adjunto. El total impreso es el del CFDI." in visitor.text


def test_validator_says_in_spanish_that_a_pdf_has_no_cfdi(visitor: Visitor) -> None:
    from pypdf import PdfWriter

    blank = io.BytesIO()
    PdfWriter().write(blank)
    sent(visitor, [("xml", ("a.pdf", blank.getvalue()))])

    assert "PDF sin CFDI" in visitor.text
    assert "Esto es un PDF sin un CFDI adjunto; indique el XML." in visitor.text


def test_options_survive_an_error_of_the_form(visitor: Visitor) -> None:
    status, _ = sent(visitor, [("carpeta", ("2026/foto.jpg", b"\xff\xd8\xff"))], require_stamp="yes")

    assert status == 422
    assert "La carpeta o el archivo ZIP no tiene documentos XML ni PDF." in visitor.text
    assert visitor.page is not None
    checked = visitor.page.xpath("//input[@type='checkbox'][@checked]/@name")
    assert checked == ["require_stamp"]


def test_validator_sends_the_results_as_files(visitor: Visitor, good: bytes) -> None:
    files: list[File] = [
        ("xml", ("a.xml", good)),
        ("xml", ("b.xml", with_attribute(good, "SubTotal", "7.77"))),
        ("xml", ("c.xml", b"<no")),
    ]
    contents = {
        name: sent(visitor, files, formato=name)[1]
        for name in ("documentos.csv", "hallazgos.csv", "resultados.xlsx", "resultados.json")
    }

    documents, findings = (
        [*csv.DictReader(contents[name].decode("utf-8-sig").splitlines())]
        for name in ("documentos.csv", "hallazgos.csv")
    )
    assert [(row["source"], row["result"]) for row in documents] == [
        ("a.xml", "valid"),
        ("b.xml", "invalid"),
        ("c.xml", "unreadable"),
    ]
    assert {row["document_id"] for row in findings} == {"1", "2"}
    book = CalamineWorkbook.from_filelike(io.BytesIO(contents["resultados.xlsx"]))
    assert [len(book.get_sheet_by_name(name).to_python()) for name in ("documents", "findings")] == [
        len(documents) + 1,
        len(findings) + 1,
    ]
    reports = json.loads(contents["resultados.json"])
    assert [(each["file"], each.get("wrong")) for each in reports] == [
        ("a.xml", False),
        ("b.xml", True),
        ("c.xml", None),
    ]


def test_page_of_many_documents_has_their_findings_alone(visitor: Visitor, good: bytes) -> None:
    wrong = with_attribute(good, "SubTotal", "7.77")
    members = {f"{number:03d}_xml": wrong for number in range(60)}
    status, content = sent(visitor, [("xml", ("a.zip", archive(**members)))])

    assert (status, len(rows(visitor))) == (200, 60)
    assert len(content) < 60 * 10_000
    assert visitor.text.count("CFDI40108") >= 60
    assert visitor.page is not None
    assert visitor.page.xpath("//article[@class='invoice']") == []


def test_documents_of_an_upload_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_UNPACKED_BYTES", 1_000)
    large = documents_of(
        [ChosenFile("a.zip", archive(b_xml=b" " * 600)), ChosenFile("c.zip", archive(d_xml=b" " * 600))]
    )
    assert [each.name for each in large.documents] == ["a.zip!b.xml", "c.zip"]
    assert "su contenido pasa de 400 bytes" in str(large.documents[1].rejection)

    monkeypatch.setattr(uploads, "MAX_DOCUMENTS", 1)
    with pytest.raises(ServiceError, match="TB4005"):
        documents_of([ChosenFile("a.xml", b"<a/>"), ChosenFile("b.xml", b"<a/>")])

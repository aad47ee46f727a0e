"""`timbra validate` with files, folders, archives and standard input; text and JSON output."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter
from tests.rendering.rendered import reader
from tests.support.cached_keys import other_keys
from tests.support.comprobante32 import cfd22, comprobante32, sealed32, stamped32
from tests.support.hostile_archives import HOSTILE, SYSTEM_NAMES, with_system_files
from tests.support.leading_space import LEADING
from tests.support.retenciones10 import retencion10, sealed10, stamped10
from tests.support.sandbox_app import FECHA, NOW, SandboxApp, with_attribute, without_attribute
from typer.testing import CliRunner, Result

from timbra import examples
from timbra.cfdi.document import DocumentParser
from timbra.cli.main import app
from timbra.console.sources import DocumentReader, DocumentSource, list_sources
from timbra.container.build import data_folder
from timbra.core.errors import ServiceError
from timbra.documents.build import document_services
from timbra.rendering.pdf import pdf
from timbra.sandbox.build import sandbox_services
from timbra.stamping.models import DocumentKind
from timbra.validation.build import validation_services
from timbra.validation.folders import BatchOptions, BatchValidator
from timbra.validation.validation import ValidationService


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def valid(sandbox_app: SandboxApp) -> bytes:
    return sandbox_app.issue(examples.ingreso(fecha=FECHA).encode()).cfdi.encode()


@pytest.fixture(scope="module")
def invalid(valid: bytes) -> bytes:
    """The valid document with another SubTotal: seal and sums are invalid."""
    return valid.replace(b'SubTotal="', b'SubTotal="1')


def run(sandbox_app: SandboxApp, *arguments: object, **given: object) -> Result:
    command = ["validate", *map(str, arguments), "--data", str(sandbox_app.container.get(data_folder))]
    return CliRunner().invoke(app, command, env={"TIMBRA_CLOCK": NOW, "COLUMNS": "200"}, **given)  # type: ignore[arg-type]


def write_archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return path


def test_validate_exits_with_0_for_a_valid_document(sandbox_app: SandboxApp, valid: bytes, tmp_path: Path) -> None:
    (tmp_path / "valid.xml").write_bytes(valid)
    result = run(sandbox_app, tmp_path / "valid.xml")

    assert result.exit_code == 0, result.output
    assert "✓" in result.output


def test_validate_reads_the_cfdi_attached_to_a_pdf(sandbox_app: SandboxApp, valid: bytes, tmp_path: Path) -> None:
    printing, other = sandbox_app.container.get(document_services).printing, valid.replace(b'Total="', b'Total="1')
    (tmp_path / "a.pdf").write_bytes(printing.print(valid).pdf)
    changed = pdf(reader().view(DocumentParser().parse(other).root), xml=valid)
    (tmp_path / "b.pdf").write_bytes(changed)
    blank = io.BytesIO()
    PdfWriter().write(blank)
    (tmp_path / "c.pdf").write_bytes(blank.getvalue())
    result = run(sandbox_app, *sorted(tmp_path.glob("*.pdf")), "--json")
    same, wrong, without = map(json.loads, result.stdout.splitlines())

    assert (same["findings"], same["uuid"], same["total"]) == ([], wrong["uuid"], "232.00")
    [finding] = wrong["findings"]
    assert (finding["code"], finding["found"], finding["expected"]) == ("TOTAL-IMPRESO", "1,232.00", "232.00")
    sentence = "This is a PDF without an attached CFDI; give the XML."
    assert (without["error"]["code"], without["error"]["detail"]) == ("source-not-xml", sentence)
    assert "Esto es un PDF sin un CFDI adjunto" in run(sandbox_app, tmp_path / "c.pdf", "--lang", "es").output


def test_validate_reads_pdf_of_folders_and_archives_unless_their_xml_is_there(
    sandbox_app: SandboxApp, valid: bytes, tmp_path: Path
) -> None:
    printed = sandbox_app.container.get(document_services).printing.print(valid).pdf
    (tmp_path / "2026").mkdir()
    for name, content in {"a.pdf": printed, "2026/b.XML": valid, "2026/b.pdf": printed, "c.pdf": b"%PDF-1.7"}.items():
        (tmp_path / name).write_bytes(content)
    write_archive(tmp_path / "z.zip", {"d.pdf": printed, "e.xml": valid, "e.PDF": printed})

    for workers in ("1", "2"):
        result = run(sandbox_app, tmp_path, "--json", "--workers", workers)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        found = [(line["file"].rpartition("/")[2], line.get("error", {}).get("code")) for line in lines]
        expected = [("b.XML", None), ("a.pdf", None), ("c.pdf", "source-unreadable")]
        assert found == [*expected, ("z.zip!d.pdf", None), ("z.zip!e.xml", None)]


def test_validate_reports_on_cfdi_and_retenciones_of_one_folder(
    sandbox_app: SandboxApp, valid: bytes, tmp_path: Path
) -> None:
    text = examples.retencion(fecha=FECHA)
    retencion = sandbox_app.issue(text.encode(), kind=DocumentKind.RETENCIONES).cfdi.encode()
    old = b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.1"/>'
    members = {"a.xml": valid, "b.xml": retencion, "c.xml": retencion.replace(b'"01"', b'"02"', 1), "d.xml": old}
    write_archive(tmp_path / "in.zip", members)
    (tmp_path / "e.xml").write_bytes(retencion)
    result = run(sandbox_app, tmp_path, "--json")
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    codes = {Path(report["file"]).name: [each["code"] for each in report.get("findings", [])] for report in reports}
    assert result.exit_code == 1
    assert (codes["in.zip!a.xml"], codes["in.zip!b.xml"], codes["e.xml"]) == ([], [], [])
    assert "Reten20101" in codes["in.zip!c.xml"]
    assert "T301" in json.dumps([report for report in reports if report["file"].endswith("d.xml")])


def test_validate_reads_a_folder_of_documents_with_white_space_before_their_roots(
    sandbox_app: SandboxApp, valid: bytes, tmp_path: Path
) -> None:
    content = valid[valid.index(b"<cfdi:Comprobante") :]
    for number, before in enumerate(LEADING):
        (tmp_path / f"{number}.xml").write_bytes(before + content)
    result = run(sandbox_app, tmp_path, "--json")
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    assert [report["findings"] for report in reports] == [[]] * len(LEADING)
    assert {report["uuid"] for report in reports} == {reports[0]["uuid"]}
    assert result.exit_code == 0


def test_validate_reports_on_retenciones_10(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    valid = stamped10(sealed10(retencion10(), sandbox_app.mint()), provider)
    documents = {
        "valid": (valid, []),
        "seal": (with_attribute(valid, "Sello", "AAAA"), ["T302", "TFD-SELLO-CFD"]),
        "amount": (with_attribute(valid, "montoTotRet", "1.00"), ["T302"]),
        "missing": (without_attribute(valid, "CveRetenc"), ["T301", "T302"]),
        "key": (with_attribute(valid, "CveRetenc", "99"), ["T301", "T302"]),
    }
    for name, (xml, _) in documents.items():
        (tmp_path / f"{name}.xml").write_bytes(xml)
    result = run(sandbox_app, tmp_path, "--json")
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    codes = {Path(report["file"]).stem: [each["code"] for each in report["findings"]] for report in reports}
    assert codes == {name: expected for name, (_, expected) in documents.items()}
    assert result.exit_code == 1
    assert run(sandbox_app, tmp_path / "valid.xml", "--strict").exit_code == 0


def test_validate_reports_on_a_folder_with_cfdi_32_and_cfd_22(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    credential, provider = sandbox_app.mint(), sandbox_app.container.get(sandbox_services).authority_ca.provider
    valid = stamped32(sealed32(comprobante32(), credential), provider)
    documents = {
        "valid": (valid, []),
        "amount": (with_attribute(valid, "total", "1.00"), ["302"]),
        "missing": (without_attribute(valid, "metodoDePago"), ["301", "302"]),
        "cfd": (cfd22(credential), [None, None]),
    }
    for name, (xml, _) in documents.items():
        (tmp_path / f"{name}.xml").write_bytes(xml)
    result = run(sandbox_app, tmp_path, "--json")
    reports = [json.loads(line) for line in result.stdout.splitlines()]
    codes = {Path(report["file"]).stem: [each["code"] for each in report["findings"]] for report in reports}
    assert codes == {name: expected for name, (_, expected) in documents.items()}
    rules = {Path(report["file"]).stem: report["not_evaluated"] for report in reports}
    assert (rules["valid"], rules["cfd"]) == (["CFDI32-REGLAS"], ["CFD22-REGLAS"])


def test_validate_shows_that_retenciones_10_have_no_rules(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    provider = sandbox_app.container.get(sandbox_services).authority_ca.provider
    (tmp_path / "old.xml").write_bytes(stamped10(sealed10(retencion10(), sandbox_app.mint()), provider))
    result = run(sandbox_app, tmp_path / "old.xml", "--all")
    assert "RET10-REGLAS" in result.output, result.output


def test_validate_shows_code_path_and_values_of_findings(
    sandbox_app: SandboxApp, invalid: bytes, tmp_path: Path
) -> None:
    (tmp_path / "invalid.xml").write_bytes(invalid)
    result = run(sandbox_app, tmp_path / "invalid.xml")

    assert result.exit_code == 1
    for text in ("✗", "CFDI40102", "CFDI40108", "@SubTotal", "found", "expected"):
        assert text in result.output


def test_validate_searches_folders_and_archives(
    sandbox_app: SandboxApp, valid: bytes, invalid: bytes, tmp_path: Path
) -> None:
    inner = tmp_path / "2026" / "11"
    inner.mkdir(parents=True)
    (inner / "A.XML").write_bytes(valid)
    (inner / "notes.txt").write_text("nothing for us")
    write_archive(tmp_path / "more.zip", {"x/b.xml": invalid, "x/readme.md": b"#", "c.xml": b"<no"})

    result = run(sandbox_app, tmp_path, "--json")

    assert result.exit_code == 1
    reports = {Path(line["file"]).name: line for line in map(json.loads, result.stdout.splitlines())}
    assert set(reports) == {"A.XML", "b.xml", "more.zip!c.xml"}
    assert not reports["A.XML"]["wrong"]
    assert {finding["code"] for finding in reports["b.xml"]["findings"]} >= {"CFDI40102", "CFDI40108"}
    assert reports["more.zip!c.xml"]["error"]["code"] == "301"


def test_validate_with_several_workers_gives_the_same_results_in_order(
    sandbox_app: SandboxApp, valid: bytes, invalid: bytes, tmp_path: Path
) -> None:
    for number in range(6):
        (tmp_path / f"{number}.xml").write_bytes(invalid if number % 2 else valid)

    single, parallel = run(sandbox_app, tmp_path, "--json"), run(sandbox_app, tmp_path, "--json", "--workers", 2)

    assert single.stdout == parallel.stdout
    assert (single.exit_code, parallel.exit_code) == (1, 1)


@pytest.mark.parametrize(
    ("language", "expected"), [("en", ["2 documents", "with errors"]), ("es", ["2 documentos", "con errores"])]
)
def test_validate_prints_a_summary_of_several_documents(
    sandbox_app: SandboxApp, valid: bytes, invalid: bytes, tmp_path: Path, language: str, expected: list[str]
) -> None:
    (tmp_path / "a.xml").write_bytes(valid)
    (tmp_path / "b.xml").write_bytes(invalid)

    output = run(sandbox_app, tmp_path, "--lang", language).output

    assert [text for text in expected if text not in output] == []


@pytest.fixture(scope="module")
def unstamped(sandbox_app: SandboxApp) -> bytes:
    return sandbox_app.sealed(examples.ingreso(fecha=FECHA), sandbox_app.mint())


def test_validate_warns_of_an_unstamped_document(sandbox_app: SandboxApp, unstamped: bytes) -> None:
    result = run(sandbox_app, "-", "--lang", "en", input=unstamped)
    assert result.exit_code == 0, result.output
    assert "warning SIN-TIMBRE" in result.output
    assert run(sandbox_app, "-", "--strict", input=unstamped).exit_code == 1


@pytest.mark.parametrize("workers", [1, 2])
def test_validate_rejects_an_unstamped_document_when_a_stamp_is_required(
    sandbox_app: SandboxApp, unstamped: bytes, workers: int
) -> None:
    result = run(sandbox_app, "-", "--require-stamp", "--json", "--workers", workers, input=unstamped)
    assert result.exit_code == 1
    report = json.loads(result.output)
    assert report["wrong"]
    assert [(finding["code"], finding["kind"]) for finding in report["findings"]] == [("SIN-TIMBRE", "error")]


def test_validate_counts_rules_that_were_not_evaluated_apart(sandbox_app: SandboxApp) -> None:
    fuel = sandbox_app.issue(examples.gasolina(fecha=FECHA).encode()).cfdi.encode()
    short = run(sandbox_app, "-", "--strict", "--lang", "es", input=fuel)
    assert short.exit_code == 0, "rules that were not evaluated are no warnings"
    assert "reglas no evaluadas por falta de datos: " in short.output
    assert "CCHYP108" not in short.output
    assert "CCHYP107, CCHYP108" in run(sandbox_app, "-", "--all", input=fuel).output
    report = json.loads(run(sandbox_app, "-", "--json", input=fuel).output)
    assert report["findings"] == []
    assert {"CCHYP107", "CCHYP108"} <= set(report["not_evaluated"])


def test_validate_evaluates_every_rule_of_an_ordinary_invoice(sandbox_app: SandboxApp, valid: bytes) -> None:
    """But one: no product of the catalog in force asks for a complement."""
    report = json.loads(run(sandbox_app, "-", "--json", input=valid).output)
    assert (report["findings"], report["not_evaluated"]) == ([], ["CFDI40163"])


def test_validate_titles_sections_in_spanish(sandbox_app: SandboxApp, valid: bytes) -> None:
    output = run(sandbox_app, "-", "--all", "--lang", "es", input=valid).output
    titles = ["Estructura del XML", "Comprobante", "Timbre fiscal digital", "Lista del artículo 69-B del CFF"]
    assert [line.strip() for line in output.splitlines() if line.startswith("  ✓")] == [
        f"✓ {title}" for title in titles
    ]
    assert "Proveedor" not in output


def test_validate_reads_standard_input(sandbox_app: SandboxApp, valid: bytes) -> None:
    assert run(sandbox_app, "-", input=valid).exit_code == 0


def test_validate_exits_with_2_when_there_are_no_documents(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    assert run(sandbox_app, tmp_path).exit_code == 2
    assert run(sandbox_app, tmp_path / "absent.xml").exit_code == 2


def test_validate_strict_treats_warnings_as_errors(sandbox_app: SandboxApp, valid: bytes, tmp_path: Path) -> None:
    """A document whose status is unavailable has a warning."""
    (tmp_path / "a.xml").write_bytes(valid)
    sandbox_app.container.get(sandbox_services).faults.set("authority-down")
    assert run(sandbox_app, tmp_path / "a.xml", "--status").exit_code == 0
    sandbox_app.container.get(sandbox_services).faults.set("authority-down")
    assert run(sandbox_app, tmp_path / "a.xml", "--status", "--strict").exit_code == 1
    sandbox_app.container.get(sandbox_services).faults.clear(None)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"x" * 100])
def test_validate_names_a_file_that_is_no_archive(sandbox_app: SandboxApp, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    result = run(sandbox_app, tmp_path)

    assert result.exit_code == 1
    assert "a.zip" in result.stdout


def test_reader_rejects_a_zip_bomb(tmp_path: Path) -> None:
    bomb = write_archive(tmp_path / "bomb.zip", {"a.xml": bytes(50_000_000)})
    reader = DocumentReader(max_bytes=1000)

    with pytest.raises(ServiceError, match="TB4001"):
        reader.read(DocumentSource(str(bomb), "a.xml"))
    reader.close()


def test_validate_continues_after_a_damaged_member(sandbox_app: SandboxApp, valid: bytes, tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.zip", {"a.xml": valid * 2, "b.xml": valid})
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)

    lines = [json.loads(line) for line in run(sandbox_app, path, "--json").stdout.splitlines()]

    assert lines[0]["error"]["code"] == "source-unreadable"
    assert lines[1]["wrong"] is False


def test_list_sources_ignores_archives_inside_of_archives(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as made:
        made.writestr("a.xml", b"<a/>")
    outer = write_archive(tmp_path / "outer.zip", {"inner.zip": inner.getvalue()})

    assert list(list_sources([outer])) == []


def test_list_sources_leaves_out_files_of_the_system(tmp_path: Path) -> None:
    for name in (*SYSTEM_NAMES, "lote/a.xml"):
        place = tmp_path / "folder" / name.replace("\\", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            place.write_bytes(b"<a/>")
    packed = tmp_path / "lote.zip"
    packed.write_bytes(with_system_files({"lote/a.xml": b"<a/>"}))
    ignored: list[str] = []

    sources = [source.name for source in list_sources([tmp_path / "folder", packed], ignored)]

    assert sources == [f"{tmp_path}/folder/lote/a.xml", f"{packed}!lote/a.xml"]
    assert ignored == []
    named = tmp_path / "folder" / "._a.xml"
    assert [source.name for source in list_sources([named])] == [str(named)]


def test_list_sources_sorts_by_the_parts_of_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["a.XML", "a/b.xml", "a.b/c.xml", "a-b.xml", "z.txt", ".xml", "a/d.zip"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"<a/>")
    write_archive(tmp_path / "a" / "d.zip", {"e.xml": b"<a/>", "f.txt": b""})
    (tmp_path / "linked").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "dangling.xml").symlink_to(tmp_path / "absent")
    (tmp_path / "link.xml").symlink_to(tmp_path / "a.XML")
    expected = [path for path in sorted(tmp_path.rglob("*")) if path.is_file() and path.suffix.lower() == ".xml"]
    ignored: list[str] = []

    sources = [source.name for source in list_sources([tmp_path], ignored)]

    assert [name for name in sources if "!" not in name] == list(map(str, expected))
    assert [name for name in sources if "!" in name] == [f"{tmp_path}/a/d.zip!e.xml"]
    assert sorted(ignored) == sorted([f"{tmp_path}/.xml", f"{tmp_path}/a/d.zip!f.txt", f"{tmp_path}/z.txt"])
    monkeypatch.chdir(tmp_path)
    below = [source.name for source in list_sources([Path()])]
    assert below == [name.removeprefix(f"{tmp_path}/") for name in sources]


def test_batch_validator_returns_what_it_has_after_its_time(
    sandbox_app: SandboxApp, valid: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timbra.core.groups.GROUP_BYTES", len(valid))
    for name in ("a.xml", "b.xml", "c.xml"):
        (tmp_path / name).write_bytes(valid)
    services = sandbox_app.container.get(validation_services)
    options = BatchOptions(None, 1, with_status=False, require_stamp=False, max_bytes=100_000)
    with (
        closing(DocumentReader(100_000)) as reader,
        closing(BatchValidator(services.validation, reader, options)) as validator,
    ):
        remaining = list_sources([tmp_path])
        first, others = validator.validate(remaining, 0), validator.validate(remaining)

    assert [Path(result.name).name for result in first] == ["a.xml"]
    assert [Path(result.name).name for result in others] == ["b.xml", "c.xml"]
    assert all(result.is_valid for result in (*first, *others))


@pytest.mark.parametrize("case", ["bzip2", "no name", "overlapping", "offset beyond the end", "two of one name"])
def test_reader_rejects_hostile_archives(case: str, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(HOSTILE[case])
    with pytest.raises(ServiceError, match="source-unreadable"):
        list(list_sources([path]))
    reader = DocumentReader(max_bytes=1000)
    with pytest.raises(ServiceError, match="source-unreadable"):
        reader.read(DocumentSource(str(path), "a.xml"))
    reader.close()


def test_validate_gives_a_damaged_archive_of_a_folder_a_row(
    sandbox_app: SandboxApp, valid: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 damaged")
    (tmp_path / "b.xml").write_bytes(valid)
    result = run(sandbox_app, tmp_path, "--json", "--csv", tmp_path / "out.csv")
    lines = {
        Path(line["file"]).name: line.get("error", {}).get("code")
        for line in map(json.loads, result.stdout.splitlines())
    }
    assert (result.exit_code, lines) == (1, {"a.zip": "source-unreadable", "b.xml": None})
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 3


def test_reader_limits_the_extracted_size_of_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.console.sources.FREE_BYTES", 1_500_000)
    path = write_archive(tmp_path / "a.zip", {"a.xml": bytes(1_000_000), "b.xml": bytes(1_000_000)})
    reader = DocumentReader(max_bytes=2_000_000)
    assert len(reader.read(DocumentSource(str(path), "a.xml"))) == 1_000_000
    with pytest.raises(ServiceError, match="source-unreadable"):
        reader.read(DocumentSource(str(path), "b.xml"))
    reader.close()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "This is a PNG image; give the XML."),
        (b"\xff\xd8\xff\xe0", "This is a JPEG image; give the XML."),
        (b"PK\x03\x04\x14\0", "This is a ZIP archive; give it a name that ends in .zip, or give the XML."),
        (b"\x1f\x8b\x08\0", "This is a gzip file; give the XML."),
        (b' {"Comprobante": {}}', "This is JSON; give the XML."),
        (b"\xef\xbb\xbf Factura 12\n", "This is text, not XML; give the XML."),
    ],
)
def test_validate_names_the_kind_of_a_file_that_is_no_xml(
    sandbox_app: SandboxApp, content: bytes, sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.xml"
    file.write_bytes(content)
    result = run(sandbox_app, file)
    assert result.exit_code == 1
    assert result.output.splitlines() == [f"✗ {file}  {sentence}"]
    [line] = map(json.loads, run(sandbox_app, file, "--json").stdout.splitlines())
    assert (line["error"]["code"], line["error"]["detail"]) == ("source-not-xml", sentence)


@pytest.mark.parametrize("content", [b"", b" \n", b"<a/>", b"\xef\xbb\xbf<a/>", "<a/>".encode("utf-16"), b"\0\1"])
def test_validate_leaves_the_rejection_of_other_content_to_the_parser(
    sandbox_app: SandboxApp, content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a.xml").write_bytes(content)
    [line] = map(json.loads, run(sandbox_app, tmp_path / "a.xml", "--json").stdout.splitlines())
    assert line["error"]["code"] in ("301", "xml-missing")


@pytest.fixture
def default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TIMBRA_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def validate_without_data(*arguments: object) -> Result:
    with other_keys():
        return CliRunner().invoke(app, ["validate", *map(str, arguments)], env={"TIMBRA_CLOCK": NOW, "COLUMNS": "300"})


@pytest.mark.parametrize("workers", [1, 2])
def test_validate_explains_once_that_the_data_of_a_sandbox_are_missing(
    valid: bytes, tmp_path: Path, default_folder: Path, workers: int
) -> None:
    file = tmp_path / "a.xml"
    file.write_bytes(valid)
    result = validate_without_data(file, "--workers", workers)
    assert result.exit_code == 1
    assert "issued by a sandbox of Timbra" in result.output
    assert "--data" in result.output
    assert "308, 305, TFD-PROVEEDOR" in result.output
    assert "error" not in result.output
    assert not default_folder.exists()


def test_validate_shows_other_errors_beside_the_missing_data_of_a_sandbox(
    invalid: bytes, tmp_path: Path, default_folder: Path
) -> None:
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_bytes(invalid)
    result = validate_without_data(tmp_path)
    assert result.exit_code == 1
    assert all(text in result.output for text in ("CFDI40108", "issued by a sandbox of Timbra", "whose data were not"))
    lines = result.output.splitlines()
    assert not [line for line in lines if re.search(r"\b308\b", line) and "these rules fail" not in line]
    report = json.loads(validate_without_data(tmp_path / "a.xml", "--json").stdout)
    assert "--data" in report["explanation"]
    assert {"308", "305"} <= {finding["code"] for finding in report["findings"]}
    assert not default_folder.exists()


def test_validate_in_production_reports_the_certificates_of_a_sandbox_as_errors(
    valid: bytes, tmp_path: Path, default_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    monkeypatch.setenv("TIMBRA_SAT_CERTIFICATES_URL", "")
    (tmp_path / "a.xml").write_bytes(valid)
    result = CliRunner().invoke(app, ["validate", str(tmp_path / "a.xml")], env={"COLUMNS": "300"})
    assert result.exit_code == 1
    assert "error 308" in result.output
    assert "issued by a sandbox" not in result.output
    assert not default_folder.exists()


def test_validate_continues_after_a_document_at_which_the_program_fails(
    sandbox_app: SandboxApp, valid: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = ValidationService.validate_document

    async def fail_once(service: ValidationService, content: bytes, *rest: Any, **options: Any) -> Any:
        if content == b"<a/>":
            raise KeyError("defect")
        return await original(service, content, *rest, **options)

    monkeypatch.setattr(ValidationService, "validate_document", fail_once)
    (tmp_path / "a.xml").write_bytes(b"<a/>")
    (tmp_path / "b.xml").write_bytes(valid)
    result = run(sandbox_app, tmp_path)
    assert result.exit_code == 1
    assert "CO1000" in result.output
    assert "b.xml" in result.output

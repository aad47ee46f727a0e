"""Validation and verification as a program calls them."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from tests.library.conftest import StampedDocument
from tests.lists.signing import importer
from tests.support.sandbox_app import with_attribute

import timbra
from timbra.library import resources
from timbra.lists.sources.part_names import ListKind
from timbra.sat.port import FiscalStatus, StatusQuery


def validated(invoice: StampedDocument, xml: resources.Xml | None = None) -> timbra.Report:
    return timbra.validate(invoice.xml if xml is None else xml, on=at(invoice), trust=invoice.trust)


def at(invoice: StampedDocument) -> datetime:
    return datetime.fromisoformat(invoice.on)


def test_validate_reports_no_error_of_a_stamped_document(invoice: StampedDocument) -> None:
    report = validated(invoice)
    assert (report.ok, report.errors, report.warnings, report.error) == (True, (), (), None)
    assert (report.version, report.uuid, report.source) == ("4.0", "5b64ada3-aa4c-40b4-a2f5-572ced52be31", None)
    assert "CFDI40147" in report.not_evaluated


def test_validate_reads_the_cfdi_attached_to_a_pdf(invoice: StampedDocument, tmp_path: Path) -> None:
    printed = timbra.print_pdf(invoice.xml, trust=invoice.trust)
    (tmp_path / "a.pdf").write_bytes(printed)
    [of_many] = timbra.validate_many([tmp_path / "a.pdf"], on=at(invoice), trust=invoice.trust)

    for report in (validated(invoice, printed), validated(invoice, tmp_path / "a.pdf"), of_many):
        assert (report.ok, report.warnings, report.uuid) == (True, (), "5b64ada3-aa4c-40b4-a2f5-572ced52be31")


def test_validate_reports_each_value_of_a_finding(invoice: StampedDocument) -> None:
    report = validated(invoice, with_attribute(invoice.xml, "FormaPago", "98"))
    finding = next(each for each in report.errors if each.path == "@FormaPago")
    assert not report.ok
    assert (finding.code, finding.severity, finding.found, finding.section) == (
        "CFDI40104",
        "error",
        "98",
        "invoice",
    )
    assert finding.to_dict()["found"] == "98"


def test_validate_cites_the_source_of_a_rule() -> None:
    text = timbra.example().replace('Total="232.00"', 'Total="233.00"')
    finding = next(each for each in timbra.validate(text).errors if each.code == "CFDI40119")
    assert (finding.found, finding.expected_value) == ("233.00", "232.00")
    assert finding.expected == "232.00, que resulta de 200.00 - 0 + 32.00 - 0"
    assert finding.citation == "SAT, matriz de errores de CFDI 4.0, revisión 2026-03-25, fila CFDI40119"


def test_validate_does_not_trust_a_sandbox_by_itself(invoice: StampedDocument) -> None:
    report = timbra.validate(invoice.xml, on=at(invoice))
    assert {"308", "TB6014"} == {finding.code for finding in report.errors}


def test_validate_reads_the_folder_of_certificates_again_after_a_change(
    invoice: StampedDocument, tmp_path: Path
) -> None:
    trust = tmp_path / "trust"
    with pytest.raises(timbra.Error) as raised:
        timbra.validate(invoice.xml, trust=trust)
    assert raised.value.code == "trust-refused"
    trust.mkdir()
    assert not timbra.validate(invoice.xml, on=at(invoice), trust=trust).ok
    for file in invoice.trust.iterdir():
        shutil.copy(file, trust)
    os.utime(trust, (1, 1))
    assert timbra.validate(invoice.xml, on=at(invoice), trust=trust).ok


def test_validate_reads_files(invoice: StampedDocument, tmp_path: Path) -> None:
    path = tmp_path / "invoice.xml"
    path.write_bytes(invoice.xml)
    assert [validated(invoice, given).source for given in (path, str(path))] == [str(path), str(path)]
    assert validated(invoice, invoice.xml.decode()).ok


def test_validate_reports_content_that_is_no_cfdi() -> None:
    report = timbra.validate(b"<factura/>")
    assert (report.ok, report.version, [finding.code for finding in report.findings]) == (False, "", ["301"])
    assert report.error is not None
    assert report.error.code == "301"
    assert str(report).startswith("✗ XML")


def test_validate_raises_for_a_file_that_does_not_exist() -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.validate("no/such/file.xml")
    assert raised.value.code == "source-unreadable"


def test_validate_raises_for_a_folder_without_lists(tmp_path: Path) -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.validate(timbra.example(), lists=tmp_path)
    assert raised.value.code == "list-damaged"


def put_lists(folder: Path) -> Path:
    """Import a list of article 69-B that has the issuer of the examples; return the folder of the lists."""
    rows = (
        "No,RFC,Nombre del Contribuyente,Situación del contribuyente\n1,EKU9003173C9,ESCUELA KEMPER URGATE,Definitivo\n"
    )
    path = folder / "Listado_Completo_69-B.csv"
    path.write_text(f"Información actualizada al 15 de octubre de 2026,,,\n{rows}")
    importer(folder / "lists").run(ListKind.ARTICLE_69B, [path])
    return folder / "lists"


def test_validate_uses_the_lists_of_a_folder(tmp_path: Path) -> None:
    report = timbra.validate(timbra.example(), lists=put_lists(tmp_path))
    assert "69B-DEFINITIVO" not in {finding.code for finding in timbra.validate(timbra.example()).findings}
    assert [finding.severity for finding in report.findings if finding.section == "article-69b"] == ["warning"]


class Authority:
    """A status service that answers with one status."""

    def __init__(self) -> None:
        self.queries: list[StatusQuery] = []

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.queries.append(query)
        return FiscalStatus("Cancelado", "S - Comprobante obtenido.", "Cancelable sin aceptación", "Plazo vencido")


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch) -> Authority:
    found = Authority()
    monkeypatch.setattr("timbra.library.resources.status_service", lambda: found)
    return found


def test_validate_asks_for_the_status_only_when_told(invoice: StampedDocument, authority: Authority) -> None:
    assert validated(invoice).status is None
    assert authority.queries == []
    report = timbra.validate(invoice.xml, on=at(invoice), trust=invoice.trust, status=True)
    assert (report.status, report.cancelable, report.cancellation) == (
        "Cancelado",
        "Cancelable sin aceptación",
        "Plazo vencido",
    )
    assert len(authority.queries) == 1


def test_validate_works_inside_an_event_loop(invoice: StampedDocument, authority: Authority) -> None:
    async def run() -> tuple[str | None, str | None, bool]:
        asked = timbra.validate(invoice.xml, status=True).status
        waited = (await timbra.validate_async(invoice.xml, on=at(invoice), trust=invoice.trust)).status
        return asked, waited, validated(invoice).ok

    assert asyncio.run(run()) == ("Cancelado", "Cancelado", True)


def test_report_is_printed_as_text_html_and_json(invoice: StampedDocument) -> None:
    report = validated(invoice, with_attribute(invoice.xml, "MetodoPago", "PPX"))
    assert str(report).startswith("✗ XML  5b64ada3-aa4c-40b4-a2f5-572ced52be31\n   error CFDI40102 @Sello\n")
    assert "@MetodoPago" in report._repr_html_()
    assert report.__rich__().plain.startswith("✗ XML")
    values = json.loads(json.dumps(report.to_dict()))
    assert (values["ok"], values["findings"][0]["path"]) == (False, "@Sello")


def test_report_has_rows_of_tables(invoice: StampedDocument) -> None:
    report = validated(invoice, with_attribute(invoice.xml, "MetodoPago", "PPX"))
    row = report.row()
    assert (row["issuer_rfc"], row["total"], row["result"], row["stamp"]) == (
        "EKU9003173C9",
        Decimal("232.000000"),
        "invalid",
        "valid",
    )
    rows = [(each["uuid"], each["path"]) for each in report.rows()]
    assert rows[-1] == ("5b64ada3-aa4c-40b4-a2f5-572ced52be31", "@MetodoPago")


@pytest.fixture
def folder(invoice: StampedDocument, tmp_path: Path) -> Path:
    """A folder with an invoice, an archive with a wrong one, and a file that is no CFDI."""
    found = tmp_path / "documents"
    (found / "b").mkdir(parents=True)
    (found / "a.xml").write_bytes(invoice.xml)
    with zipfile.ZipFile(found / "b" / "c.zip", "w") as archive:
        archive.writestr("inside/wrong.xml", with_attribute(invoice.xml, "Moneda", "ZZZ"))
    (found / "d.xml").write_bytes(b"%PDF-1.4")
    return found


@pytest.mark.parametrize("workers", [1, 2])
def test_validate_many_reports_a_folder_in_order(invoice: StampedDocument, folder: Path, workers: int) -> None:
    reports = [*timbra.validate_many(folder, on=at(invoice), trust=invoice.trust, workers=workers)]
    assert [(report.source, report.ok) for report in reports] == [
        (str(folder / "a.xml"), True),
        (f"{folder / 'b' / 'c.zip'}!inside/wrong.xml", False),
        (str(folder / "d.xml"), False),
    ]
    assert [finding.code for finding in reports[2].findings] == ["source-unreadable"]
    assert [report.row()["source"] for report in reports] == [report.source for report in reports]


@pytest.mark.parametrize("workers", [1, 2])
def test_validate_many_takes_documents_of_any_iterable(invoice: StampedDocument, folder: Path, workers: int) -> None:
    given: list[resources.Xml] = [invoice.xml, str(folder / "a.xml"), invoice.xml.decode()]
    reports = [*timbra.validate_many(given, on=at(invoice), trust=invoice.trust, workers=workers)]
    assert [(report.source, report.ok) for report in reports] == [
        (None, True),
        (str(folder / "a.xml"), True),
        (None, True),
    ]


def test_validate_many_reads_no_further_than_its_reader(invoice: StampedDocument) -> None:
    taken: list[int] = []

    def documents() -> Iterator[bytes]:
        for number in range(1_000_000):
            taken.append(number)
            yield invoice.xml

    assert next(timbra.validate_many(documents(), on=at(invoice), trust=invoice.trust)).ok
    assert taken == [0]


def test_validate_many_raises_for_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(timbra.Error) as raised:
        next(timbra.validate_many(tmp_path / "none"))
    assert raised.value.code == "source-unreadable"


def test_verify_says_which_seal_is_valid(invoice: StampedDocument) -> None:
    check = timbra.verify(invoice.xml, on=at(invoice), trust=invoice.trust)
    assert (check.seal, check.stamp, check.ok, check.findings) == ("valid", "valid", True, ())
    assert check.not_evaluated == ("402", "305", "304")


def test_verify_finds_a_changed_document(invoice: StampedDocument) -> None:
    check = timbra.verify(with_attribute(invoice.xml, "Total", "9.00"), on=at(invoice), trust=invoice.trust)
    assert (check.seal, check.stamp, check.ok) == ("invalid", "valid", False)
    assert "302" in {finding.code for finding in check.findings}


def test_verify_says_that_seals_are_absent() -> None:
    check = timbra.verify(timbra.example())
    assert (check.seal, check.stamp, check.ok) == ("absent", "absent", False)


def test_validate_works_in_several_threads(invoice: StampedDocument) -> None:
    wrong = with_attribute(invoice.xml, "Moneda", "ZZZ")
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda xml: validated(invoice, xml).ok, [invoice.xml, wrong] * 40)]
    assert found == [True, False] * 40


def test_validate_works_after_a_fork_while_other_threads_validate(invoice: StampedDocument) -> None:
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(validated, invoice) for _ in range(60)]
        codes = []
        for _ in range(4):
            child = os.fork()
            if not child:
                os._exit(0 if validated(invoice).ok else 1)
            codes.append(os.waitpid(child, 0)[1])
        assert all(each.result().ok for each in running)
    assert codes == [0, 0, 0, 0]


def test_report_can_be_sent_to_another_process(invoice: StampedDocument) -> None:
    for xml in (invoice.xml, b"<a/>"):
        report = validated(invoice, xml)
        copy = pickle.loads(pickle.dumps(report))
        assert (copy.to_dict(), copy.row()) == (report.to_dict(), report.row())


@pytest.mark.parametrize(
    ("on", "instant"),
    [
        (date(2021, 12, 31), datetime(2022, 1, 1, 5, 59, 59, tzinfo=UTC)),
        (datetime(2021, 12, 31, 12), datetime(2021, 12, 31, 18, tzinfo=UTC)),  # noqa: DTZ001 (central Mexico)
        (datetime(2021, 12, 31, 12, tzinfo=UTC), datetime(2021, 12, 31, 12, tzinfo=UTC)),
    ],
)
def test_instant_is_the_end_of_a_day_or_a_time_of_central_mexico(on: date | datetime, instant: datetime) -> None:
    assert resources.instant(on) == instant

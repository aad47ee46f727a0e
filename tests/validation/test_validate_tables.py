"""`timbra validate` with tables: --csv, --xlsx, --receiver, --quiet and --only-wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from typer.testing import CliRunner, Result

from timbra import examples
from timbra.cli.main import app
from timbra.container.build import data_folder
from timbra.delivery.ports import authority_work
from timbra.validation.tables import DOCUMENTS, FINDINGS

RECEIVER = "URE180429TM6"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def folder(sandbox_app: SandboxApp, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A valid document, a copy of it, one whose serie is a formula and whose sum is wrong, and one that is no XML."""
    made = tmp_path_factory.mktemp("received")
    valid = sandbox_app.issue(examples.ingreso(fecha=FECHA).encode()).cfdi
    (made / "a.xml").write_text(valid, encoding="utf-8")
    (made / "b.xml").write_text(valid, encoding="utf-8")
    formula = sandbox_app.issue(examples.ingreso({"@Serie": "=1+1"}, fecha=FECHA).encode()).cfdi
    (made / "c.xml").write_text(formula.replace('SubTotal="', 'SubTotal="1'), encoding="utf-8")
    (made / "d.xml").write_text("hola", encoding="utf-8")
    return made


def run(sandbox_app: SandboxApp, *arguments: object) -> Result:
    command = ["validate", *map(str, arguments), "--data", str(sandbox_app.container.get(data_folder))]
    return CliRunner().invoke(app, command, env={"TIMBRA_CLOCK": NOW, "COLUMNS": "200"})


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("workers", [1, 2])
def test_validate_writes_both_tables_as_csv(
    sandbox_app: SandboxApp, folder: Path, tmp_path: Path, workers: int
) -> None:
    result = run(sandbox_app, folder, "--csv", tmp_path / "out.csv", "--workers", workers)
    documents, findings = rows_of(tmp_path / "out.csv"), rows_of(tmp_path / "out-findings.csv")

    assert result.exit_code == 1
    assert [*documents[0]] == [column.name for column in DOCUMENTS]
    assert [*findings[0]] == [column.name for column in FINDINGS]
    assert [row["result"] for row in documents] == ["valid", "valid", "invalid", "unreadable"]
    assert [row["duplicate_of"] for row in documents] == ["", "0", "", ""]
    assert documents[2]["serie"] == "'=1+1"
    assert (documents[0]["receiver_rfc"], documents[0]["total"]) == (RECEIVER, "232.00")
    assert {row["document_id"] for row in findings} == {"2", "3"}
    assert findings[-1]["code"] == "source-not-xml"


def test_validate_writes_a_workbook_without_formulas(sandbox_app: SandboxApp, folder: Path, tmp_path: Path) -> None:
    run(sandbox_app, folder, "--xlsx", tmp_path / "out.xlsx", "--json")
    book = CalamineWorkbook.from_path(tmp_path / "out.xlsx")

    assert book.sheet_names == ["documents", "findings"]
    head, *rows = book.get_sheet_by_name("documents").to_python()
    assert rows[2][head.index("serie")] == "=1+1"
    assert rows[0][head.index("total")] == 232.0
    assert len(rows) == 4


def test_json_line_has_each_finding_once_with_its_section(sandbox_app: SandboxApp, folder: Path) -> None:
    result = run(sandbox_app, folder / "a.xml", "--json", "--receiver", "AAA010101AAA")
    line = json.loads(result.stdout)

    assert [each["code"] for each in line["findings"]] == ["RECEPTOR-AJENO"]
    assert result.stdout.count('"code":"RECEPTOR-AJENO"') == 1
    assert {each["section"] for each in line["findings"]} <= {section["title"] for section in line["sections"]}


def test_json_lines_have_parties_date_total_currency_and_state(sandbox_app: SandboxApp, folder: Path) -> None:
    sandbox_app.container.get(authority_work).deliver()
    result = run(sandbox_app, folder / "a.xml", "--json", "--status")
    line = json.loads(result.stdout)

    assert (line["issuer_rfc"], line["receiver_rfc"]) == (examples.KEMPER.rfc, RECEIVER)
    assert line["issuer_name"] == examples.KEMPER.name
    assert (line["kind"], line["tipo_de_comprobante"], line["fecha"]) == ("cfdi", "I", FECHA)
    assert (line["total"], line["moneda"], line["status"]) == ("232.00", "MXN", "Vigente")
    assert json.loads(run(sandbox_app, folder / "a.xml", "--json").stdout)["status"] is None


def test_receiver_option_makes_another_receiver_an_error(sandbox_app: SandboxApp, folder: Path, tmp_path: Path) -> None:
    files = [folder / "a.xml", "--json", "--csv", tmp_path / "out.csv"]
    other = run(sandbox_app, *files, "--receiver", "AAA010101AAA")
    [finding] = json.loads(other.stdout)["findings"]

    assert other.exit_code == 1
    assert (finding["code"], finding["found"], finding["expected"]) == ("RECEPTOR-AJENO", RECEIVER, "AAA010101AAA")
    assert [row["code"] for row in rows_of(tmp_path / "out-findings.csv")] == ["RECEPTOR-AJENO"]
    assert run(sandbox_app, *files, "--receiver", "AAA010101AAA", "--receiver", RECEIVER.lower()).exit_code == 0
    assert run(sandbox_app, *files, "--receiver", "nadie").exit_code == 2


def test_only_wrong_leaves_valid_documents_out_of_output_and_files(
    sandbox_app: SandboxApp, folder: Path, tmp_path: Path
) -> None:
    result = run(sandbox_app, folder, "--only-wrong", "--json", "--csv", tmp_path / "out.csv")
    text = run(sandbox_app, folder, "--only-wrong")

    assert [Path(json.loads(line)["file"]).name for line in result.stdout.splitlines()] == ["c.xml", "d.xml"]
    assert [row["document_id"] for row in rows_of(tmp_path / "out.csv")] == ["2", "3"]
    assert "a.xml" not in text.output
    assert "c.xml" in text.output


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_quiet_prints_nothing_and_keeps_the_exit_code(sandbox_app: SandboxApp, folder: Path, form: list[str]) -> None:
    wrong, valid = (run(sandbox_app, source, "--quiet", *form) for source in (folder, folder / "a.xml"))

    assert (wrong.exit_code, wrong.output) == (1, "")
    assert (valid.exit_code, valid.output) == (0, "")


def test_validate_exits_with_2_when_a_file_cannot_be_written(sandbox_app: SandboxApp, folder: Path) -> None:
    assert run(sandbox_app, folder, "--csv", folder / "missing" / "out.csv").exit_code == 2
    assert run(sandbox_app, folder, "--xlsx", folder / "missing" / "out.xlsx").exit_code == 2

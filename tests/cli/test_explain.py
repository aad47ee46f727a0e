"""What `timbra explain` says, and that its documents do what it says in the whole validation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.desk import Desk
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.examples.codes import EXAMPLES, RELATED
from timbra.rules.checking import ENGINE
from timbra.rules.finding import Severity
from timbra.rules.pages import PAGES
from timbra.service.example import ExampleSealer
from timbra.service.report import Report

RULES = {rule.code: rule for book in ENGINE.books for rule in book.rules}
ASKED = [code for code, rule in RULES.items() if rule.severity in (Severity.ERROR, Severity.WARNING)]


class Bench:
    """One sandbox for all documents."""

    def __init__(self, data: Path) -> None:
        self.desk = Desk(data)
        self._sealer = ExampleSealer(self.desk.house.authority_ca, self.desk.house.tools)
        for folio, builder in RELATED.items():
            self._sealer.file(builder(), folio, self.desk.house.ledger)

    def report(self, text: str) -> Report:
        sealed = self._sealer.seal(text)
        return asyncio.run(self.desk.house.validation.validate(sealed, with_status=False))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    bench = Bench(tmp_path_factory.mktemp("explain") / "data")
    yield bench
    bench.desk.house.close()


def found(report: Report) -> set[str | None]:
    return {entry.code for entry in report.entries if entry.is_finding}


@pytest.mark.parametrize("code", ASKED)
def test_validation_finds_nothing_in_the_passing_document(bench: Bench, code: str) -> None:
    report = bench.report(EXAMPLES[code].passing())
    assert found(report) == set(), [entry for entry in report.entries if entry.is_finding]


LACKING = {
    "CCHYP107:L_CNE",
    "CCHYP108",
    "CCE121",
    "CFDI140224",
    "CFDI140225",
    "CFDI33144",
    "CFDI33196:IVA8-ClaveProdServ",
    "CFDI40142",
    "CFDI40144",
    "CFDI40164",
    "CFDI40999:HYP-ClaveHYP-L_CNE",
    "CFDI40999:IVA8-ClaveProdServ",
    "CP155",
    "NOM45",
    "NOM46",
    "NOM165",
    "NOM166",
}
"""No list of a sandbox tells what these need: they are not evaluated."""
BESIDE: dict[str, str | None] = {
    "CP115": None,
    "CFDI40999:Complemento-Version": "SELLO-COMPLEMENTO",
    "CFDI33196:Complemento-Version": "SELLO-COMPLEMENTO",
}
"""What validation tells beside: without a code, that no schema is at hand; that no cadena original has it."""


@pytest.mark.parametrize("code", ASKED)
def test_validation_finds_that_code_in_the_failing_document(bench: Bench, code: str) -> None:
    rule = RULES[code]
    report = bench.report(EXAMPLES[code].failing())
    if code in LACKING:
        assert rule.shown not in found(report)
        assert rule.shown in {entry.code for entry in report.entries if not entry.evaluated}
    else:
        beside = {BESIDE[code]} if code in BESIDE else set()
        assert found(report) == {each.partition(":")[0] for each in (code, *rule.inseparable)} | beside, [
            one for one in report.entries if one.is_finding
        ]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_commands_go_together(tmp_path: Path) -> None:
    """What a user types: both documents of a rule, then their validation."""
    data = str(tmp_path / "data")
    for code in ("CFDI40108", "CRP20211"):
        for which, expected in (("pass", []), ("fail", [code])):
            file = tmp_path / f"{which}.xml"
            file.write_text(run("explain", code.lower(), "--example", which, "--data", data), encoding="utf-8")
            result = CliRunner().invoke(app, ["validate", str(file), "--json", "--data", data])
            told = json.loads(result.output)
            assert [finding["code"] for finding in told["findings"]] == expected
            assert result.exit_code == bool(expected)


@pytest.mark.parametrize(
    "code", ["CFDI40108", "cfdi140223", "CFDI40223", "CFDI40163", "CRP20999", "crp20201", "305", "AU2000", "TFD11303"]
)
def test_every_kind_of_code_is_explained(code: str) -> None:
    assert run("explain", code).strip()


def test_an_unknown_code_is_an_error() -> None:
    assert CliRunner().invoke(app, ["explain", "CFDI99999"]).exit_code == 1


def test_no_code_is_wrong_use() -> None:
    assert CliRunner().invoke(app, ["explain"]).exit_code == 2


def test_the_books_are_shown() -> None:
    table = run("explain", "--books")
    assert all(f"docs/rules/{name}.md" in table for name in PAGES)


@pytest.mark.parametrize("words", [["explain", "CFDI40108", "--example", "pass"], ["example", "ingreso"]])
def test_a_printed_document_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Unless the folder is told, or is there already."""
    monkeypatch.delenv("TIMBRA_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert "Sello=" in run(*words)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("TIMBRA_DATA", "told")
    run(*words)
    assert [path.name for path in tmp_path.iterdir()] == ["told"]

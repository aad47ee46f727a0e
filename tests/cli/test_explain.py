"""`timbra explain`, and the findings of a whole validation for its documents."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.data_folder import create_data
from tests.support.sandbox_app import SandboxApp
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.examples.codes import EXAMPLES, RELATED
from timbra.rules.engine.result import Severity
from timbra.rules.reference.pages import PAGES
from timbra.rules.registry import ENGINE
from timbra.service.sandbox.example_sealing import ExampleSealer
from timbra.service.validation.models import ValidationReport

RULES = {rule.code: rule for rule_set in ENGINE.rule_sets for rule in rule_set.rules}
FINDING_CODES = [code for code, rule in RULES.items() if rule.severity in (Severity.ERROR, Severity.WARNING)]


class ExampleValidator:
    """Seals and validates example documents in one sandbox."""

    def __init__(self, data: Path) -> None:
        self.sandbox_app = SandboxApp(data)
        self._sealer = ExampleSealer(
            self.sandbox_app.container.sandbox_services.authority_ca,
            self.sandbox_app.container.stamping_services.checks,
        )
        for folio, builder in RELATED.items():
            self._sealer.file(builder(), folio, self.sandbox_app.container.sandbox_services.ledger)

    def report(self, text: str) -> ValidationReport:
        sealed = self._sealer.seal(text)
        return asyncio.run(
            self.sandbox_app.container.validation_services.validation.validate(sealed, with_status=False)
        )


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleValidator]:
    validator = ExampleValidator(tmp_path_factory.mktemp("explain") / "data")
    yield validator
    validator.sandbox_app.container.close()


def finding_codes(report: ValidationReport) -> set[str | None]:
    return {entry.code for entry in report.entries if entry.is_finding}


@pytest.mark.parametrize("code", FINDING_CODES)
def test_validation_has_no_findings_for_the_passing_document(validator: ExampleValidator, code: str) -> None:
    report = validator.report(EXAMPLES[code].passing())
    assert finding_codes(report) == set(), [entry for entry in report.entries if entry.is_finding]


NOT_EVALUATED = {
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
"""Codes whose rules need data that no list of the sandbox has."""
ADDITIONAL_FINDINGS: dict[str, str | None] = {
    "CP115": None,
    "CFDI40999:Complemento-Version": "SELLO-COMPLEMENTO",
    "CFDI33196:Complemento-Version": "SELLO-COMPLEMENTO",
}
"""Codes that validation reports in addition. None: a finding without a code, for a missing schema."""


@pytest.mark.parametrize("code", FINDING_CODES)
def test_validation_finds_the_code_in_the_failing_document(validator: ExampleValidator, code: str) -> None:
    rule = RULES[code]
    report = validator.report(EXAMPLES[code].failing())
    if code in NOT_EVALUATED:
        assert rule.display_code not in finding_codes(report)
        assert rule.display_code in {entry.code for entry in report.entries if not entry.evaluated}
    else:
        additional = {ADDITIONAL_FINDINGS[code]} if code in ADDITIONAL_FINDINGS else set()
        assert finding_codes(report) == {each.partition(":")[0] for each in (code, *rule.inseparable)} | additional, [
            entry for entry in report.entries if entry.is_finding
        ]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_explain_documents_are_validated_by_validate(tmp_path: Path) -> None:
    """Both documents of a rule are printed, then validated by `timbra validate`."""
    data = str(create_data(tmp_path / "data"))
    for code in ("CFDI40108", "CRP20211"):
        for which, expected in (("pass", []), ("fail", [code])):
            file = tmp_path / f"{which}.xml"
            file.write_text(run("explain", code.lower(), "--example", which, "--data", data), encoding="utf-8")
            result = CliRunner().invoke(app, ["validate", str(file), "--json", "--data", data])
            report = json.loads(result.output)
            assert [finding["code"] for finding in report["findings"]] == expected
            assert result.exit_code == bool(expected)


@pytest.mark.parametrize(
    "code", ["CFDI40108", "cfdi140223", "CFDI40223", "CFDI40163", "CRP20999", "crp20201", "305", "AU2000", "TFD11303"]
)
def test_explain_explains_every_kind_of_code(code: str) -> None:
    assert run("explain", code).strip()


def test_explain_rejects_an_unknown_code() -> None:
    assert CliRunner().invoke(app, ["explain", "CFDI99999"]).exit_code == 1


def test_explain_without_a_code_is_a_usage_error() -> None:
    assert CliRunner().invoke(app, ["explain"]).exit_code == 2


def test_explain_lists_all_rule_sets() -> None:
    table = run("explain", "--books")
    assert all(f"docs/rules/{name}.md" in table for name in PAGES)


@pytest.mark.parametrize("arguments", [["explain", "CFDI40108", "--example", "pass"], ["example", "ingreso"]])
def test_printing_documents_leaves_no_files_when_no_data_folder_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.delenv("TIMBRA_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert "Sello=" in run(*arguments)
    assert list(tmp_path.iterdir()) == []

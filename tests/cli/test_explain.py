"""`timbra explain`, and the findings of a whole validation for its documents."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.support.data_folder import create_data
from tests.support.effort import cases, rounds
from tests.support.forked_program import run as run_program
from tests.support.forked_program import start
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sandbox_app import SandboxApp
from tools.docs_site.sources import site_files
from typer.testing import CliRunner

import timbra
from timbra.cancellation import acceptance, relations
from timbra.cli.main import app
from timbra.examples.codes import RELATED
from timbra.messages.cancelling import CODES
from timbra.messages.codes import printed_code
from timbra.messages.literal import LITERAL
from timbra.messages.service import SERVICE
from timbra.rules.engine.result import Severity
from timbra.rules.reference.codes import find_code
from timbra.rules.reference.explanation import explanations
from timbra.rules.reference.messages import RULES as RULE_SENTENCES
from timbra.rules.reference.pages import PAGES
from timbra.rules.registry import ENGINE, RULE_SETS
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.example_sealing import ExampleSealer
from timbra.sat.cancellation import _MESSAGES
from timbra.stamping.build import stamping_services
from timbra.validation import fix_service
from timbra.validation.build import validation_services
from timbra.validation.fiscal_status import LISTED_PARTIES
from timbra.validation.models import ValidationReport
from timbra.validation.proposed_fixes import search_fixes

NOT_LISTED = frozenset({"", "200", "201"})
UNSTAMPED_CODE = "SIN-TIMBRE"

COMMAND: Any = typer.main.get_command(app)
"""The command tree; every call of `CliRunner` builds another one."""
SOURCE = Path(timbra.__file__).parent
RULES = {rule.code: rule for rule_set in ENGINE.rule_sets for rule in rule_set.rules}
FINDING_CODES = {
    rule_set.name: [rule.code for rule in rule_set.rules if rule.severity in (Severity.ERROR, Severity.WARNING)]
    for rule_set in ENGINE.rule_sets
}
"""Codes that a validation reports, by rule set."""
every_rule_set = pytest.mark.parametrize("codes", FINDING_CODES.values(), ids=FINDING_CODES)


class ExampleValidator:
    """Seals and validates example documents in one sandbox."""

    def __init__(self, data: Path) -> None:
        self.sandbox_app = SandboxApp(data)
        self._sealer = ExampleSealer(
            self.sandbox_app.container.get(sandbox_services).authority_ca,
            self.sandbox_app.container.get(stamping_services).checks,
        )
        for folio, builder in RELATED.items():
            self._sealer.file(builder(), folio, self.sandbox_app.container.get(sandbox_services).ledger)
        self._codes: dict[str, set[str | None]] = {}

    def report(self, text: str) -> ValidationReport:
        sealed = self._sealer.seal(text)
        return asyncio.run(
            self.sandbox_app.container.get(validation_services).validation.validate(sealed, with_status=False)
        )

    def codes(self, text: str) -> set[str | None]:
        """Return the codes of the findings; a text is validated once, because most rules share passing documents."""
        if text not in self._codes:
            self._codes[text] = finding_codes(self.report(text))
        return self._codes[text]


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleValidator]:
    validator = ExampleValidator(tmp_path_factory.mktemp("explain") / "data")
    yield validator
    validator.sandbox_app.container.close()


def finding_codes(report: ValidationReport) -> set[str | None]:
    return {entry.code for entry in report.entries} - {UNSTAMPED_CODE}


@every_rule_set
def test_validation_has_no_findings_for_the_passing_document(validator: ExampleValidator, codes: list[str]) -> None:
    found = {code: validator.codes(EXAMPLES[code].passing()) for code in codes}
    assert {code: findings for code, findings in found.items() if findings} == {}


NOT_EVALUATED = {
    "CCHYP107:L_CNE",
    "CCHYP108",
    "CCE121",
    "CFDI140224",
    "CFDI140225",
    "CFDI40142",
    "CFDI40999:HYP-ClaveHYP-L_CNE",
    "CP155",
    "NOM45",
    "NOM46",
    "NOM165",
    "NOM166",
}
"""Codes whose rules need data that no list of the sandbox has."""
ADDITIONAL_FINDINGS = {
    "CP115": {"301"},
    "CFDI40176": {"301"},  # the example changes the global tax too
    "CFDI33156": {"301"},
    "CFDI40999:Complemento-Version": {"SELLO-COMPLEMENTO"},
    "CFDI33196:Complemento-Version": {"COMPLEMENTO-FECHA", "SELLO-COMPLEMENTO"},
    "CP101": {"COMPLEMENTO-FECHA"},
    "TB4023:RET-complemento-unico": {"CO1002", "CO1003", "SELLO-COMPLEMENTO"},
}
"""Codes that validation reports in addition."""


@every_rule_set
def test_validation_finds_the_code_in_the_failing_document(validator: ExampleValidator, codes: list[str]) -> None:
    # Of the others, the data that their examples need cannot be given to a sandbox.
    for code in [each for each in codes if each in NOT_EVALUATED or not RULES[each].fails_with]:
        rule, report = RULES[code], validator.report(EXAMPLES[code].failing())
        if code in NOT_EVALUATED:
            assert rule.display_code not in finding_codes(report), code
            assert rule.display_code in {rule.code for rule in report.not_evaluated}, code
        else:
            expected = {each.partition(":")[0] for each in (code, *rule.inseparable)}
            assert finding_codes(report) == expected | ADDITIONAL_FINDINGS.get(code, set()), (code, report.entries)


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
            codes = [finding["code"] for finding in report["findings"]]
            assert [code for code in codes if code != UNSTAMPED_CODE] == expected
            assert result.exit_code == bool(expected)


SAT_REJECTIONS = [f"CA{code}" for code in _MESSAGES]
STATUS = ["S", "N - 601", "N-602", *LISTED_PARTIES, *(code for code in NOT_LISTED if code)]
PENDING_CODES = [acceptance.FOUND, acceptance.NOTHING]
RELATION_CODES = [relations.FOUND, relations.NOTHING, relations.NOT_A_PARTY]
ALL_RULES = {row.code for rule_set in RULE_SETS for row in rule_set.rows} | RULE_SENTENCES.keys()
TABLES = (RULES, ALL_RULES, SERVICE, LITERAL, CODES, PENDING_CODES, RELATION_CODES, SAT_REJECTIONS, STATUS)


ANSWERED = sorted({code for table in TABLES for code in table})


def test_every_code_that_the_service_answers_has_message_cause_and_remedy() -> None:
    found = {code: explanations(find_code(code) or "") for code in ANSWERED}
    assert [code for code, meanings in found.items() if not meanings] == []
    meanings = [each for meanings in found.values() for each in meanings]
    assert [each.code for each in meanings if not (each.message and each.cause and each.remedy)] == []


@pytest.mark.parametrize("code", cases(ANSWERED[::20], ANSWERED))
def test_explain_prints_message_cause_and_remedy(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not COMMAND.main(["explain", code], standalone_mode=False)
    output = capsys.readouterr().out
    assert all(label in output for label in ("Message", "Cause", "Remedy"))


def test_explain_explains_every_code_that_the_code_raises() -> None:
    """A code that the source raises and no table has is one of the server's log."""
    raised = {
        code
        for path in SOURCE.rglob("*.py")
        for code in re.findall(r'(?:ServiceError|BodyRejectedError)\(\s*"([^"]+)"', path.read_text("utf-8"))
    }
    assert len(raised) > 50
    assert {code for code in raised if find_code(code) != code} == set()


@pytest.mark.parametrize("text", sorted({printed for printed in map(printed_code, LITERAL.values()) if printed}))
def test_explain_explains_the_code_at_the_beginning_of_a_literal_text(text: str) -> None:
    assert "Cause" in run("explain", text)


def test_explain_shows_source_dates_and_severity_per_profile() -> None:
    output = run("explain", "CFDI40138", "--lang", "es")
    rows = {line.split("│")[1].strip(): line.split("│")[2].strip() for line in output.splitlines() if "│" in line}
    assert rows["Norma"].startswith("SAT, matriz de errores de CFDI 4.0")
    assert rows["Lugar"] == "Emisor/@Nombre"
    assert (rows["Al timbrar"], rows["Al validar"]) == ("error", "aviso")
    assert rows["Vigencia"] == "toda fecha"
    assert rows["Necesita"] == "l_RFC"


def test_explain_shows_the_difference_of_both_documents() -> None:
    output = run("explain", "CFDI40108")
    (row,) = [line for line in output.splitlines() if line.startswith("│ @SubTotal")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == ["@SubTotal", "200.00", "199.00"]


def test_explain_proposes_the_edits_of_a_document(tmp_path: Path) -> None:
    document, fixed = tmp_path / "wrong.xml", tmp_path / "fixed.xml"
    document.write_text(EXAMPLES["CFDI40119"].failing(), "utf-8")
    output = run("explain", "--fix", str(document), "--write", str(fixed))
    assert "@Total  changes an amount\n  - 233.00\n  + 232.00\n" in output
    assert "The seal is that of the document before the edits: seal it again." in output
    assert ' Total="232.00"' in fixed.read_text("utf-8")
    assert "No errors to fix, apart from the seal." in run("explain", "--fix", str(fixed))


def test_explain_fails_when_an_error_needs_data_of_the_issuer(tmp_path: Path) -> None:
    document, fixed = tmp_path / "wrong.xml", tmp_path / "fixed.xml"
    document.write_text(EXAMPLES["CFDI40115"].failing(), "utf-8")
    result = CliRunner().invoke(app, ["explain", "--fix", str(document), "--write", str(fixed)])
    assert result.exit_code == 1
    assert "CFDI40115 @TipoCambio: no edit is known" in result.output
    assert not fixed.exists()


def test_explain_says_that_the_time_of_the_search_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = tmp_path / "wrong.xml"
    document.write_text(EXAMPLES["CFDI40119"].failing(), "utf-8")
    monkeypatch.setattr(
        fix_service, "search_fixes", lambda root, check, keys, _is_over: search_fixes(root, check, keys, lambda: True)
    )
    result = CliRunner().invoke(app, ["explain", "--fix", str(document), "--seconds", "5"])
    assert result.exit_code == 1
    assert "CFDI40119 @Total: no edit was found in the time" in result.output
    assert "The time of the search was over: --seconds gives it more." in result.output


def test_explain_rejects_write_without_fix() -> None:
    assert CliRunner().invoke(app, ["explain", "--write", "out.xml"]).exit_code == 2


def test_explain_lists_the_requirements_of_a_shared_code() -> None:
    output = run("explain", "CFDI40999")
    assert "CFDI40999:Pagos-required" in output
    assert "CFDI40999:TipoRelacion-07" in output


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("40147", "CFDI40147"),
        ("cfdi 40147", "CFDI40147"),
        ("NOM01", "NOM1"),
        ("40226", "CFDI140226"),
        ("601", "N - 601"),
        ("TB6001", "SIN-TIMBRE"),
        ("tb6013", "TFD-SELLO-CFD"),
    ],
)
def test_explain_accepts_other_ways_to_write_a_code(text: str, code: str) -> None:
    assert run("explain", *text.split()).startswith(code)


def test_explain_shows_the_code_of_a_name_over_http() -> None:
    assert re.search(r"Código en la API\W+TB6001", run("explain", "SIN-TIMBRE"))
    assert re.search(r"Código en la API\W+TB6013", run("explain", "TFD-SELLO-CFD"))


def test_explain_suggests_the_nearest_code() -> None:
    result = CliRunner().invoke(app, ["explain", "CFDI4147", "--lang", "es"])
    assert result.exit_code == 1
    assert result.stderr.strip() == "No se conoce el código CFDI4147. ¿Quiso decir CFDI40147?"


def test_explain_suggests_all_codes_of_an_ambiguous_number() -> None:
    result = CliRunner().invoke(app, ["explain", "213", "--lang", "es"])
    assert result.exit_code == 1
    assert result.stderr.strip() == "No se conoce el código 213. ¿Quiso decir CRP213, NOM213?"


def test_explain_names_other_codes_with_the_same_number() -> None:
    assert "Other codes with this number: CP201, NOM201, CRP201." in run("explain", "201")


@pytest.mark.parametrize("arguments", [["redondeo"], ["--search", "redondeo"]])
def test_explain_searches_words(arguments: list[str]) -> None:
    assert "CFDI40108" in run("explain", *arguments)


def test_explain_fails_when_a_search_finds_nothing() -> None:
    result = CliRunner().invoke(app, ["explain", "--search", "ornitorrinco"])
    assert result.exit_code == 1
    assert result.stderr.strip() == "No code matches «ornitorrinco»."


def test_explain_rejects_an_unknown_code() -> None:
    assert CliRunner().invoke(app, ["explain", "CFDI99999"]).exit_code == 1


def test_explain_without_a_code_is_a_usage_error() -> None:
    assert CliRunner().invoke(app, ["explain"]).exit_code == 2


def test_example_of_a_code_without_documents_is_rejected() -> None:
    result = CliRunner().invoke(app, ["explain", "AU2000", "--example", "pass"])
    assert (result.exit_code, result.stderr.strip()) == (1, "AU2000 has no example documents.")


@pytest.mark.parametrize("option", ["--rule-sets", "--books"])
def test_explain_lists_all_rule_sets(option: str) -> None:
    table = run("explain", option)
    pages = {f"/docs/{page.removesuffix('.md')}/" for page in site_files().values()}
    assert {page.address for page in PAGES.values()} <= pages
    assert all(page.address in table for page in PAGES.values())
    assert not re.search(r"src/|\.md\b", table)


def test_help_of_explain_omits_the_former_name_of_the_option() -> None:
    output = run("explain", "--help")
    assert "--rule-sets" in output
    assert "--books" not in output


@pytest.mark.parametrize("arguments", [["explain", "CFDI40108", "--example", "pass"], ["example", "ingreso"]])
def test_printing_documents_leaves_no_files_when_no_data_folder_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.delenv("TIMBRA_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert "Sello=" in run(*arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", ["CFDI40147", "CFDI40108"][: rounds(1, 2)])
def test_example_is_shown_by_validate_in_a_pipeline_with_a_folder_that_did_not_exist(tmp_path: Path, code: str) -> None:
    """Both commands start at the same time; `validate` waits for the document before it opens the folder."""
    data = tmp_path / "new"
    for kind, expected in (("pass", 0), ("fail", 1)):
        explain = ("timbra.cli", "explain", code, "--example", kind, "--data", str(data))
        validate = ("timbra.cli", "validate", "-", "--json", "--data", str(data))
        with start(*explain, stdout=subprocess.PIPE) as writer:
            reader = run_program(*validate, stdin=writer.stdout)
        report = json.loads(reader.stdout)
        codes = [finding["code"] for finding in report["findings"]]
        assert [each for each in codes if each != UNSTAMPED_CODE] == [code] * expected
        assert (reader.returncode, report["wrong"]) == (expected, bool(expected))

"""Example documents of all rules: validation in a new sandbox shows what their records state, on any day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.support import sandbox_app
from tests.support.effort import cases
from tests.support.rule_set_examples import EXAMPLES, RULES, OnceReported
from tests.support.sandbox_app import SandboxApp

from timbra.messages.codes import public_code
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import Severity
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.registry import RULE_SETS
from timbra.rules.rulesets import certificates, declarations
from timbra.sandbox.rule_examples import ExampleKind, RuleExamples
from timbra.stamping.checks import CERTIFICATE
from timbra.validation.models import ReportEntryKind, ValidationReport
from timbra.validation.serializers import report_answer

UNSTAMPED_CODE = "SIN-TIMBRE"

STAMPING_ONLY = ("401", "T401")
"""Code of the rule that stamping evaluates and validation does not."""
EVALUATED = [
    rule
    for rule_set in RULE_SETS
    for rule in rule_set.rules
    if rule.code in EXAMPLES and not rule.fails_with and VALIDATE.severity(rule) is not None
    if rule.code not in STAMPING_ONLY
]
"""Rules that validation evaluates with the data of a sandbox."""
WITHOUT_DATA = {"CP155"}
"""Codes of rules that need a list that no sandbox has."""
OF_CERTIFICATE = [certificates.RULE_SET.rule(code) for check in CERTIFICATE.checks for code in check.codes]
"""Rules about certificate, seal and date that stamping evaluates."""
OLDER = ("CFDI33", "NOM1", "NOM2", "CRP2")
"""Codes of rules of CFDI 3.3 that rest on a list: the list is of another date than the document, so they warn."""


DAYS = ["2027-01-01T00:05:00", "2026-11-17T12:00:00", "2028-02-29T12:00:00"]


@pytest.fixture(params=cases(DAYS[:1], DAYS))
def examples(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RuleExamples]:
    """The examples of a new sandbox at a fiscal time."""
    monkeypatch.setattr(sandbox_app, "NOW", request.param)
    container = SandboxApp(tmp_path / "data").container
    yield OnceReported(container)
    container.close()


def own_section(rule_set: RuleSet) -> str | None:
    """Return the title of the section of a rule set; None for certificate and stamp, which have two sections."""
    if rule_set.complement is not None:
        return f"Complemento {rule_set.complement.TAG.rpartition('}')[2]}"
    return {"forma": "Estructura del XML", "sellos": None}.get(rule_set.name, "Comprobante")


SECTIONS: dict[str, set[str | None]] = {}
for each in RULE_SETS:
    for entry in each.rules:
        SECTIONS.setdefault(entry.display_code, set()).add(own_section(each))


def hidden_findings(report: ValidationReport) -> list[str]:
    """Return the codes of a report that are not in their own section, or in one with the entry of a correct section."""
    hidden = []
    for section, answer in zip(report.sections, report_answer(report).detail, strict=False):
        is_correct = any(entry["type"] == 1 for entry in answer.detail)
        for entry in section.entries:
            titles = SECTIONS.get(entry.code or "", {None})
            if not titles & {section.title, None} or (is_correct and entry.kind is ReportEntryKind.ERROR):
                hidden.append(f"{entry.code} in {section.title}")
    text = orjson.dumps(report_answer(report)).decode()
    stated = {public_code(entry.code or "") for section in report.sections for entry in section.entries}
    hidden += [
        code for code in re.findall(r'"code":"([^"]+)"', text.partition('"notEvaluated"')[0]) if code not in stated
    ]
    return hidden + [place for place in ("src/", ".md", "docs/") if place in text]


def test_examples_show_every_rule_in_a_new_sandbox_on_any_day(examples: RuleExamples) -> None:
    problems: list[tuple[str, str, object]] = []
    warned, without_data = [], set()
    for rule in EVALUATED:
        example = EXAMPLES[rule.code]
        passing = examples.report(examples.document(rule, example, ExampleKind.PASSING))
        if found := [entry.code for entry in passing.entries if entry.code != UNSTAMPED_CODE]:
            problems.append((rule.code, "pass", found))
        failing = examples.report(examples.document(rule, example, ExampleKind.FAILING))
        if hidden := hidden_findings(failing):
            problems.append((rule.code, "hidden", hidden))
        kinds = {entry.kind for entry in failing.entries if entry.code == rule.display_code}
        if not kinds and rule.code in {missing.code for missing in failing.not_evaluated}:
            without_data.add(rule.code)
        elif not kinds:
            problems.append((rule.code, "fail", [entry.code for entry in failing.entries]))
        elif VALIDATE.severity(rule) is Severity.ERROR and ReportEntryKind.ERROR not in kinds:
            warned.append(rule.code)
        elif VALIDATE.severity(rule) is Severity.WARNING and kinds != {ReportEntryKind.WARNING}:
            problems.append((rule.code, "severity", kinds))
    assert problems == []
    assert without_data <= WITHOUT_DATA
    assert [code for code in warned if not code.startswith(OLDER)] == []


@pytest.mark.parametrize("rule_set", [certificates.RULE_SET, declarations.RULE_SET], ids=lambda each: str(each.name))
def test_every_rule_outside_the_engine_has_an_example(rule_set: RuleSet) -> None:
    assert [rule.code for rule in rule_set.rules if rule.code not in EXAMPLES] == []


def test_stamping_rejects_the_failing_documents_of_rules_about_the_certificate(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path / "data")
    container = app.container
    examples = OnceReported(container)
    rejections = {
        rule.code: app.rejection(examples.document(rule, EXAMPLES[rule.code], ExampleKind.FAILING)).code
        for rule in OF_CERTIFICATE
    }
    assert rejections == {rule.code: rule.code for rule in OF_CERTIFICATE}
    assert STAMPING_ONLY[0] in rejections
    rule = RULES[STAMPING_ONLY[0]]
    assert app.stamp(examples.document(rule, EXAMPLES[rule.code], ExampleKind.PASSING)).uuid
    container.close()


def test_documents_of_a_rule_on_an_earlier_date_keep_their_date(examples: RuleExamples) -> None:
    rule = next(rule for rule in EVALUATED if rule.code == "CFDI33107")
    assert b'Fecha="2022-11-17' in examples.document(rule, EXAMPLES[rule.code], ExampleKind.FAILING)

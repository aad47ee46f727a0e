"""Documents that are older than their version or that of a complement: one finding says so, and no other is lost."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest
from lxml import etree
from tests.support.effort import rounds
from tests.support.rule_set_examples import EXAMPLES, RULES, evaluation_of
from tests.support.rules import document_nodes
from tests.support.sandbox_app import SandboxApp

from timbra.evaluation.early_documents import since_start, with_rule_sets
from timbra.examples.comprobante import FECHA
from timbra.examples.documents import DOCUMENTS
from timbra.rules.registry import ENGINE, RULE_SETS, check
from timbra.rules.shared.version_starts import STARTS
from timbra.validation.build import validation_services

DATES = {"VERSION-FECHA", "COMPLEMENTO-FECHA"}
OF_CERTIFICATE = {rule.display_code for each in RULE_SETS if each.name == "sellos" for rule in each.rules}
OTHERS = OF_CERTIFICATE | {"SIN-TIMBRE", "SELLO-COMPLEMENTO"}
EARLY = f"2021-12-31{FECHA[10:]}"
SATISFIED_EARLIER = {
    *("CFDI40136", "CFDI40194", "CFDI40199", "GCEH133"),
    "CFDI40999:Complemento-Vigencia",
    "CRP20247",
}
"""Rules about the date of the document itself, which the failing document satisfies on the earlier day."""
ENGINE_CODES = [
    rule.code
    for rule_set in ENGINE.rule_sets
    if "4.0" in rule_set.versions or rule_set.name == "retenciones20"
    for rule in rule_set.rules
    if rule.code in EXAMPLES
]


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


def first_days(text: str) -> list[date]:
    root = etree.fromstring(text.encode())
    found = {STARTS.get((str(each.tag), (each.get("Version") or "").strip())) for each in root.iter(etree.Element)}
    return sorted(day for day in found if day is not None)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document_of_an_earlier_day_has_one_finding_for_its_version_and_one_for_its_complement(
    sandbox_app: SandboxApp, name: str
) -> None:
    validation = sandbox_app.container.get(validation_services).validation
    for day in first_days(DOCUMENTS[name].make()):
        early = DOCUMENTS[name].make(fecha=f"{(day - timedelta(days=1)).isoformat()}T12:00:00")
        report = asyncio.run(validation.validate(early.encode(), False))
        codes = [entry.code for entry in report.entries if entry.code not in OTHERS]
        assert codes
        assert set(codes) <= DATES
        assert len(codes) == len(set(codes))


def test_early_documents_keep_the_findings_of_their_rules() -> None:
    """The same function keeps the findings of every rule: the suite asks each third one, and those that lose theirs."""
    codes = {*ENGINE_CODES[:: rounds(3, 1)], *SATISFIED_EARLIER}
    lost = []
    for code in codes:
        text = EXAMPLES[code].failing()
        early = text.replace(FECHA, EARLY)
        if early == text:
            continue
        nodes, (data, profile) = document_nodes(early), evaluation_of(RULES[code])
        root = etree.fromstring(early.encode())
        first, later = since_start(root, data, ENGINE)
        result = check(nodes, first, profile)
        for since, names in later:
            result = with_rule_sets(result, check(nodes, since, profile), names)
        rule = RULES[code]
        found = {each.code for each in result.findings} | {each.code for each in result.not_evaluated}
        if rule.display_code not in found and rule.in_force(date(2022, 1, 1)):
            lost.append(code)
    assert set(lost) == SATISFIED_EARLIER

"""The report of a drill: it passes only when nothing was lost or doubled, each fault alarmed and none was skipped."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from lxml import etree

from timbra.drill.comparison import Comparison
from timbra.drill.report import (
    Alarm,
    DrillOutcome,
    FaultReport,
    RehearsalReport,
    RejectionCount,
    conclusion,
    html,
    markdown,
    summary_row,
)

CLEAN = Comparison(invoices=100, answered=100, stored=100, delivered=100)


def fault(**values: object) -> FaultReport:
    usual: dict[str, object] = {
        "alarms": [Alarm("TimbraUnavailable", "critical", "a", 31.4)],
        "rejections": [RejectionCount("CO1000", 503, "CO1000 El servicio | no está disponible.", 1234)],
        "unready": 2.0,
        "said": "nodo a: 503 Falta: la base de datos no responde.",
        "held": 40.0,
        "mended": 3.2,
        "delivered": 8.0,
    }
    return FaultReport("database", "La base de datos se cae", **(usual | values))  # type: ignore[arg-type]


def report(*faults: FaultReport, comparison: Comparison = CLEAN) -> RehearsalReport:
    about = "2026-11-29T12:00:00Z", 600.0, "1.0", "Linux", "PostgreSQL 15", 2, 5.0
    return RehearsalReport(*about, faults=[*faults], comparison=comparison)


def test_report_passes() -> None:
    assert report(fault()).outcome is DrillOutcome.PASSED


@pytest.mark.parametrize("difference", ["lost", "altered", "undelivered", "doubled", "misdated"])
def test_report_fails_with_a_difference(difference: str) -> None:
    values: dict[str, Any] = {difference: ("6f1c",)}
    found = report(fault(), comparison=replace(CLEAN, **values))
    assert found.outcome is DrillOutcome.FAILED
    assert "# Simulacro: FALLÓ" in markdown(found)
    assert "- `6f1c`" in markdown(found)


def test_report_fails_with_an_invoice_without_a_stamp() -> None:
    assert report(fault(), comparison=replace(CLEAN, unanswered=(7,))).outcome is DrillOutcome.FAILED


def test_report_fails_without_stamps() -> None:
    assert report(fault(), comparison=Comparison(0, 0, 0, 0)).outcome is DrillOutcome.FAILED


@pytest.mark.parametrize(
    ("missing", "problem"),
    [
        ({"alarms": ()}, "ninguna alarma avisó"),
        ({"mended": None}, "el servicio no se recuperó a tiempo"),
        ({"delivered": None}, "no se entregó todo a tiempo"),
    ],
)
def test_report_fails_with_a_fault(missing: dict[str, object], problem: str) -> None:
    found = report(fault(), fault(**missing))
    assert found.outcome is DrillOutcome.FAILED
    assert found.faults[1].problems() == [problem]
    assert f"- **{problem}**" in markdown(found)


def test_report_is_not_passed_when_a_fault_was_skipped() -> None:
    skipped = FaultReport("device", "El dispositivo no responde", reason="no está SoftHSM")
    found = report(fault(), skipped)
    assert found.outcome is DrillOutcome.SKIPPED
    assert "No se hizo: no está SoftHSM." in markdown(found)
    assert summary_row(skipped)[1:3] == ("OMITIDA", "no está SoftHSM")
    assert report(fault(alarms=()), skipped).outcome is DrillOutcome.FAILED


def test_report_says_what_alarmed_what_was_rejected_and_when_it_was_mended() -> None:
    found = report(fault())
    assert summary_row(found.faults[0]) == (
        "La base de datos se cae",
        "pasó",
        "TimbraUnavailable, 31 s",
        "1,234",
        "3 s",
        "8 s",
    )
    text = markdown(found)
    assert "Alarma `TimbraUnavailable` (critical), nodo a: a los 31 s." in text
    assert "| CO1000 | 503 | 1,234 | CO1000 El servicio \\| no está disponible. |" in text
    assert "/health/ready` a los 2 s: nodo a: 503 Falta: la base de datos no responde." in text
    assert conclusion(found) in text


def test_conclusion_counts_lost_and_doubled_stamps() -> None:
    found = report(comparison=replace(CLEAN, lost=("a",), undelivered=("b", "c"), doubled=("d", "e")))
    assert "3 perdidos, 2 duplicados, 0 distintos, 0 con otra fecha, 0 sin respuesta" in conclusion(found)


def test_html_has_the_tables_of_the_report_and_escapes_what_clients_got() -> None:
    page = html(report(fault(said="nodo a: <script>alert(1)</script>")))
    tree = etree.HTML(page)
    assert tree.findtext(".//h1") == "Simulacro: pasó"
    cells = ["".join(map(str, cell.itertext())) for cell in tree.findall(".//table")[1].iter("td")]
    assert cells == ["CO1000", "503", "1,234", "CO1000 El servicio | no está disponible."]
    assert tree.find(".//script") is None
    assert "<code>TimbraUnavailable</code>" in page


def test_json_has_the_outcome_of_each_fault() -> None:
    read = json.loads(report(fault(alarms=())).to_json())
    assert (read["outcome"], read["faults"][0]["outcome"]) == ("failed", "failed")
    assert read["faults"][0]["problems"] == ["ninguna alarma avisó"]
    assert read["comparison"]["answered"] == 100

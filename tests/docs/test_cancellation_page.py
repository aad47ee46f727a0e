"""The guide to cancellation has exactly the states, transitions and codes of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from timbra.messages.cancelling import CODES
from timbra.messages.causes.cancellation import DETAILS
from timbra.sandbox.authority.cancellation.state_machine import TABLE, CancellationState, Transition

PAGE = (Path(__file__).parents[2] / "docs" / "cancellation.md").read_text(encoding="utf-8")
ROW = re.compile(r"\| (Vigente) \|(.*)\| `(\w+)`.*\| (\w+), (.*) \|")


def table() -> dict[tuple[CancellationState, Transition], CancellationState]:
    """Return the table of the page."""
    return {
        (CancellationState((status, before.strip())), Transition(step)): CancellationState((then, after))
        for status, before, step, then, after in ROW.findall(PAGE)
    }


def test_table_equals_that_of_the_code() -> None:
    assert table() == TABLE


def test_diagram_equals_the_table_of_the_code() -> None:
    arrows = re.findall(r"^    ([A-Z_]+) --> ([A-Z_]+): (\w+)$", PAGE, re.MULTILINE)
    assert {
        (CancellationState[before], Transition(step)): CancellationState[after] for before, after, step in arrows
    } == TABLE
    assert len(arrows) == len(TABLE)


@pytest.mark.parametrize("state", CancellationState)
def test_diagram_labels_states_with_their_values(state: CancellationState) -> None:
    [label] = re.findall(rf'^    state "(.*)" as {state.name}$', PAGE, re.MULTILINE)
    assert label in {", ".join(filter(None, state.value)), state.cancellation}


def test_codes_of_the_page_exist() -> None:
    codes = set(re.findall(r"^\| (\d{3,4}) \|", PAGE, re.MULTILINE))
    assert {"201", "1201"} <= codes <= CODES.keys()


def test_codes_of_rejected_requests_exist() -> None:
    codes = set(re.findall(r"CR\d{4}", PAGE))
    assert codes == {code for code in DETAILS if code.startswith("CR")} | {"CR1001"}

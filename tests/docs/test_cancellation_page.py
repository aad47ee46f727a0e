"""The guide to cancellation names the states, steps and codes of the code, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from timbra.authority.sandbox.cancellation.state_machine import TABLE, CancellationState, Transition
from timbra.messages.cancelling import CODES

PAGE = (Path(__file__).parents[2] / "docs" / "cancellation.md").read_text(encoding="utf-8")
ROW = re.compile(r"\| (Vigente) \|(.*)\| `(\w+)`.*\| (\w+), (.*) \|")


def table() -> dict[tuple[CancellationState, Transition], CancellationState]:
    """The page's own table."""
    return {
        (CancellationState((status, before.strip())), Transition(step)): CancellationState((then, after))
        for status, before, step, then, after in ROW.findall(PAGE)
    }


def test_the_table_is_the_codes() -> None:
    assert table() == TABLE


def test_the_diagram_is_the_codes() -> None:
    arrows = re.findall(r"^    ([A-Z_]+) --> ([A-Z_]+): (\w+)$", PAGE, re.MULTILINE)
    assert {
        (CancellationState[before], Transition(step)): CancellationState[after] for before, after, step in arrows
    } == TABLE
    assert len(arrows) == len(TABLE)


@pytest.mark.parametrize("state", CancellationState)
def test_the_diagram_calls_states_by_their_words(state: CancellationState) -> None:
    [shown] = re.findall(rf'^    state "(.*)" as {state.name}$', PAGE, re.MULTILINE)
    assert shown in {", ".join(filter(None, state.value)), state.cancellation}


def test_its_codes_exist() -> None:
    codes = re.findall(r"^\| (\d{3}) \|", PAGE, re.MULTILINE)
    assert codes
    assert set(codes) <= CODES.keys()

"""Explanations of codes as the portal shows them: with the example documents and their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timbra.rules.reference.codes import codes_of_digits, find_code, suggestions
from timbra.rules.reference.differences import Difference, differences, indented
from timbra.rules.reference.explanation import Explanation, explanations

MAX_DIFFERENCES = 30


@dataclass(frozen=True, slots=True)
class ExplanationView:
    """One meaning of a code.

    Attributes:
        explanation: Message, facts, cause and remedy.
        differences: Differences of the example documents; empty without them.
        hidden: Number of differences that are not shown.
        documents: Spanish title and XML of each example document, without seal.
    """

    explanation: Explanation
    differences: Sequence[Difference] = ()
    hidden: int = 0
    documents: Sequence[tuple[str, str]] = ()


def known_code(text: str) -> str | None:
    """Return the code that a text writes, also by its digits alone; None when it is unknown or ambiguous."""
    numbered = codes_of_digits(text)
    return find_code(text) or (numbered[0] if len(numbered) == 1 else None)


def near_codes(text: str) -> list[str]:
    """Return the codes nearest to an unknown one, the nearest first."""
    return suggestions(text)


def explanation_views(code: str) -> list[ExplanationView]:
    """Return every meaning of a code that `known_code` returned."""
    return [_view(explanation) for explanation in explanations(code)]


def _view(explanation: Explanation) -> ExplanationView:
    if explanation.example is None:
        return ExplanationView(explanation)
    passing, failing = explanation.example.passing(), explanation.example.failing()
    found = differences(passing, failing)
    documents = (
        ("Documento que cumple la regla", indented(passing)),
        ("Documento que incumple la regla", indented(failing)),
    )
    return ExplanationView(explanation, found[:MAX_DIFFERENCES], max(0, len(found) - MAX_DIFFERENCES), documents)

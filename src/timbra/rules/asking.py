"""The rules of one kind of node, bound for one kind of document, and how they are asked.

Of rules that tell what they read, only those are asked of a node that do not hold for all nodes that read the same:
that is found once, and remembered for later documents of the same date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from timbra.cfdi.nodes import Node
from timbra.rules.case import Case
from timbra.rules.finding import Breach, Severity, Unknown, Verdict
from timbra.rules.rule import AnyRule, reader

MOST_DATES, MOST_VALUES = 4, 3_000
"""How much is remembered, some 100 bytes a value; beyond it all is forgotten and found anew."""

Judge = Callable[[Any, Case], Verdict]
Condition = Callable[[Any, Case], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """A rule as one book and profile ask it."""

    rule: AnyRule
    severity: Severity
    book: str


Question = tuple[Condition | None, Judge, Asked]
"""What the loop over nodes needs of a rule."""

Judged = list[tuple[Asked, Node, Breach | Unknown]]
"""What does not hold, and of which node."""


class Questions:
    """The rules of one kind of node, in SAT's order."""

    def __init__(self, asked: Iterable[Asked]) -> None:
        each: list[Question] = []
        alike: dict[tuple[str, ...], list[Question]] = {}
        for entry in asked:
            rule = entry.rule
            reads = rule.reads or rule.applies_reads
            (alike.setdefault(reads, []) if reads else each).append((rule.applies, rule.judge, entry))
        self._each = tuple(each)
        self._alike = tuple([_Alike(reads, questions) for reads, questions in alike.items()])

    def ask(self, nodes: Sequence[Node], case: Case, judged: Judged) -> None:
        """Every rule of every node; what does not hold is added to `judged`."""
        each = self._each
        alike = [(group.reads, group.remembered(case.on), group) for group in self._alike]
        for node in nodes:
            _put(each, node, case, judged)
            for reads, remembered, group in alike:
                value = reads(node)
                left = remembered.get(value)
                if left is None:
                    left = group.left(node, case, value, remembered)
                if left:
                    _put(left, node, case, judged)


def _put(questions: Iterable[Question], node: Node, case: Case, judged: Judged) -> None:
    for applies, judge, entry in questions:
        if applies is None or applies(node, case):
            verdict = judge(node, case)
            if verdict is not None:
                judged.append((entry, node, verdict))


Remembered = dict[object, tuple[Question, ...]]
"""By what nodes read: the rules that are left to be asked of each."""


_OPEN = Unknown("more than what is read")


class _Alike:
    """Rules that read the same attributes."""

    def __init__(self, names: tuple[str, ...], questions: list[Question]) -> None:
        self.reads = reader(names)
        self._questions = tuple([(question, bool(question[2].rule.reads)) for question in questions])
        self._by_date: dict[date, Remembered] = {}

    def remembered(self, on: date) -> Remembered:
        found = self._by_date.get(on)
        if found is None:
            if len(self._by_date) >= MOST_DATES:
                self._by_date.clear()
            found = self._by_date[on] = {}
        return found

    def left(self, node: Node, case: Case, value: object, remembered: Remembered) -> tuple[Question, ...]:
        """The rules that what they read does not settle. Remembered unless one is broken: what is wrong is endless."""
        left: tuple[Question, ...] = ()
        broken = False
        for question, settles in self._questions:
            applies, judge, entry = question
            if applies is None or applies(node, case):
                verdict = judge(node, case) if settles else _OPEN
                if verdict is not None:
                    left += ((None, judge, entry),)
                    broken = broken or isinstance(verdict, Breach)
        if not broken:
            if len(remembered) >= MOST_VALUES:
                remembered.clear()
            remembered[value] = left
        return left

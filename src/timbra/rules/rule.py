"""A rule: one function for one SAT code, with what is known about it.

    @rule("CFDI40149", at="Receptor/@DomicilioFiscalReceptor", applies=is_generic)
    def generic_receiver_lives_where_it_is_issued(receptor: Receptor, case: Case) -> Verdict:
        ...

Its life has three steps: does it apply to the node, was it in force on the document's date, does it hold.
The function answers the last; the engine asks the others. It never raises, reads no clock, keeps no state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from operator import attrgetter
from types import ModuleType
from typing import Any, Generic, TypeVar, get_type_hints

from timbra.cfdi.nodes import ComplementNode, Node
from timbra.rules.finding import Need, Severity, Verdict

N = TypeVar("N", bound=Node)
C = TypeVar("C")

VERSIONS = ("4.0", "3.3")
"""Of the Comprobante, those that have rules."""

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Rule(Generic[N, C]):
    """at: path from the root without indexes, below the kind's own. types: values of TipoDeComprobante it is about,
    empty for all. reads: the attributes of the node on which, with the date and the catalogs, everything depends: what
    held for one node holds for its equals, in later documents too. applies_reads: the same of `applies` alone.
    since, until: first and last date of documents it holds for. columns: (catalog, column) that no source may carry.
    inseparable: codes that break whenever this one does.
    An identity `CFDI40999:Name` tells apart what SAT demands without a code of its own; findings show CFDI40999.
    """

    code: str
    kind: type[N]
    at: str
    judge: Callable[[N, C], Verdict] = field(repr=False)
    source: str = field(repr=False)
    applies: Callable[[N, C], bool] | None = field(default=None, repr=False)
    needs: frozenset[Need] = frozenset()
    types: str = ""
    since: date = date.min
    until: date = date.max
    severity: Severity = Severity.ERROR
    reads: tuple[str, ...] = ()
    applies_reads: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    inseparable: frozenset[str] = frozenset()

    @property
    def tail(self) -> str:
        """The path below the node: `@Importe`; empty when the rule is about the node itself."""
        return self.at[len(self.kind.PATH) :].lstrip("/")

    @property
    def shown(self) -> str:
        """The code that findings carry."""
        return self.code.partition(":")[0]

    @property
    def name(self) -> str:
        return self.judge.__name__

    def in_force(self, on: date) -> bool:
        return self.since <= on <= self.until

    @property
    def place(self) -> tuple[int, str]:
        """Sorts the rules of a matrix as SAT numbers them; the printed 140223 stands for 40223."""
        numbers = _NUMBER.findall(self.shown)
        number = int(numbers[-1]) if numbers else 0
        return (number - 100_000 if 140_000 <= number < 150_000 else number, self.code)


def rule(
    code: str,
    *,
    at: str,
    source: str = "",
    applies: Callable[[N, C], bool] | None = None,
    needs: Iterable[Need] = (),
    types: str = "",
    since: date = date.min,
    until: date = date.max,
    severity: Severity = Severity.ERROR,
    reads: Iterable[str] = (),
    applies_reads: Iterable[str] = (),
    columns: Iterable[tuple[str, str]] = (),
    inseparable: Iterable[str] = (),
) -> Callable[[Callable[[N, C], Verdict]], Rule[N, C]]:
    """Make a function a rule; the node's kind is the annotation of its first parameter."""

    def register(judge: Callable[[N, C], Verdict]) -> Rule[N, C]:
        kind = _kind(judge)
        if not at.startswith(kind.PATH):
            raise ValueError(f"{code}: {at} does not lie below {kind.PATH}")
        return Rule(
            code, kind, at, judge, source, applies, frozenset(needs), types, since, until, severity,
            tuple(reads), tuple(applies_reads), tuple(columns), frozenset(inseparable),
        )  # fmt: skip

    return register


def _kind(judge: Callable[..., Any]) -> type[Any]:
    hints = get_type_hints(judge)
    first = next(iter(hints.values()))
    if not (isinstance(first, type) and issubclass(first, Node)):
        raise TypeError(f"{judge.__name__}: the first parameter is no kind of node")
    return first


AnyRule = Rule[Any, Any]


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a matrix that is no rule, and why. kind: documents with such nodes report it as "not evaluated"."""

    code: str
    at: str
    reason: str
    kind: type[Node] | None = None


@dataclass(frozen=True, slots=True)
class Book:
    """The rules of one standard. name: as sections and indexes show it; revision: of the matrix it follows.

    complement: the head of the complement that the book is about; it is asked only of documents that carry it, and its
    rules may be about the invoice's own nodes too. None: about every invoice. versions: of the Comprobante it judges.
    """

    name: str
    revision: str
    rules: tuple[AnyRule, ...] = field(repr=False)
    listed: tuple[Listed, ...] = field(default=(), repr=False)
    complement: type[ComplementNode] | None = None
    versions: tuple[str, ...] = VERSIONS

    def __post_init__(self) -> None:
        codes = [entry.code for entry in self.rules] + [row.code for row in self.listed]
        twice = {code for code in codes if codes.count(code) > 1}
        if twice:
            raise ValueError(f"{self.name}: twice there: {', '.join(sorted(twice))}")

    @staticmethod
    def of(
        name: str,
        revision: str,
        source: str,
        modules: Iterable[ModuleType],
        listed: Iterable[Listed] = (),
        complement: type[ComplementNode] | None = None,
        versions: tuple[str, ...] = VERSIONS,
    ) -> Book:
        """The book of the rules that these modules define, in SAT's order. ValueError for a code that comes twice.

        source: of rules that name none of their own.
        """
        found = [entry for module in modules for entry in vars(module).values() if _defined_in(entry, module)]
        sourced = [entry if entry.source else replace(entry, source=source) for entry in found]
        ordered = tuple(sorted(sourced, key=lambda entry: entry.place))
        return Book(name, revision, ordered, tuple(listed), complement, versions)

    def rule(self, code: str) -> AnyRule:
        """The rule of a code; KeyError when there is none."""
        for entry in self.rules:
            if entry.code == code:
                return entry
        raise KeyError(code)


def _defined_in(entry: object, module: ModuleType) -> bool:
    return isinstance(entry, Rule) and entry.judge.__module__ == module.__name__


def reader(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """What two nodes must share for one verdict to serve both."""
    return attrgetter(*names)

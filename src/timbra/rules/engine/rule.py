"""A rule: the predicate of one SAT code with its metadata.

    @rule("CFDI40149", at="Receptor/@DomicilioFiscalReceptor", applies=is_generic)
    def generic_receiver_has_postal_code_of_issue(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
        ...

The engine evaluates a rule in three steps: it selects the rules in force on the document's date, it calls `applies`
with the node, and it calls the predicate. A predicate never raises, reads no clock and keeps no state.
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
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity

N = TypeVar("N", bound=Node)
C = TypeVar("C")

VERSIONS = ("4.0", "3.3")
"""Versions of Comprobante that have rules."""

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Rule(Generic[N, C]):
    """A rule as `rule` makes it.

    Attributes:
        code: SAT's code. `CFDI40999:Name` identifies a requirement without a code of its own, reported as CFDI40999.
        kind: the class of nodes that the engine passes to the predicate.
        at: path from the root without indexes; it begins with the path of `kind`.
        predicate: the function that evaluates a node.
        source: the SAT document that states the rule.
        applies: whether the rule concerns a node; None when it concerns every node of the kind.
        needs: lists without which the rule is reported as not evaluated.
        types: values of TipoDeComprobante that the rule concerns; empty for all.
        since, until: first and last date (Fecha) of the documents that the rule concerns.
        severity: effect of a violation; a profile may change it.
        reads: attributes of the node that determine the result, together with the date and the catalogs. The engine
            caches the result for equal values, also across documents.
        applies_reads: the same for `applies` alone.
        columns: (catalog, column) pairs that a snapshot may lack; the rule is then reported as not evaluated.
        inseparable: codes that every document violating this rule violates too.
    """

    code: str
    kind: type[N]
    at: str
    predicate: Callable[[N, C], RuleResult] = field(repr=False)
    source: str = field(repr=False)
    applies: Callable[[N, C], bool] | None = field(default=None, repr=False)
    needs: frozenset[DataRequirement] = frozenset()
    types: str = ""
    since: date = date.min
    until: date = date.max
    severity: Severity = Severity.ERROR
    reads: tuple[str, ...] = ()
    applies_reads: tuple[str, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    inseparable: frozenset[str] = frozenset()

    @property
    def relative_path(self) -> str:
        """Path below the node: `@Importe`; empty when the rule concerns the node itself."""
        return self.at[len(self.kind.PATH) :].lstrip("/")

    @property
    def display_code(self) -> str:
        """The code that findings show, without the name after the colon."""
        return self.code.partition(":")[0]

    @property
    def name(self) -> str:
        """Name of the predicate function."""
        return self.predicate.__name__

    def in_force(self, on: date) -> bool:
        """Whether the rule concerns documents of the date."""
        return self.since <= on <= self.until

    @property
    def sort_key(self) -> tuple[int, str]:
        """Key that sorts rules by SAT's numbers; the printed number 140223 counts as 40223."""
        numbers = _NUMBER.findall(self.display_code)
        number = int(numbers[-1]) if numbers else 0
        return (number - 100_000 if 140_000 <= number < 150_000 else number, self.code)


def rule(
    code: str,
    *,
    at: str,
    source: str = "",
    applies: Callable[[N, C], bool] | None = None,
    needs: Iterable[DataRequirement] = (),
    types: str = "",
    since: date = date.min,
    until: date = date.max,
    severity: Severity = Severity.ERROR,
    reads: Iterable[str] = (),
    applies_reads: Iterable[str] = (),
    columns: Iterable[tuple[str, str]] = (),
    inseparable: Iterable[str] = (),
) -> Callable[[Callable[[N, C], RuleResult]], Rule[N, C]]:
    """Return a decorator that makes a predicate a `Rule`.

    The annotation of the predicate's first parameter is the kind of node. The arguments are the attributes of `Rule`.

    Raises:
        ValueError: `at` is not below the path of the kind.
        TypeError: the first parameter is not annotated with a node class.
    """

    def register(predicate: Callable[[N, C], RuleResult]) -> Rule[N, C]:
        kind = _kind(predicate)
        if not at.startswith(kind.PATH):
            raise ValueError(f"{code}: {at} is not below {kind.PATH}")
        return Rule(
            code, kind, at, predicate, source, applies, frozenset(needs), types, since, until, severity,
            tuple(reads), tuple(applies_reads), tuple(columns), frozenset(inseparable),
        )  # fmt: skip

    return register


def _kind(predicate: Callable[..., Any]) -> type[Any]:
    hints = get_type_hints(predicate)
    first = next(iter(hints.values()))
    if not (isinstance(first, type) and issubclass(first, Node)):
        raise TypeError(f"{predicate.__name__}: the first parameter is not annotated with a node class")
    return first


AnyRule = Rule[Any, Any]


@dataclass(frozen=True, slots=True)
class NotImplementedRow:
    """A row of SAT's matrix that has no rule.

    Attributes:
        reason: why there is no rule, in Spanish.
        kind: documents that have nodes of this kind report the row as not evaluated; None for no report.
    """

    code: str
    at: str
    reason: str
    kind: type[Node] | None = None


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one standard.

    Attributes:
        name: as report sections and the rule catalog show it.
        revision: revision of SAT's matrix.
        rules: in SAT's order.
        not_implemented: rows of the matrix without a rule.
        complement: root node class of the complement; the rules are evaluated only for documents that carry it, and may
            concern nodes of the invoice itself. None: the rules concern every invoice.
        versions: versions of Comprobante that the rules concern.
    """

    name: str
    revision: str
    rules: tuple[AnyRule, ...] = field(repr=False)
    not_implemented: tuple[NotImplementedRow, ...] = field(default=(), repr=False)
    complement: type[ComplementNode] | None = None
    versions: tuple[str, ...] = VERSIONS

    def __post_init__(self) -> None:
        codes = [entry.code for entry in self.rules] + [row.code for row in self.not_implemented]
        duplicates = {code for code in codes if codes.count(code) > 1}
        if duplicates:
            raise ValueError(f"{self.name}: duplicate codes: {', '.join(sorted(duplicates))}")

    @staticmethod
    def from_modules(
        name: str,
        revision: str,
        source: str,
        modules: Iterable[ModuleType],
        not_implemented: Iterable[NotImplementedRow] = (),
        complement: type[ComplementNode] | None = None,
        versions: tuple[str, ...] = VERSIONS,
    ) -> RuleSet:
        """Build a rule set from the rules that the modules define.

        Args:
            name: as report sections and the rule catalog show it.
            revision: revision of the SAT's matrix.
            source: SAT document of the rules that name none.
            modules: modules of rules; rules that a module imports from another one are ignored.
            not_implemented: rows of the matrix without a rule.
            complement: root node class of the complement.
            versions: versions of Comprobante that the rules concern.

        Raises:
            ValueError: two rules or rows have the same code.
        """
        found = [entry for module in modules for entry in vars(module).values() if _defined_in(entry, module)]
        sourced = [entry if entry.source else replace(entry, source=source) for entry in found]
        ordered = tuple(sorted(sourced, key=lambda entry: entry.sort_key))
        return RuleSet(name, revision, ordered, tuple(not_implemented), complement, versions)

    def rule(self, code: str) -> AnyRule:
        """Return the rule of a code; KeyError when there is none."""
        for entry in self.rules:
            if entry.code == code:
                return entry
        raise KeyError(code)


def _defined_in(entry: object, module: ModuleType) -> bool:
    return isinstance(entry, Rule) and entry.predicate.__module__ == module.__name__


def attribute_reader(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a function that reads the attributes of a node as one hashable cache key."""
    return attrgetter(*names)

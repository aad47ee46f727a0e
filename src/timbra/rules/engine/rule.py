"""Rules: one record for each code, with its sentence, source, place and predicate.

A rule with logic is a decorated function:

    @rule(
        "CFDI40149",
        at="Receptor/@DomicilioFiscalReceptor",
        says="Con un RFC genérico, DomicilioFiscalReceptor debe ser igual a LugarExpedicion.",
        applies=is_generic,
    )
    def generic_receiver_has_postal_code_of_issue(receptor: Receptor, ctx: EvaluationContext) -> RuleResult:
        ...

A rule that is a row of a table names a shared predicate:

    CFDI40113 = row(
        "CFDI40113",
        Comprobante,
        at="@Moneda",
        says="Moneda debe ser una clave vigente de c_Moneda.",
        check=in_catalog("c_Moneda", "Moneda"),
    )

The module `examples` of the rule set has the failing document of each code; it is imported when one is asked for.

The engine evaluates a rule in three steps: it selects the rules in force on the document's date, it calls `applies`
with the node, and it calls the predicate. A predicate never raises, reads no clock and keeps no state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypedDict, TypeVar, Unpack, get_type_hints

from timbra.cfdi.nodes import Node
from timbra.rules.engine.citation import OF_RULE_SET, Citation
from timbra.rules.engine.result import DataRequirement, RuleResult, Severity
from timbra.rules.engine.tables import NO_TABLES, Tables

if TYPE_CHECKING:
    from timbra.examples.codes.example import DocumentPair
    from timbra.examples.tree import Change

N = TypeVar("N", bound=Node)
C = TypeVar("C")

_NUMBER = re.compile(r"\d+")


class NoExample(StrEnum):
    """Why a rule has no failing document. The value is the Spanish text for users."""

    SUSPENDED = "el SAT no ha habilitado la regla"
    NO_DATA = "ninguna fuente trae los datos de la regla"
    UNREACHABLE = "ningún documento válido por su esquema la incumple"


Fails: TypeAlias = "Mapping[str, Change] | DocumentPair | NoExample"
"""What makes a document violate a rule: changes of the rule set's base document, a pair of documents, or a reason."""


class RuleOptions(TypedDict, Generic[N, C], total=False):
    """Arguments of `rule` and `row` that most rules do not need; see the attributes of `Rule`."""

    note: str
    applies: Callable[[N, C], bool] | None
    needs: Iterable[DataRequirement]
    types: str
    since: date
    until: date
    severity: Severity
    columns: Iterable[tuple[str, str]]
    needs_values: bool
    inseparable: Iterable[str]
    reported_as: str
    reported_after: str


@dataclass(frozen=True, slots=True)
class Rule(Generic[N, C]):
    """A rule as `rule` and `row` make it.

    Attributes:
        code: SAT's code. `CFDI40999:Name` identifies a requirement without a code of its own, reported as CFDI40999.
        kind: the class of nodes that the engine passes to the predicate.
        at: path from the root without indexes; it begins with the path of `kind`.
        says: the requirement as one Spanish sentence.
        cites: the document that states the rule.
        predicate: the function that evaluates a node.
        note: how the sentence is applied, or which code reports a related error, in Spanish; empty for none.
        applies: whether the rule concerns a node; None when it concerns every node of the kind.
        needs: lists without which the rule is reported as not evaluated.
        types: values of TipoDeComprobante that the rule concerns; empty for all.
        since, until: first and last date (Fecha) of the documents that the rule concerns.
        severity: effect of a violation; a profile may change it.
        columns: (catalog, column) pairs that a snapshot may lack; the rule is then reported as not evaluated.
        needs_values: whether the rule is reported as not evaluated also when no key has a value in `columns`.
        inseparable: codes that every document violating this rule violates too.
        reported_as: code with which messages begin in place of this one; empty for its own.
        reported_after: code of the rule whose finding of the same attribute precedes that of this one; empty for the
            order of SAT's numbers.
        examples: module with the failing documents of the rule set; `discover_rules` enters it.
    """

    code: str
    kind: type[N]
    at: str
    says: str = field(repr=False)
    cites: Citation = field(repr=False)
    predicate: Callable[[N, C], RuleResult] = field(repr=False)
    note: str = field(default="", repr=False)
    applies: Callable[[N, C], bool] | None = field(default=None, repr=False)
    needs: frozenset[DataRequirement] = frozenset()
    types: str = ""
    since: date = date.min
    until: date = date.max
    severity: Severity = Severity.ERROR
    columns: tuple[tuple[str, str], ...] = ()
    inseparable: frozenset[str] = frozenset()
    reported_as: str = ""
    reported_after: str = ""
    needs_values: bool = False
    examples: str = field(default="", repr=False, compare=False)

    @property
    def source(self) -> str:
        """The citation in Spanish: document, revision and row."""
        return self.cites.of(self.code)

    @property
    def fails(self) -> Fails:
        """What makes a document violate the rule."""
        known: Mapping[str, Fails] = import_module(self.examples).FAILS
        if self.code not in known:
            raise LookupError(f"FAILS of {self.examples} has no document for {self.code}")
        return known[self.code]

    @property
    def fails_with(self) -> Tables:
        """Tables with which the failing document violates the rule, where the data in force cannot show it."""
        known: Mapping[str, Tables] = getattr(import_module(self.examples), "FAILS_WITH", {})
        return known.get(self.code, NO_TABLES)

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
        """Name of the predicate function, or of the factory that returned it."""
        return self.predicate.__qualname__.partition(".<locals>")[0]

    def in_force(self, on: date) -> bool:
        """Whether the rule concerns documents of the date."""
        return self.since <= on <= self.until

    @property
    def sort_key(self) -> tuple[int, str]:
        """Key that sorts rules by SAT's numbers; the printed number 140223 counts as 40223."""
        return sort_key(self.code)

    @property
    def finding_key(self) -> tuple[int, str, bool]:
        """Key that sorts findings of one attribute."""
        return (*sort_key(self.reported_after or self.code), bool(self.reported_after))


def sort_key(code: str) -> tuple[int, str]:
    """Return the key that sorts codes by SAT's numbers; the printed number 140223 counts as 40223."""
    numbers = _NUMBER.findall(code.partition(":")[0])
    number = int(numbers[-1]) if numbers else 0
    return (number - 100_000 if 140_000 <= number < 150_000 else number, code)


def rule(
    code: str, *, at: str, says: str, cites: Citation = OF_RULE_SET, **options: Unpack[RuleOptions[N, C]]
) -> Callable[[Callable[[N, C], RuleResult]], Rule[N, C]]:
    """Return a decorator that makes a predicate a `Rule`.

    The annotation of the predicate's first parameter is the kind of node. The arguments are the attributes of `Rule`;
    `cites` is that of the rule set when not given.

    Raises:
        ValueError: `at` is not below the path of the kind, or `says` is empty.
        TypeError: the first parameter is not annotated with a node class.
    """

    def register(predicate: Callable[[N, C], RuleResult]) -> Rule[N, C]:
        kind: type[N] = _kind(predicate)
        return row(code, kind, at=at, says=says, check=predicate, cites=cites, **options)

    return register


def row(
    code: str,
    kind: type[N],
    *,
    at: str,
    says: str,
    check: Callable[[N, C], RuleResult],
    cites: Citation = OF_RULE_SET,
    **options: Unpack[RuleOptions[N, C]],
) -> Rule[N, C]:
    """Return a rule whose predicate is shared.

    Args:
        code: SAT's code.
        kind: the class of nodes that the predicate takes.
        at: path from the root without indexes.
        says: the requirement as one Spanish sentence.
        check: the predicate.
        cites: the document that states the rule; that of its rule set when not given.
        options: other attributes of `Rule`.

    Raises:
        ValueError: `at` is not below the path of the kind, or `says` is empty.
    """
    if not at.startswith(kind.PATH):
        raise ValueError(f"{code}: {at} is not below {kind.PATH}")
    if not says.strip():
        raise ValueError(f"{code}: the sentence is empty")
    return Rule(
        code,
        kind,
        at,
        says,
        cites,
        check,
        note=options.get("note", ""),
        applies=options.get("applies"),
        needs=frozenset(options.get("needs", ())),
        types=options.get("types", ""),
        since=options.get("since", date.min),
        until=options.get("until", date.max),
        severity=options.get("severity", Severity.ERROR),
        columns=tuple(options.get("columns", ())),
        inseparable=frozenset(options.get("inseparable", ())),
        reported_as=options.get("reported_as", ""),
        reported_after=options.get("reported_after", ""),
        needs_values=options.get("needs_values", False),
    )


def _kind(predicate: Callable[..., Any]) -> type[Any]:
    annotation = next(iter(predicate.__annotations__.values()), None)
    first = predicate.__globals__.get(annotation) if isinstance(annotation, str) else annotation
    if not isinstance(first, type):
        # Not the name of a class in the module: all annotations are evaluated, which takes ten times as long.
        first = next(iter(get_type_hints(predicate).values()))
    if not (isinstance(first, type) and issubclass(first, Node)):
        raise TypeError(f"{predicate.__name__}: the first parameter is not annotated with a node class")
    return first


AnyRule = Rule[Any, Any]


@dataclass(frozen=True, slots=True)
class NotImplementedRow:
    """A row of SAT's matrix that has no rule.

    Attributes:
        says: the requirement as one Spanish sentence.
        cites: the document that states it.
        reason: why there is no rule, in Spanish.
        kind: documents that have nodes of this kind report the row as not evaluated; None for no report.
    """

    code: str
    at: str
    says: str
    cites: Citation
    reason: str
    kind: type[Node] | None = None

    @property
    def source(self) -> str:
        """The citation in Spanish: document, revision and row."""
        return self.cites.of(self.code)

    @property
    def sort_key(self) -> tuple[int, str]:
        """Key that sorts rows by SAT's numbers."""
        return sort_key(self.code)

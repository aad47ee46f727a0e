"""What a rule says, and what the engine makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from timbra.errors import Place


class Severity(StrEnum):
    """How much a finding weighs. Suspended: published, not yet switched on. Inactive: SAT says not to apply it."""

    ERROR = "error"
    WARNING = "warning"
    SUSPENDED = "suspended"
    INACTIVE = "inactive"


class Need(StrEnum):
    """Data from outside the document and its catalogs."""

    TAXPAYERS = "l_RFC"
    OBLIGATIONS = "LCO"
    RELATED = "CFDI relacionados"
    MARKS = "marcas de l_RFC"
    COORDINATED = "marca SNCF de l_RFC"
    EXCHANGE_RATES = "tipos de cambio publicados"
    CONFIRMATIONS = "registro de claves de confirmación"
    ACQUIRERS = "operaciones del servicio de RFC del adquirente"
    PERMITS = "L_CNE"


OF_L_RFC = frozenset({Need.TAXPAYERS, Need.MARKS, Need.COORDINATED})
"""What is told by l_RFC."""
TOLD_BY_L_RFC = frozenset({Need.TAXPAYERS})
"""What a breach rests on that a row of l_RFC, or the want of one, proves."""


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that does not hold.

    found, expected: as the document writes them; expected may be a Spanish phrase. hint: Spanish, what usually
    causes it. at: the attribute or child instead of the rule's own. detail: the whole detail, where clients know one.
    proven: by the document alone, whatever lists the rule needs. rests_on: lists that this breach rests on, of a rule
    that can often do without them and so does not need them.
    """

    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    at: str | None = None
    detail: str | None = None
    proven: bool = False
    rests_on: frozenset[Need] = frozenset()


@dataclass(frozen=True, slots=True)
class Unknown:
    """A rule that cannot be decided. lacks: what is missing, in Spanish, as reports name it."""

    lacks: str


Verdict = Breach | Unknown | None
"""None: the rule holds, or has nothing to say about this node."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A breach at its place. path: XPath from the root without prefixes; book: which matrix the code is of.

    rests_on: the lists without which nobody would know.
    """

    code: str
    path: str
    severity: Severity
    book: str
    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    literal: str | None = None
    rests_on: frozenset[Need] = frozenset()

    @property
    def place(self) -> Place:
        """As refusals carry it."""
        return Place(self.path or None, self.found, self.expected)

    @property
    def detail(self) -> str:
        """Spanish text that names the place, what was found, what was expected, and the hint."""
        if self.literal is not None:
            return self.literal
        parts = [f"{self.path or 'Comprobante'}:"]
        parts.append("no está presente;" if self.found is None else f"se encontró «{self.found}»;")
        if self.expected is not None:
            parts.append(f"se esperaba {self.expected}.")
        text = " ".join(parts).rstrip(";") + ("" if self.expected is not None else ".")
        return f"{text} {self.hint}" if self.hint else text


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """A rule that was neither held nor broken for want of data."""

    code: str
    lacks: str
    book: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """All findings in document order, and what could not be judged."""

    findings: tuple[Finding, ...] = ()
    not_evaluated: tuple[NotEvaluated, ...] = ()

    def of(self, book: str) -> Outcome:
        """What one book says."""
        return self._where(lambda name: name == book)

    def without(self, books: Iterable[str]) -> Outcome:
        """What all other books say."""
        left_out = frozenset(books)
        return self._where(lambda name: name not in left_out)

    def _where(self, wanted: Callable[[str], bool]) -> Outcome:
        return Outcome(
            tuple(finding for finding in self.findings if wanted(finding.book)),
            tuple(record for record in self.not_evaluated if wanted(record.book)),
        )

    @property
    def rejection(self) -> Finding | None:
        """The first finding that rejects."""
        return next((finding for finding in self.findings if finding.severity is Severity.ERROR), None)

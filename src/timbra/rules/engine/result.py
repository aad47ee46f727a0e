"""Results: what a rule returns for one node, and the findings that the engine makes of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from timbra.core.errors import DocumentLocation, finding_sentence


class Severity(StrEnum):
    """Effect of a violation.

    ERROR rejects the document; WARNING is reported only. SUSPENDED: the SAT published the rule and has not enabled it
    yet. INACTIVE: the SAT says that the rule is not applied. The engine skips suspended and inactive rules.
    """

    ERROR = "error"
    WARNING = "warning"
    SUSPENDED = "suspended"
    INACTIVE = "inactive"


class DataRequirement(StrEnum):
    """A source of data outside the document and the catalogs. The value is the Spanish name in reports."""

    TAXPAYERS = "l_RFC"
    OBLIGATIONS = "LCO"
    RELATED = "CFDI relacionados"
    MARKS = "marcas de l_RFC"
    COORDINATED = "marca SNCF de l_RFC"
    EXCHANGE_RATES = "tipos de cambio publicados"
    CONFIRMATIONS = "registro de claves de confirmación"
    ACQUIRERS = "operaciones del servicio de RFC del adquirente"
    PERMITS = "L_CNE"


L_RFC_REQUIREMENTS = frozenset({DataRequirement.TAXPAYERS, DataRequirement.MARKS, DataRequirement.COORDINATED})
"""The requirements that l_RFC satisfies."""
TAXPAYER_LIST = frozenset({DataRequirement.TAXPAYERS})
"""`Violation.rests_on` of a violation that follows from a row of l_RFC, or from its absence."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Result of a predicate when the node violates the rule.

    Attributes:
        found: the value as the document writes it; None when it is absent.
        expected: the expected value as a document would write it, or a Spanish phrase.
        hint: the usual cause, in Spanish.
        at: path below the node of the attribute or child, in place of the rule's own.
        detail: the complete detail, for texts that clients compare literally.
        proven: True when the document alone proves the violation, whatever lists the rule needs.
        rests_on: lists that this violation depends on, besides the rule's `needs`.
    """

    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    at: str | None = None
    detail: str | None = None
    proven: bool = False
    rests_on: frozenset[DataRequirement] = frozenset()


@dataclass(frozen=True, slots=True)
class Indeterminate:
    """Result of a predicate that needs data which are not available.

    Attributes:
        missing: Spanish name of the data in reports.
    """

    missing: str


_WORDS = r"[^\sa-záéíóúüñ,;:«»]+"
_VALUE = re.compile(rf"(?P<value>\S+://\S+|{_WORDS}(?: {_WORDS})*|[0-9a-f-]{{36}})(?:, (?P<reason>[^\d].*))?")


def leading_value(expected: str | None) -> str | None:
    """Return the value at the start of an expected text, such as `200.00` of `200.00, la suma de los importes`.

    The text of a violation begins with the value, then a comma and the reason; a text that begins with a word in lower
    case is a phrase.

    Args:
        expected: `Violation.expected`.
    """
    matched = None if expected is None else _VALUE.fullmatch(expected)
    return None if matched is None else matched["value"]


RuleResult = Violation | Indeterminate | None
"""None: the node satisfies the rule, or the rule does not concern it."""


@dataclass(frozen=True, slots=True)
class FindingCause:
    """The finding that another one follows from, by code and path."""

    code: str
    path: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation with its location.

    Attributes:
        path: XPath from the root with indexes and without prefixes; empty for the root.
        rule_set: name of the rule set that the code belongs to.
        literal: the complete detail, for texts that clients compare literally.
        reported_as: code with which the message begins in place of `code`; None for its own.
        rests_on: the lists that the finding depends on; empty when the document alone proves it.
        root: name of the root element, for findings about the root itself.
        expected_value: the value that satisfies the rule, for programs; None when `expected` is a phrase only.
        cause: the finding that this one follows from, which has none itself; None for a primary finding.
    """

    code: str
    path: str
    severity: Severity
    rule_set: str
    found: str | None = None
    expected: str | None = None
    hint: str | None = None
    literal: str | None = None
    rests_on: frozenset[DataRequirement] = frozenset()
    root: str = "Comprobante"
    reported_as: str | None = None
    expected_value: str | None = None
    cause: FindingCause | None = None

    @property
    def location(self) -> DocumentLocation:
        """Location and values, as a `ServiceError` carries them."""
        return DocumentLocation(self.path or None, self.found, self.expected)

    @property
    def detail(self) -> str:
        """Spanish text with the path, the found value, the expected value, and the hint."""
        if self.literal is not None:
            return self.literal
        return finding_sentence(self.path or self.root, self.found, self.expected, self.hint)


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """A rule that could not be evaluated because data are missing.

    Attributes:
        missing: Spanish name of the data.
    """

    code: str
    missing: str
    rule_set: str


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """All findings, those of the invoice before those of complements, and the rules that could not be evaluated."""

    findings: tuple[Finding, ...] = ()
    not_evaluated: tuple[NotEvaluated, ...] = ()

    def for_rule_set(self, rule_set: str) -> EvaluationResult:
        return self._filter(lambda name: name == rule_set)

    def only(self, rule_sets: Iterable[str]) -> EvaluationResult:
        selected = frozenset(rule_sets)
        return self._filter(lambda name: name in selected)

    def without(self, rule_sets: Iterable[str]) -> EvaluationResult:
        """Return the results of all other rule sets."""
        excluded = frozenset(rule_sets)
        return self._filter(lambda name: name not in excluded)

    def _filter(self, selects: Callable[[str], bool]) -> EvaluationResult:
        return EvaluationResult(
            tuple(finding for finding in self.findings if selects(finding.rule_set)),
            tuple(record for record in self.not_evaluated if selects(record.rule_set)),
        )

    @property
    def rejection(self) -> Finding | None:
        """The first finding that rejects the document, None when none does."""
        return next((finding for finding in self.findings if finding.severity is Severity.ERROR), None)

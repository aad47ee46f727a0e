"""Answers of the tools.

The classes have no slots, which the library of the protocol takes for default values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Repair:
    """A change that satisfies the rule: `set` an attribute to a value, or `remove` an attribute or element.

    Attributes:
        path: the place, as in the finding.
        value: the value to set; None to remove.
    """

    action: Literal["set", "remove"]
    path: str
    value: str | None


@dataclass(frozen=True)
class FindingAnswer:
    """A finding of the library, with the remedy of its code and the change that satisfies its rule.

    Attributes:
        remedy: what to do about the code, in Spanish.
        repair: the change; None when a choice or a fact is needed, which `expected` and `remedy` describe.
    """

    code: str | None
    severity: Literal["error", "warning"]
    path: str | None
    found: str | None
    expected: str | None
    expected_value: str | None
    message: str
    detail: str | None
    hint: str | None
    remedy: str | None
    citation: str | None
    caused_by: str | None
    repair: Repair | None


@dataclass(frozen=True)
class ValidationAnswer:
    """The report of a document.

    Attributes:
        ok: whether there is no error.
        errors, warnings: their numbers; `findings` has the first 100 of both.
        not_evaluated: codes of the rules whose data this server does not have.
    """

    ok: bool
    version: str
    uuid: str | None
    errors: int
    warnings: int
    findings: list[FindingAnswer]
    not_evaluated: list[str]


@dataclass(frozen=True)
class DifferenceAnswer:
    """A place in which the document that satisfies a rule and the one that violates it differ."""

    path: str
    passing: str | None
    failing: str | None


@dataclass(frozen=True)
class Requirement:
    """A requirement that is reported with a shared code."""

    code: str
    path: str
    sentence: str


@dataclass(frozen=True)
class Meaning:
    """One meaning of a code; texts are Spanish.

    Attributes:
        source: the document that has the rule, with its place; None for a code of no rule.
        facts: further facts by their labels.
        example: the differences of two documents, at most 12.
        requirements: those that share the code, at most 40.
    """

    code: str
    message: str
    cause: str
    remedy: str
    source: str | None
    facts: dict[str, str]
    example: list[DifferenceAnswer]
    requirements: list[Requirement]


@dataclass(frozen=True)
class CodeMatches:
    """The codes that match, the best first, of `total`."""

    total: int
    codes: list[Requirement]


@dataclass(frozen=True)
class CatalogKey:
    """A key of a catalog with the SAT's text and its other columns that are not empty."""

    key: str
    text: str
    columns: dict[str, str]


@dataclass(frozen=True)
class CatalogMatches:
    """The keys of a catalog that match and are valid on the day, of `total`."""

    catalog: str
    on: str
    total: int
    keys: list[CatalogKey]


@dataclass(frozen=True)
class ExampleAnswer:
    """An example document, and the names of all of them."""

    name: str
    xml: str
    names: list[str]


@dataclass(frozen=True)
class LineAmountsAnswer:
    """What a Concepto adds up to; `wished` is its price with taxes, None when prices do not include them."""

    total: str
    wished: str | None
    difference: str


@dataclass(frozen=True)
class AmountsAnswer:
    """An invoice with its amounts.

    Attributes:
        comprobante: the invoice that was given, with all amounts.
        difference: what the prices with taxes exceed the sum of the lines by.
    """

    comprobante: dict[str, Any]
    total: str
    difference: str
    lines: list[LineAmountsAnswer]


@dataclass(frozen=True)
class PreviewAnswer:
    """What a stamp of the document would answer now.

    Attributes:
        ok: whether it would be stamped.
        code, message: the rejection; None for a document that would be stamped.
        path, found, expected: its place in the document, as in a finding; None for a rejection of the whole document.
    """

    ok: bool
    code: str | None = None
    message: str | None = None
    path: str | None = None
    found: str | None = None
    expected: str | None = None

"""A document that passed every check; only such a document can be stamped."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from datetime import datetime

from timbra.cfdi.nodes import FiscalDocument
from timbra.rules.engine.result import Finding, NotEvaluated

_PERMIT = object()


@dataclass(frozen=True, slots=True)
class ValidatedDocument:
    """A document without findings that reject it; only `Engine.validate_for_stamping` may create it.

    Attributes:
        warnings: the findings, none of which rejects.
        checked_at: fiscal instant of the evaluation.
        rules_version, catalogs_version, lists_version: versions that the document was evaluated against.

    Raises:
        TypeError: another caller creates it.
    """

    document: FiscalDocument
    warnings: tuple[Finding, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    checked_at: datetime
    rules_version: str
    catalogs_version: str
    lists_version: str
    permit: InitVar[object] = None

    def __post_init__(self, permit: object) -> None:
        if permit is not _PERMIT:
            raise TypeError("only the rules engine creates a validated document")

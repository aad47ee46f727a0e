"""Proof that a document passed every check: the only thing that may be stamped."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from datetime import datetime

from timbra.cfdi.nodes import Comprobante
from timbra.rules.finding import Finding, NotEvaluated

_PERMIT = object()


@dataclass(frozen=True, slots=True)
class Cleared:
    """Made by the engine alone; TypeError for anybody else.

    warnings: findings that do not reject. checked_at: the fiscal instant of the world. The versions say against what.
    """

    comprobante: Comprobante
    warnings: tuple[Finding, ...]
    not_evaluated: tuple[NotEvaluated, ...]
    checked_at: datetime
    rules_version: str
    catalogs_version: str
    lists_version: str
    permit: InitVar[object] = None

    def __post_init__(self, permit: object) -> None:
        if permit is not _PERMIT:
            raise TypeError("only the rules engine clears a document")

"""Predicates about the documents that a contract of hydrocarbons refers to, and about its percentages."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Protocol

from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult, Violation

_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-")


class RelatedDocument(Protocol):
    """DocumentoRelacionado of either complement."""

    @property
    def Mes(self) -> str: ...  # noqa: N802

    @property
    def FechaFolioFiscalVinculado(self) -> str | None: ...  # noqa: N802


class Share(Protocol):
    """A node with Porcentaje, as written and as a number."""

    @property
    def Porcentaje(self) -> str: ...  # noqa: N802

    @property
    def porcentaje(self) -> Decimal: ...


def month_is_of_date_or_previous(document: RelatedDocument, _ctx: EvaluationContext) -> RuleResult:
    """Mes is the month of FechaFolioFiscalVinculado or the previous one; any month passes without a date."""
    month, day = document.Mes, document.FechaFolioFiscalVinculado
    found = _MONTH.match(day or "")
    if found is None:
        return None
    month_of_date = int(found[1])
    allowed = (f"{month_of_date:02}", f"{month_of_date - 1 or 12:02}")
    if month in allowed:
        return None
    return Violation(found=month, expected=f"{' o '.join(allowed)}, por FechaFolioFiscalVinculado {day}")


def percentage_is_positive(node: Share, _ctx: EvaluationContext) -> RuleResult:
    """Porcentaje is greater than zero."""
    if node.porcentaje > 0:
        return None
    return Violation(found=node.Porcentaje, expected="un porcentaje mayor que cero")

"""Documents that a contract refers to, and its percentages."""

from __future__ import annotations

import re
from decimal import Decimal

from timbra.rules.engine.result import RuleResult, Violation

_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-")


def is_month_of(month: str, day: str | None) -> RuleResult:
    """Check that the month (01 to 12) is that of the ISO date or the one before; passes without a date."""
    found = _MONTH.match(day or "")
    if found is None:
        return None
    month_of_date = int(found[1])
    allowed = (f"{month_of_date:02}", f"{month_of_date - 1 or 12:02}")
    if month in allowed:
        return None
    return Violation(found=month, expected=f"{' o '.join(allowed)}, por FechaFolioFiscalVinculado {day}")


def is_share(text: str, share: Decimal) -> RuleResult:
    """Check that a percentage is greater than zero."""
    return None if share > 0 else Violation(found=text, expected="un porcentaje mayor que cero")

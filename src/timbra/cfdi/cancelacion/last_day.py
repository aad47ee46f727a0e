"""The last day on which a CFDI may be cancelled: the end of the month of the annual return.

Source: CFF, article 29-A, fourth paragraph; RMF 2.7.1.46.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date

MORAL_LENGTH = 12
"""Length of the RFC of a persona moral; that of a persona física has one character more."""
MORAL_MONTH, FISICA_MONTH = 3, 4
"""Month of the annual return of income tax, in the year that follows."""


def is_moral(rfc: str) -> bool:
    """Whether an RFC is that of a persona moral."""
    return len(rfc) == MORAL_LENGTH


def last_day(issuer_rfc: str, year: int) -> date:
    """Return the last day, inclusive, on which a CFDI may be cancelled.

    It is the end of March for a persona moral and the end of April for a persona física.

    Args:
        year: the year of Fecha of the CFDI.
    """
    month = MORAL_MONTH if is_moral(issuer_rfc) else FISICA_MONTH
    return date(year + 1, month, monthrange(year + 1, month)[1])

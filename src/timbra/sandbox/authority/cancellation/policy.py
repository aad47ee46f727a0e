"""Cancellation policy of the simulated authority: exemptions from acceptance, the receiver's term, the annual limit.

Source: RMF 2.7.1.34 (term, express acceptance), 2.7.1.35 (cancellation without acceptance), 2.7.1.46 (annual limit).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from decimal import Decimal

from timbra.cfdi.cancelacion.last_day import last_day
from timbra.cfdi.rfc import GENERIC
from timbra.core.clock import CENTRAL_MEXICO
from timbra.sandbox.authority.cancellation.working_days import end_of_working_day
from timbra.sandbox.store.models import RETENCION, DocumentRow

SMALL_TOTAL = Decimal(1000)
FREE_KINDS = frozenset("NET")
PAYMENT_KIND = "P"
TERM_DAYS = 3
EXPRESS_SINCE = datetime(2026, 1, 1, tzinfo=CENTRAL_MEXICO)
"""The first instant of requests that cancel a CFDI of hydrocarbons or fuel by express acceptance only.

Source: RMF 2026 (DOF 2025-12-28, in force 2026-01-01), rules 2.7.1.34 and 2.7.1.35.
"""


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of the policy.

    Attributes:
        hours: The receiver's term in hours; None for three working days.
        annual_limit: Whether the authority rejects late requests with 210.
        free_issuers: RFCs of the financial system and of the Federation, whose CFDI are cancelled without acceptance.
    """

    hours: int | None = None
    annual_limit: bool = True
    free_issuers: frozenset[str] = frozenset()

    def needs_no_acceptance(self, row: DocumentRow, now: datetime) -> bool:
        """Whether a document is cancelled without acceptance of its receiver, by parties, kind, total, fuel and age.

        Args:
            row: The CFDI or retención.
            now: The fiscal instant of the request.

        Source: RMF 2.7.1.35.
        """
        if row.issuer_rfc in self.free_issuers or row.receiver_rfc in GENERIC or row.kind in ("N", RETENCION):
            return True
        if needs_express_acceptance(row, now):
            return False
        if now < end_of_working_day(row.issued_at, 1):
            return True
        if row.fuel:
            return False
        return row.kind in FREE_KINDS or (row.kind != PAYMENT_KIND and Decimal(row.total_mxn) <= SMALL_TOTAL)

    def end_of_term(self, row: DocumentRow, requested_at: datetime) -> datetime | None:
        """Return the fiscal instant at which a request without an answer cancels the CFDI.

        Args:
            row: The CFDI.
            requested_at: The fiscal instant of the request.

        Returns:
            None when silence does not cancel it: the request stays pending until the receiver answers.

        Source: RMF 2.7.1.34.
        """
        if needs_express_acceptance(row, requested_at):
            return None
        if self.hours is not None:
            return requested_at + timedelta(hours=self.hours)
        return end_of_working_day(requested_at, TERM_DAYS)

    def closes_at(self, row: DocumentRow) -> datetime | None:
        """Return the fiscal instant from which a CFDI cannot be cancelled, see `last_day`.

        Returns:
            None without an annual limit. Retenciones have none: Anexo 20 states no deadline for them.
        """
        if not self.annual_limit or row.kind == RETENCION:
            return None
        following = last_day(row.issuer_rfc, row.year) + timedelta(days=1)
        return datetime.combine(following, time(), CENTRAL_MEXICO)


def needs_express_acceptance(row: DocumentRow, requested_at: datetime) -> bool:
    """Whether only an express acceptance of the receiver cancels the CFDI: it is of hydrocarbons or fuel.

    A generic receiver and the issuers without acceptance are not affected: such a request has no receiver to answer it.

    Args:
        requested_at: The fiscal instant of the request.
    """
    return row.fuel and requested_at >= EXPRESS_SINCE

"""Cancellation policy of the simulated authority: exemptions from acceptance, the receiver's term, the annual limit.

Source: RMF 2.7.1.34 (term), 2.7.1.35 (cancellation without acceptance), 2.7.1.46 (annual limit).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from timbra.authority.sandbox.cancellation.working_days import end_of_working_day
from timbra.cfdi.rfc import GENERIC
from timbra.clock import CENTRAL_MEXICO
from timbra.store.sandbox.models import DocumentRow

SMALL_TOTAL = Decimal(1000)
FREE_KINDS = frozenset("NET")
PAYMENT_KIND = "P"
TERM_DAYS = 3
# The month of the annual return; of a company by the length of its RFC.
COMPANY_RFC = 12
COMPANY_MONTH, PERSON_MONTH = 3, 4


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
        """Whether a CFDI is cancelled without acceptance of its receiver, by parties, kind, total, fuel and age.

        Args:
            row: The CFDI.
            now: The fiscal instant of the request.

        Source: RMF 2.7.1.35.
        """
        if row.issuer_rfc in self.free_issuers or row.receiver_rfc in GENERIC or row.kind == "N":
            return True
        if now < end_of_working_day(row.issued_at, 1):
            return True
        if row.fuel:
            return False
        return row.kind in FREE_KINDS or (row.kind != PAYMENT_KIND and Decimal(row.total_mxn) <= SMALL_TOTAL)

    def end_of_term(self, requested_at: datetime) -> datetime:
        """Return the fiscal instant at which a request without an answer cancels the CFDI."""
        if self.hours is not None:
            return requested_at + timedelta(hours=self.hours)
        return end_of_working_day(requested_at, TERM_DAYS)

    def closes_at(self, issuer_rfc: str, year: int) -> datetime | None:
        """Return the fiscal instant after which a CFDI cannot be cancelled; None without an annual limit.

        It is the end of the month in which the annual return is due: March for companies, April for persons.

        Args:
            issuer_rfc: The issuer; an RFC of 12 characters is a company's.
            year: The year of the CFDI.

        Source: RMF 2.7.1.46.
        """
        if not self.annual_limit:
            return None
        month = COMPANY_MONTH if len(issuer_rfc) == COMPANY_RFC else PERSON_MONTH
        return datetime.combine(date(year + 1, month + 1, 1), time(), CENTRAL_MEXICO)

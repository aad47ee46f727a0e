"""Pages of the simulated authority: for administrators, for accounts, and the public verification page."""

from __future__ import annotations

from timbra.portal.dispatch.page import Page
from timbra.portal.pages.sandbox.account_reset import PAGES as ACCOUNT_RESET
from timbra.portal.pages.sandbox.cancellations import PAGES as CANCELLATIONS
from timbra.portal.pages.sandbox.certificates import PAGES as CERTIFICATES
from timbra.portal.pages.sandbox.controls import PAGES as CONTROLS
from timbra.portal.pages.sandbox.first_run import PAGES as FIRST_RUN
from timbra.portal.pages.sandbox.ledger import PAGES as LEDGER
from timbra.portal.pages.sandbox.mails import PAGES as MAILS
from timbra.portal.pages.sandbox.taxpayers import PAGES as TAXPAYERS
from timbra.portal.pages.sandbox.verification import PAGES as VERIFICATION

PAGES: tuple[Page, ...] = (
    *FIRST_RUN,
    *CONTROLS,
    *TAXPAYERS,
    *CERTIFICATES,
    *CANCELLATIONS,
    *LEDGER,
    *MAILS,
    *ACCOUNT_RESET,
    *VERIFICATION,
)

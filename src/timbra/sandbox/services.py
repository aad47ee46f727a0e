"""The services of the sandbox, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.core.clock import Clock
    from timbra.evaluation.confirmations import ConfirmationRegistry
    from timbra.sandbox.account_reset import AccountReset
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority
    from timbra.sandbox.cancellation_replies import CancellationReplies
    from timbra.sandbox.caught_mails import CaughtMails
    from timbra.sandbox.certificates import CertificateAdministration
    from timbra.sandbox.clock import ClockControl
    from timbra.sandbox.faults import Faults
    from timbra.sandbox.ledger import LedgerService
    from timbra.sandbox.state import SandboxState
    from timbra.sandbox.taxpayers import TaxpayerAdministration


@dataclass(frozen=True, slots=True)
class SandboxServices:
    """The simulated authority and its controls; a production environment has none of them.

    Attributes:
        authority_ca: issues certificates for example documents.
        state: resets, saves and restores everything.
        account_reset: resets one account.
        mails: the e-mails that the sandbox kept instead of sending them.
        confirmations: issues keys of confirmation.
        poll: detects cached tables that other processes changed.
        refresh: publishes due lists and ends due requests.
    """

    registry: TaxpayerAdministration
    certificates: CertificateAdministration
    clock_control: ClockControl
    faults: Faults
    ledger: LedgerService
    authority_ca: SandboxAuthority
    cancellation_service: CancellationReplies
    state: SandboxState
    account_reset: AccountReset
    mails: CaughtMails
    confirmations: ConfirmationRegistry
    poll: Callable[[], None]
    refresh: Callable[[], None]
    wall: Clock
    fiscal: Clock

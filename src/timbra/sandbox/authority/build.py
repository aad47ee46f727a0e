"""Construction of the simulated authority."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.sandbox.faults import Fault
    from timbra.settings import Settings


from timbra.accounts.build import envelope_encryption
from timbra.cfdi.build import document_parser
from timbra.container import Container
from timbra.container.build import data_folder, fiscal_clock
from timbra.database.build import opened_database
from timbra.events.build import audit_writer, signature_counter
from timbra.sandbox.authority.cancellation.policy import Policy
from timbra.sandbox.authority.cancellation_service import SandboxCancellationService
from timbra.sandbox.authority.certificates.authority import SandboxAuthority, open_authority
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.caught_mails import CaughtMails
from timbra.sandbox.clock import ClockControl
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.mails import CaughtMailStore
from timbra.sandbox.store.transactions import SandboxStore
from timbra.stamps.build import database_stamps


def standing_faults(settings: Settings) -> list[Fault]:
    """Return the faults of `strict` and of `unknown_after_stamping_seconds`.

    Raises:
        ServiceError: "fault-invalid" for a setting that is out of range.
    """
    from timbra.sandbox.fault_selection import FaultSelection
    from timbra.sandbox.faults import make_fault

    faults = []
    if settings.unknown_after_stamping_seconds:
        faults.append(make_fault("delivery-late", seconds=settings.unknown_after_stamping_seconds))
    if not settings.strict:
        return faults
    retry_after = float(settings.strict_retry_after_seconds)
    for name, share, seconds in (
        ("answer-lost", settings.strict_answer_lost, None),
        ("unavailable", settings.strict_unavailable, retry_after),
        ("too-many-requests", settings.strict_too_many_requests, retry_after),
        ("latency", settings.strict_latency, settings.strict_latency_seconds),
        ("token-expired", settings.strict_token_expired, None),
        ("lco-changed", settings.strict_lco_changed, None),
    ):
        if share:
            selection = FaultSelection(share, settings.strict_seed, settings.strict_route, settings.strict_account)
            faults.append(make_fault(name, seconds=seconds, selection=selection))
    return faults


def sandbox_store(container: Container) -> SandboxStore:
    """Build the tables of the simulated authority."""
    return SandboxStore(container.get(opened_database))


def clock_control(container: Container) -> ClockControl:
    """Build the control of fiscal time."""
    return ClockControl(container.get(sandbox_store), container.wall, container.settings.clock)


def sandbox_faults(container: Container) -> Faults:
    """Build the simulated faults."""
    return Faults(container.get(sandbox_store), container.get(audit_writer), standing_faults(container.settings))


def sandbox_authority(container: Container) -> SandboxAuthority:
    """Build the simulated certificate authority; its certificates are published in the data folder."""
    get = container.get
    authority = open_authority(get(sandbox_store), get(envelope_encryption), get(signature_counter), get(audit_writer))
    authority.publish(get(data_folder) / "certificates")
    return authority


def sandbox_registry(container: Container) -> SandboxRegistry:
    """Build the simulated lists of taxpayers and certificates."""
    get, is_open = container.get, container.settings.accept_any_rfc
    return SandboxRegistry(
        get(sandbox_store), get(fiscal_clock), get(sandbox_faults), open_to_all=is_open, wall=container.wall
    )


def sandbox_ledger(container: Container) -> SandboxLedger:
    """Build the CFDI of the simulated authority."""
    get, settings = container.get, container.settings
    policy = Policy(
        hours=None if settings.cancellation_term == "working-days" else int(settings.cancellation_term[:-1]),
        annual_limit=settings.cancellation_annual_limit,
        free_issuers=frozenset(settings.cancellation_free_issuers.upper().replace(",", " ").split()),
    )
    return SandboxLedger(
        get(sandbox_store),
        get(database_stamps),
        get(fiscal_clock),
        get(sandbox_faults),
        get(document_parser),
        policy,
        container.wall,
        get(sandbox_registry).is_definitive,
    )


def sandbox_cancellations(container: Container) -> SandboxCancellationService:
    """Build the simulated cancellation service."""
    return SandboxCancellationService(container.get(sandbox_ledger), container.get(sandbox_authority).seal_acuse)


def kept_mails(container: Container) -> CaughtMails:
    """Build the e-mails that the sandbox keeps."""
    return CaughtMails(CaughtMailStore(container.get(opened_database)), container.wall)

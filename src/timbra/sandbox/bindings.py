"""The bindings of a sandbox: the simulated authority behind the ports of other packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

import structlog

from timbra.accounts.build import account_services
from timbra.accounts.ports import certificate_registration
from timbra.audit.build import audit_log
from timbra.catalogs.build import catalog_source
from timbra.catalogs.current import CatalogsInForce
from timbra.container import Bindings, Container
from timbra.container.build import fiscal_clock
from timbra.core.clock import Clock, known_time
from timbra.delivery.build import authority_outbox, delivery_state
from timbra.delivery.delivery import deliver_pending
from timbra.delivery.ports import AuthorityWork, authority_work, delivery_pace
from timbra.delivery.receptions import RECEIVED, DeliveryState
from timbra.documents.ports import CancellationAcuses, MailTransport, cancellation_acuses, mail_transport
from timbra.evaluation.ports import certificate_hint, known_elsewhere
from timbra.lists.build import published_lists
from timbra.operations.health import ServerHealth, catalog_health
from timbra.operations.ports import list_ages, server_health
from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData, dated_lists
from timbra.rules.ports import ReferenceSource, reference_source
from timbra.sandbox.authority.build import (
    clock_control,
    kept_mails,
    sandbox_authority,
    sandbox_cancellations,
    sandbox_faults,
    sandbox_ledger,
    sandbox_registry,
)
from timbra.sandbox.authority.cancellation.acuses import SandboxAcuses
from timbra.sandbox.authority.taxpayers.lists_in_force import ListsInForce
from timbra.sandbox.authority.taxpayers.merged_lists import MergedLists
from timbra.sandbox.fault_injection import ChangedLco, SandboxFaultInjection, is_lco_changed
from timbra.sat.port import Provider, StatusService
from timbra.sat.ports import (
    cancellation_authority,
    direct_status_service,
    provider_rfc,
    stamping_provider,
    status_service,
)
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.certificates.trust_store import ReplaceableTrustStore, TrustStore
from timbra.seals.ports import trust_store
from timbra.settings.mail import is_mail_kept
from timbra.validation.ports import current_presumptions, current_taxpayers
from timbra.validation.sandbox_documents import CERTIFICATE_HINT, REGISTRY_HINT
from timbra.web.ports import fault_injection
from timbra.web.request_environment import FaultInjection

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.refresh")


class RefreshableLists(Protocol):
    """Lists that publish pending changes after a fiscal midnight; one of several workers does it."""

    @property
    def lists_version(self) -> str: ...

    def refresh_if_due(self) -> bool:
        """Publish pending changes if a fiscal midnight has passed, and return whether lists were published."""


def refresh_lists(lists: RefreshableLists) -> bool:
    """Publish pending changes when fiscal time has passed 00:00 of central Mexico, also after a moved clock.

    Look-ups do the same; the job is for nights without requests. No I/O while nothing is pending.

    Returns:
        Whether changes were published.
    """
    published = lists.refresh_if_due()
    if published:
        log.info("lists published", version=lists.lists_version)
    return published


def _fiscal_clock(container: Container) -> Clock:
    """Return fiscal time, moved by the clock control."""
    return container.get(clock_control).clock


def _trust_store(container: Container) -> TrustStore:
    """Return the authorities and providers that the sandbox trusts, its own included."""
    trust, folder = TrustStore.built_in(production=False), container.settings.trust_dir
    if folder is not None:
        trust = trust.with_folder(folder, production=False)

    @lru_cache(maxsize=1)
    def with_own(authority: Certificate, provider: Certificate) -> TrustStore:
        return trust.with_authority(authority).with_provider(provider)

    authority = container.get(sandbox_authority)
    return ReplaceableTrustStore(lambda: with_own(*authority.published))


def _stamping_provider(container: Container) -> Callable[[], Provider]:
    authority = container.get(sandbox_authority)
    return lambda: authority.provider


def _certificate_registration(container: Container) -> Callable[[Certificate], None]:
    """Return what adds a CSD of a trusted authority, the SAT included, to the sandbox's list of certificates."""

    def register(certificate: Certificate) -> None:
        if container.get(trust_store).issuer_of(certificate) is not None:
            container.get(sandbox_registry).register_certificate(certificate)

    return register


def _fault_injection(container: Container) -> FaultInjection:
    """Return the faults of the HTTP server, set by administrators."""
    return SandboxFaultInjection(container.get(sandbox_faults), container.get(account_services).accounts.end_session)


def _status_service(container: Container) -> StatusService | None:
    """Return the simulated status service, or the one of the settings."""
    choice = container.settings.status_service
    if choice == "none":
        return None
    return _sat_status(container, is_direct=False) if choice == "sat" else container.get(sandbox_ledger)


def _direct_status_service(container: Container) -> StatusService | None:
    is_remote = container.settings.status_service == "sat"
    return _sat_status(container, is_direct=True) if is_remote else container.get(status_service)


def _sat_status(container: Container, *, is_direct: bool) -> StatusService:
    from timbra.sat.build import sat_status  # the clients of the SAT, which few sandboxes use

    return sat_status(container.settings, container.wall, is_direct=is_direct)


def _cancellation_acuses(container: Container) -> CancellationAcuses:
    """Return the receipts of the simulated authority."""
    ledger = container.get(sandbox_ledger)
    return SandboxAcuses(ledger.workflow, ledger.indexer.find, container.get(sandbox_authority).seal_acuse)


def _mail_transport(container: Container) -> MailTransport | None:
    return container.get(kept_mails) if is_mail_kept(container.settings) else mail_transport(container)


def _authority_work(container: Container) -> AuthorityWork:
    """Return the delivery to the ledger, and the refresh of the simulated lists and of due cancellation requests."""
    get, ledger, registry = container.get, container.get(sandbox_ledger), container.get(sandbox_registry)

    def deliver() -> None:
        pace, outbox = get(delivery_pace), get(authority_outbox)
        deliver_pending(outbox, ledger, pace=pace, stopping=container.stopping, direct=ledger)

    def refresh() -> None:
        refresh_lists(registry)
        ledger.settle()

    return AuthorityWork(deliver, refresh=refresh)


def _delivery_state(container: Container) -> Callable[[str], DeliveryState]:
    """Return the state of deliveries; what no longer waits is in the ledger."""
    state_of = delivery_state(container)

    def find(uuid: str) -> DeliveryState:
        found = state_of(uuid)
        return found if found.state else replace(found, state=RECEIVED)

    return find


class SandboxLists:
    """The simulated registry with the imported lists, as one evaluation or look-up sees them."""

    def __init__(self, container: Container) -> None:
        get = container.get
        self._authority = get(sandbox_authority)
        self._catalogs = get(catalog_source)
        self._fiscal = get(fiscal_clock)
        self._published = get(published_lists)
        self._registry = get(sandbox_registry)
        self._since = container.settings.cfdi140228_since
        self._merged: MergedLists | None = None

    def in_force(self) -> MergedLists:
        """Return the lists in force now."""
        return self._merge(self._registry.in_force)

    def current(self) -> ReferenceData:
        """Return the reference data with the simulated and the imported lists in force now."""
        self._authority.refresh()
        return self._reference_data(self._registry.in_force, self._fiscal.now(), self._catalogs.current())

    def known(self) -> ReferenceData | None:
        """Return the same without reading the database; None after a change that was not read yet."""
        now, catalogs = known_time(self._fiscal), self._catalogs.known()
        if now is None or catalogs is None or not self._authority.is_current:
            return None
        registry = self._registry.known(now)
        return None if registry is None else self._reference_data(registry, now, catalogs)

    def _merge(self, registry: ListsInForce) -> MergedLists:
        imported, merged = self._published.current, self._merged
        if merged is None or merged.registry is not registry or merged.imported is not imported:
            merged = self._merged = MergedLists(registry, imported)
        return merged

    def _reference_data(self, registry: ListsInForce, now: datetime, catalogs: CatalogsInForce) -> ReferenceData:
        lists, published = self._merge(registry), registry.published
        # Without imported lists a look-up merges nothing.
        rows = lists if lists.imported.editions else registry
        return ReferenceData(
            now=now,
            catalogs=catalogs.catalogs,
            taxpayers=rows,
            obligations=ChangedLco(rows) if is_lco_changed() else rows,
            names=rows,
            marks=lists.imported.marks,
            coordinated=lists.imported.coordinated,
            exchange_rates=lists.imported.rates,
            permits=lists.imported.permits,
            presumed=registry,
            stored=registry,
            lists_version=lists.version,
            registry_hint=REGISTRY_HINT,
            related=InMemoryRelatedDocuments(),
            dated=dated_lists(published, published),
            discloses_registered_data=True,
            cfdi140228_since=self._since,
        )


def _reference_source(container: Container) -> ReferenceSource:
    lists = container.get(SandboxLists)
    return ReferenceSource(lists.current, lists.known)


def _server_health(container: Container) -> Callable[[], ServerHealth]:
    """Return the data of `GET /health`; the simulated lists have no age."""
    get = container.get

    def read() -> ServerHealth:
        return {
            "status": "ok",
            "environment": container.settings.environment,
            **catalog_health(get(catalog_source).latest()),
            "lists_version": get(SandboxLists).in_force().version,
            "lists_age_hours": None,
            "fiscal_time": get(fiscal_clock).now().isoformat(),
            "audit_head": get(audit_log).head_on_disk(),
        }

    return read


def _list_ages(container: Container) -> Callable[[], dict[str, timedelta]]:
    registry, fiscal = container.get(sandbox_registry), container.get(fiscal_clock)
    return lambda: {"sandbox": fiscal.now() - registry.published}


BINDINGS: Bindings = {
    authority_work: _authority_work,
    cancellation_acuses: _cancellation_acuses,
    cancellation_authority: sandbox_cancellations,
    certificate_hint: lambda _: CERTIFICATE_HINT,
    certificate_registration: _certificate_registration,
    current_presumptions: lambda container: lambda: container.get(sandbox_registry).in_force,
    current_taxpayers: lambda container: container.get(SandboxLists).in_force,
    delivery_state: _delivery_state,
    direct_status_service: _direct_status_service,
    fault_injection: _fault_injection,
    fiscal_clock: _fiscal_clock,
    known_elsewhere: sandbox_ledger,
    list_ages: _list_ages,
    mail_transport: _mail_transport,
    provider_rfc: lambda container: container.get(sandbox_authority).provider.rfc,
    reference_source: _reference_source,
    server_health: _server_health,
    stamping_provider: _stamping_provider,
    status_service: _status_service,
    trust_store: _trust_store,
}

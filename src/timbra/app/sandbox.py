"""The container of the sandbox, which simulates the SAT."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from timbra.app.container import Container
from timbra.app.parts import cached_property
from timbra.core.clock import Clock, known_time
from timbra.sandbox.services import SandboxServices
from timbra.validation.sandbox_documents import CERTIFICATE_HINT, REGISTRY_HINT

if TYPE_CHECKING:
    from timbra.delivery.receptions import DeliveryState
    from timbra.documents.storage import CancellationAcuses
    from timbra.evaluation.known_documents import Documents
    from timbra.operations.health import ServerHealth
    from timbra.rules.engine.ports import ReferenceData
    from timbra.sandbox.authority.cancellation.policy import Policy
    from timbra.sandbox.authority.cancellation_service import SandboxCancellationService
    from timbra.sandbox.authority.certificates.authority import SandboxAuthority
    from timbra.sandbox.authority.ledger.ledger import SandboxLedger
    from timbra.sandbox.authority.taxpayers.lists_in_force import ListsInForce
    from timbra.sandbox.authority.taxpayers.merged_lists import MergedLists
    from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
    from timbra.sandbox.clock import ClockControl
    from timbra.sandbox.faults import Faults
    from timbra.sandbox.store.transactions import SandboxStore
    from timbra.sat.port import CancellationAuthority, Provider, StatusService
    from timbra.seals.certificates.certificate import Certificate
    from timbra.seals.certificates.trust_store import TrustStore
    from timbra.validation.taxpayer_lookup import PresumedList, TaxpayerList
    from timbra.web.request_environment import FaultInjection


class SandboxContainer(Container):
    """The container of the sandbox: certificate authority, taxpayer registry, fiscal clock and ledger are simulated."""

    certificate_hint = CERTIFICATE_HINT
    _merged: MergedLists | None = None

    @cached_property
    def sandbox_store(self) -> SandboxStore:
        """Tables of the simulated authority."""
        from timbra.sandbox.store.transactions import SandboxStore

        return SandboxStore(self.database)

    @cached_property
    def sandbox_services(self) -> SandboxServices:
        """Administration of the simulated authority."""
        from timbra.app.mail import kept_mails
        from timbra.sandbox.account_reset import AccountReset
        from timbra.sandbox.cancellation_replies import CancellationReplies
        from timbra.sandbox.certificates import CertificateAdministration
        from timbra.sandbox.ledger import LedgerService
        from timbra.sandbox.state import SandboxState
        from timbra.sandbox.taxpayers import TaxpayerAdministration

        store, authority = self.sandbox_store, self.authority_ca
        return SandboxServices(
            registry=TaxpayerAdministration(self.registry, store),
            certificates=CertificateAdministration(authority, self.registry, self.faults, self.fiscal, store),
            clock_control=self.clock_control,
            faults=self.faults,
            ledger=LedgerService(self.ledger),
            authority_ca=authority,
            cancellation_service=CancellationReplies(self.cancellation_service, store),
            state=SandboxState(store, self.envelope, self.registry, self.clock_control, self.wall),
            account_reset=AccountReset(store, self.wall, self.fiscal, self.flush_buffers),
            mails=kept_mails(self.database, self.wall),
            confirmations=self.confirmations,
            poll=self.poll,
            refresh=self.refresh,
            wall=self.wall,
            fiscal=self.fiscal,
        )

    @cached_property
    def fiscal(self) -> Clock:
        """Fiscal time, moved by the clock control."""
        return self.clock_control.clock

    @cached_property
    def fault_injection(self) -> FaultInjection:
        """Faults of the HTTP server, set by administrators."""
        from timbra.sandbox.fault_injection import SandboxFaultInjection

        return SandboxFaultInjection(self.faults, self.account_services.accounts.end_session)

    @cached_property
    def trust(self) -> TrustStore:
        """Authorities and providers that the sandbox trusts, its own included."""
        from timbra.seals.certificates.trust_store import ReplaceableTrustStore, TrustStore

        trust = TrustStore.built_in(production=False)
        if self.settings.trust_dir is not None:
            trust = trust.with_folder(self.settings.trust_dir, production=False)

        @lru_cache(maxsize=1)
        def with_own(authority: Certificate, provider: Certificate) -> TrustStore:
            return trust.with_authority(authority).with_provider(provider)

        ca = self.authority_ca
        return ReplaceableTrustStore(lambda: with_own(*ca.published))

    @property
    def provider(self) -> Provider:
        """The simulated provider (PAC)."""
        return self.authority_ca.provider

    @property
    def provider_rfc(self) -> str:
        return self.authority_ca.provider.rfc

    @cached_property
    def authority_ca(self) -> SandboxAuthority:
        """The simulated certificate authority; its certificates are published in the data folder."""
        from timbra.sandbox.authority.certificates.authority import open_authority

        authority = open_authority(self.sandbox_store, self.envelope, self.count_provider_signature, self.audit)
        authority.publish(self.data / "certificates")
        return authority

    @cached_property
    def registry(self) -> SandboxRegistry:
        """The simulated lists of taxpayers and certificates."""
        from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry

        settings = self.settings
        return SandboxRegistry(
            self.sandbox_store, self.fiscal, self.faults, open_to_all=settings.accept_any_rfc, wall=self.wall
        )

    @cached_property
    def clock_control(self) -> ClockControl:
        """The control of fiscal time."""
        from timbra.sandbox.clock import ClockControl

        return ClockControl(self.sandbox_store, self.wall, self.settings.clock)

    @cached_property
    def faults(self) -> Faults:
        from timbra.sandbox.faults import Faults
        from timbra.sandbox.strict import standing_faults

        return Faults(self.sandbox_store, self.audit, standing_faults(self.settings))

    @cached_property
    def ledger(self) -> SandboxLedger:
        """The CFDI of the simulated authority."""
        from timbra.sandbox.authority.ledger.ledger import SandboxLedger

        return SandboxLedger(
            self.sandbox_store,
            self.stamps,
            self.fiscal,
            self.faults,
            self.parser,
            self._policy(),
            self.wall,
            self.registry.is_definitive,
        )

    @property
    def cancellations(self) -> CancellationAuthority:
        """The simulated cancellation service."""
        return self.cancellation_service

    @cached_property
    def cancellation_service(self) -> SandboxCancellationService:
        from timbra.sandbox.authority.cancellation_service import SandboxCancellationService

        return SandboxCancellationService(self.ledger, self.authority_ca.seal_acuse)

    @cached_property
    def status_service(self) -> StatusService | None:
        """The simulated status service, or the one of the settings."""
        from timbra.app.sat_services import sat_status

        choice = self.settings.status_service
        if choice == "none":
            return None
        return sat_status(self.settings, self.wall) if choice == "sat" else self.ledger

    @property
    def direct_status_service(self) -> StatusService | None:
        """The same without retries."""
        from timbra.app.sat_services import sat_status

        is_remote = self.settings.status_service == "sat"
        return sat_status(self.settings, self.wall, is_direct=True) if is_remote else self.status_service

    @property
    def provider_certificates(self) -> None:
        """None: the sandbox stamps with its own provider only."""

    @property
    def known_elsewhere(self) -> Documents:
        """The CFDI of the simulated authority."""
        return self.ledger

    def acuses(self) -> CancellationAcuses:
        """Return the receipts of the simulated authority."""
        from timbra.sandbox.authority.cancellation.acuses import SandboxAcuses

        return SandboxAcuses(self.ledger.workflow, self.ledger.indexer.find, self.authority_ca.seal_acuse)

    def taxpayer_list(self) -> TaxpayerList:
        """Return the simulated registry with the imported lists."""
        return self._merged_lists(self.registry.in_force)

    def presumed_list(self) -> PresumedList:
        """Return the simulated registry, which has the list of article 69-B."""
        return self.registry.in_force

    def _policy(self) -> Policy:
        from timbra.sandbox.authority.cancellation.policy import Policy

        settings = self.settings
        return Policy(
            hours=None if settings.cancellation_term == "working-days" else int(settings.cancellation_term[:-1]),
            annual_limit=settings.cancellation_annual_limit,
            free_issuers=frozenset(settings.cancellation_free_issuers.upper().replace(",", " ").split()),
        )

    def _merged_lists(self, registry: ListsInForce) -> MergedLists:
        imported = self.lists.current
        merged = self._merged
        if merged is None or merged.registry is not registry or merged.imported is not imported:
            from timbra.sandbox.authority.taxpayers.merged_lists import MergedLists

            merged = self._merged = MergedLists(registry, imported)
        return merged

    def reference_data(self) -> ReferenceData:
        """Return the reference data with the simulated and the imported lists in force now."""
        self.authority_ca.refresh()
        return self._reference_data(self.registry.in_force, self.fiscal.now())

    def known_reference_data(self) -> ReferenceData | None:
        """Return the same without reading the database; None after a change that was not read yet."""
        now = known_time(self.fiscal)
        if now is None or not self.authority_ca.is_current:
            return None
        registry = self.registry.known(now)
        return None if registry is None else self._reference_data(registry, now)

    def _reference_data(self, registry: ListsInForce, now: datetime) -> ReferenceData:
        from timbra.sandbox.fault_injection import ChangedLco, is_lco_changed

        lists = self._merged_lists(registry)
        # Without imported lists a look-up merges nothing.
        rows = lists if lists.imported.editions else registry
        published = registry.published
        reference_data, related_documents, dated_lists = self.reference_types
        return reference_data(
            now=now,
            catalogs=self.catalogs,
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
            related=related_documents(),
            dated=dated_lists(published, published),
            discloses_registered_data=True,
            cfdi140228_since=self.settings.cfdi140228_since,
        )

    def health(self) -> ServerHealth:
        """Return the data of `GET /health`; the simulated lists have no age."""
        return {
            "status": "ok",
            "environment": self.settings.environment,
            "data_version": self.snapshot.version,
            "lists_version": self._merged_lists(self.registry.in_force).version,
            "lists_age_hours": None,
            "fiscal_time": self.fiscal.now().isoformat(),
            "audit_head": self.audit_log.head_on_disk(),
        }

    def list_ages(self) -> dict[str, timedelta]:
        return {"sandbox": self.fiscal.now() - self.registry.published}

    def deliver(self) -> None:
        """Deliver pending stamps to the ledger."""
        from timbra.delivery.delivery import deliver_pending

        ledger = self.ledger
        deliver_pending(self.outbox, ledger, self.wall, pace=self.delivery_pace, stopping=self.stopping, direct=ledger)

    def measure_queue(self) -> None:
        """Do nothing: the simulated authority takes every stamp."""

    def delivery_state(self, uuid: str) -> DeliveryState:
        """See `Stores.delivery_state`: what no longer waits is in the ledger."""
        from dataclasses import replace

        from timbra.delivery.receptions import RECEIVED

        found = super().delivery_state(uuid)
        return found if found.state else replace(found, state=RECEIVED)

    def resend(self) -> None:
        """Do nothing: the simulated authority answers at once."""

    def refresh(self) -> None:
        """Publish the simulated lists and end cancellation requests whose term has passed."""
        from timbra.sandbox.list_refresh import refresh_lists

        refresh_lists(self.registry)
        self.ledger.settle()

    def on_certificate_stored(self, certificate: Certificate) -> None:
        """Add a stored CSD of a trusted authority, the SAT included, to the sandbox's list of certificates."""
        if self.trust.issuer_of(certificate) is not None:
            self.registry.register_certificate(certificate)

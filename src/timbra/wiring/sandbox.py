"""The house of the sandbox: everything that the SAT does is simulated within."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from timbra.clock import Clock, FiscalClock
from timbra.wiring.house import House

if TYPE_CHECKING:
    from timbra.authority.port import Authority, CancellationAuthority, Provider
    from timbra.authority.sandbox.ca import SandboxAuthority
    from timbra.authority.sandbox.cancelling import SandboxCancellations
    from timbra.authority.sandbox.clock import ClockControl
    from timbra.authority.sandbox.faults import Faults
    from timbra.authority.sandbox.ledger import SandboxLedger
    from timbra.authority.sandbox.policy import Policy
    from timbra.authority.sandbox.registry import SandboxRegistry
    from timbra.rules.world import World
    from timbra.seals.certificate import Certificate
    from timbra.seals.trust import Trust

REGISTRY_HINT = (
    "Si es un RFC de este ambiente de pruebas, regístrelo con: "
    'timbra sandbox taxpayer add RFC --name "NOMBRE" --postal-code CP --regime REGIMEN'
)


class SandboxHouse(House):
    """Its own authority, taxpayers, clock and ledger."""

    sandbox = True

    @cached_property
    def fiscal(self) -> Clock:
        return FiscalClock(self.wall, self.clock_control.reading)

    @cached_property
    def trust(self) -> Trust:
        from timbra.seals.trust import Trust

        trust = Trust.built_in(production=False)
        if self.settings.trust_dir is not None:
            trust = trust.with_folder(self.settings.trust_dir, production=False)
        authority = self.authority_ca
        return trust.with_authority(authority.certificate).with_provider(authority.provider.certificate)

    @property
    def provider(self) -> Provider:
        return self.authority_ca.provider

    @property
    def authority(self) -> Authority:
        return self.ledger

    @cached_property
    def authority_ca(self) -> SandboxAuthority:
        from timbra.authority.sandbox.ca import open_authority

        authority = open_authority(self.database, self.envelope)
        authority.publish(self.data / "certificates")
        return authority

    @cached_property
    def registry(self) -> SandboxRegistry:
        from timbra.authority.sandbox.registry import SandboxRegistry

        settings = self.settings
        return SandboxRegistry(
            self.database, self.fiscal, self.faults, open_to_all=settings.open_registry, wall=self.wall
        )

    @cached_property
    def clock_control(self) -> ClockControl:
        from timbra.authority.sandbox.clock import ClockControl

        return ClockControl(self.database, self.wall, self.settings.clock)

    @cached_property
    def faults(self) -> Faults:
        from timbra.authority.sandbox.faults import Faults

        return Faults(self.database)

    @cached_property
    def ledger(self) -> SandboxLedger:
        from timbra.authority.sandbox.ledger import SandboxLedger

        return SandboxLedger(
            self.database, self.stamps, self.fiscal, self.faults, self.parser, self._policy(), self.wall
        )

    @property
    def cancellations(self) -> CancellationAuthority:
        return self.counter

    @cached_property
    def counter(self) -> SandboxCancellations:
        from timbra.authority.sandbox.cancelling import SandboxCancellations

        return SandboxCancellations(self.ledger, self.authority_ca.seal_acuse)

    def _policy(self) -> Policy:
        from timbra.authority.sandbox.policy import Policy

        settings = self.settings
        return Policy(
            hours=None if settings.cancellation_term == "working-days" else int(settings.cancellation_term[:-1]),
            annual_limit=settings.cancellation_annual_limit,
            free_issuers=frozenset(settings.cancellation_free_issuers.upper().replace(",", " ").split()),
        )

    def world(self) -> World:
        """The simulated lists of this moment."""
        from timbra.rules.world import World, dated_lists

        registry = self.registry
        published = registry.published
        return World(
            now=self.fiscal.now(),
            catalogs=self.catalogs,
            taxpayers=registry,
            obligations=registry,
            lists_version=registry.lists_version,
            registry_hint=REGISTRY_HINT,
            related=self.related,
            dated=dated_lists(published, published),
        )

    def health(self) -> dict[str, object]:
        return {
            "status": "ok",
            "environment": self.settings.environment,
            "data_version": self.snapshot.version,
            "lists_version": self.registry.lists_version,
            "lists_age_hours": None,
            "fiscal_time": self.fiscal.now().isoformat(),
        }

    def list_ages(self) -> dict[str, timedelta]:
        return {"sandbox": self.fiscal.now() - self.registry.published}

    def deliver(self) -> None:
        from timbra.service.delivery import deliver_pending

        deliver_pending(self.outbox, self.ledger, self.wall)

    def refresh(self) -> None:
        """Publishes the simulated lists; ends requests of cancellation whose time has come."""
        from timbra.service.refresh import refresh_lists

        refresh_lists(self.registry)
        self.ledger.settle()

    def make_known(self, certificate: Certificate) -> None:
        """A stored CSD of a known authority, SAT's own included, is in the sandbox's lists from then on."""
        if self.trust.issuer_of(certificate) is not None:
            self.registry.register_certificate(certificate)

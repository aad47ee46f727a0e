"""What every part of a house stands on, and what the sandbox and production each say for themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.clock import Clock, WallClock
from timbra.errors import ServiceError
from timbra.meters import Meters
from timbra.service.shared_meters import SharedMeters
from timbra.settings import Settings

if TYPE_CHECKING:
    from timbra.authority.port import Authority, CancellationAuthority, Provider
    from timbra.authority.sandbox.ca import SandboxAuthority
    from timbra.authority.sandbox.cancelling import SandboxCancellations
    from timbra.authority.sandbox.clock import ClockControl
    from timbra.authority.sandbox.faults import Faults
    from timbra.authority.sandbox.ledger import SandboxLedger
    from timbra.authority.sandbox.registry import SandboxRegistry
    from timbra.catalogs import SnapshotCatalogs
    from timbra.cfdi.document import DocumentParser
    from timbra.cfdi.from_json import JsonInvoices
    from timbra.cfdi.qr import QrPainter
    from timbra.rendering import ViewReader
    from timbra.rules.world import World
    from timbra.seals.certificate import Certificate
    from timbra.seals.envelope import Envelope
    from timbra.seals.master_key import MasterKey
    from timbra.seals.trust import Trust
    from timbra.snapshot import Snapshot
    from timbra.store.database import Database


class Foundation(ABC):
    """Settings, data, database and clocks. Each part is made when first asked for and kept.

    The sandbox and production say what stands behind fiscal time, trust, lists and authority. What the sandbox alone
    has raises ServiceError("CO1000") elsewhere.
    """

    sandbox: bool

    def __init__(self, settings: Settings, wall: Clock | None = None) -> None:
        self.settings = settings
        self.wall: Clock = wall or WallClock()
        self.opened_at = self.wall.now()
        self.meters = Meters()
        self.shared_meters = SharedMeters(self.meters)

    @cached_property
    def data(self) -> Path:
        """The folder of all embedded state, made at first use, for its owner alone."""
        self.settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.settings.data

    @cached_property
    def snapshot(self) -> Snapshot:
        from timbra.snapshot import locate, open_snapshot

        return open_snapshot(locate(self.settings.snapshot))

    @cached_property
    def catalogs(self) -> SnapshotCatalogs:
        from timbra.catalogs import SnapshotCatalogs

        return SnapshotCatalogs(self.snapshot)

    @cached_property
    def parser(self) -> DocumentParser:
        return self._parser()

    @cached_property
    def side_parser(self) -> DocumentParser:
        """For threads beside the event loop, which would otherwise wait for their documents."""
        return self._parser()

    def _parser(self) -> DocumentParser:
        from timbra.cfdi.document import DocumentParser, ParserLimits

        settings = self.settings
        return DocumentParser(ParserLimits(settings.max_body_bytes, settings.max_depth, settings.max_attributes))

    @cached_property
    def json_invoices(self) -> JsonInvoices:
        from timbra.cfdi.from_json import JsonInvoices

        return JsonInvoices(self.snapshot)

    @cached_property
    def qr(self) -> QrPainter:
        from timbra.cfdi.qr import QrPainter

        return QrPainter(self.snapshot)

    @cached_property
    def views(self) -> ViewReader:
        from timbra.catalogs.labels import Labels
        from timbra.rendering import ViewReader

        return ViewReader(Labels(self.snapshot), self.qr, sandbox=self.sandbox)

    @cached_property
    def database(self) -> Database:
        from timbra.store.database import open_database
        from timbra.store.timeouts import Timeouts

        settings = self.settings
        url = settings.database_url or f"sqlite:///{(self.data / 'timbra.db').resolve()}"
        timeouts = Timeouts(
            settings.database_connect_seconds, settings.database_lock_seconds, settings.database_statement_seconds
        )
        return open_database(url, settings.environment, timeouts)

    @cached_property
    def envelope(self) -> Envelope:
        from timbra.seals.envelope import Envelope
        from timbra.seals.master_key import key_from_text

        previous = filter(None, self.settings.previous_master_keys.split(","))
        return Envelope(self._master_key(), [key_from_text(text) for text in previous])

    def _master_key(self) -> MasterKey:
        from timbra.seals.master_key import key_from_file, key_from_text

        settings = self.settings
        if settings.pkcs11_module is not None:
            from timbra.seals.token import Token
            from timbra.seals.token_key import TokenKey

            token = Token(settings.pkcs11_module, settings.pkcs11_token, settings.pkcs11_pin)
            return TokenKey(token, settings.pkcs11_master_key)
        if settings.master_key:
            return key_from_text(settings.master_key)
        return key_from_file(settings.master_key_file or self.data / "master.key")

    @property
    @abstractmethod
    def fiscal(self) -> Clock:
        """Fiscal time."""

    @property
    @abstractmethod
    def trust(self) -> Trust:
        """The authorities and providers whose certificates are believed."""

    @property
    @abstractmethod
    def provider(self) -> Provider | None:
        """Who stamps; None while no provider's key is configured."""

    @property
    @abstractmethod
    def authority(self) -> Authority | None:
        """Who is asked for the status of a CFDI; None where no service is at hand."""

    @property
    @abstractmethod
    def cancellations(self) -> CancellationAuthority:
        """Who takes signed requests of cancellation. ServiceError("CO1000") where nobody does."""

    @abstractmethod
    def world(self) -> World:
        """The world as one request sees it."""

    @abstractmethod
    def health(self) -> dict[str, object]:
        """What `GET /health` tells."""

    @abstractmethod
    def list_ages(self) -> dict[str, timedelta]:
        """How old each list is, by its name; nothing without lists."""

    @abstractmethod
    def deliver(self) -> None:
        """Empties the outbox."""

    @abstractmethod
    def refresh(self) -> None:
        """What is due once a fiscal midnight has passed."""

    @abstractmethod
    def make_known(self, certificate: Certificate) -> None:
        """Told of each CSD that is stored."""

    @cached_property
    def authority_ca(self) -> SandboxAuthority:
        raise _sandbox_only()

    @cached_property
    def registry(self) -> SandboxRegistry:
        raise _sandbox_only()

    @cached_property
    def clock_control(self) -> ClockControl:
        raise _sandbox_only()

    @cached_property
    def faults(self) -> Faults:
        raise _sandbox_only()

    @cached_property
    def ledger(self) -> SandboxLedger:
        raise _sandbox_only()

    @cached_property
    def counter(self) -> SandboxCancellations:
        raise _sandbox_only()


def _sandbox_only() -> ServiceError:
    return ServiceError("CO1000", "Esta función solo existe en el ambiente de pruebas (sandbox).")

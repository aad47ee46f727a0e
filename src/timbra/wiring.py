"""Settings to objects: the only module that knows which implementation stands behind a port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.clock import Clock, FiscalClock, FiscalReading, WallClock
from timbra.errors import ServiceError
from timbra.settings import Settings

if TYPE_CHECKING:
    from timbra.accounts.accounts import Accounts
    from timbra.accounts.vault import Vault
    from timbra.authority.lists.importing import ListImporter
    from timbra.authority.lists.published import PublishedLists
    from timbra.authority.sandbox.ca import SandboxAuthority
    from timbra.authority.sandbox.clock import ClockControl
    from timbra.authority.sandbox.faults import Faults
    from timbra.authority.sandbox.ledger import SandboxLedger
    from timbra.authority.sandbox.registry import SandboxRegistry
    from timbra.catalogs import SnapshotCatalogs
    from timbra.cfdi.document import DocumentParser
    from timbra.cfdi.from_json import JsonInvoices
    from timbra.cfdi.qr import QrPainter
    from timbra.rules.world import World
    from timbra.seals.certificate import Certificate
    from timbra.seals.envelope import Envelope
    from timbra.seals.master_key import MasterKey
    from timbra.seals.trust import Trust
    from timbra.service.certificates import Certificates
    from timbra.service.order import Tools
    from timbra.service.related import KnownDocuments
    from timbra.service.stamping import Stamping
    from timbra.service.validation import Validation
    from timbra.snapshot import Snapshot
    from timbra.store.database import Database
    from timbra.store.outbox import Outbox
    from timbra.store.stamps import DatabaseStamps


REGISTRY_HINT = (
    "Si es un RFC de este ambiente de pruebas, regístrelo con: "
    'timbra sandbox taxpayer add RFC --name "NOMBRE" --postal-code CP --regime REGIMEN'
)


class House:
    """Everything behind the edges. Each part is made when first asked for and kept; one house per process."""

    def __init__(self, settings: Settings, wall: Clock | None = None) -> None:
        self.settings = settings
        self.wall: Clock = wall or WallClock()
        self.sandbox = settings.environment == "sandbox"

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
    def database(self) -> Database:
        from timbra.store.database import open_database

        url = self.settings.database_url or f"sqlite:///{(self.data / 'timbra.db').resolve()}"
        return open_database(url, self.settings.environment)

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

    @cached_property
    def fiscal(self) -> Clock:
        """Fiscal time; the wall's own outside of the sandbox."""
        return FiscalClock(self.wall, self.clock_control.reading if self.sandbox else FiscalReading)

    @cached_property
    def trust(self) -> Trust:
        from timbra.seals.trust import Trust

        trust = Trust.built_in(production=not self.sandbox)
        if self.settings.trust_dir is not None:
            trust = trust.with_folder(self.settings.trust_dir, production=not self.sandbox)
        if self.sandbox:
            authority = self.authority_ca
            trust = trust.with_authority(authority.certificate).with_provider(authority.provider.certificate)
        return trust

    @cached_property
    def accounts(self) -> Accounts:
        from timbra.accounts.accounts import Accounts

        return Accounts(self.database, self.envelope, self.settings.environment, self.wall, self.fiscal)

    @cached_property
    def vault(self) -> Vault:
        from timbra.accounts.vault import Vault
        from timbra.authority.sandbox.ca import rotate_keys

        return Vault(self.database, self.envelope, self.wall, self.fiscal, self._make_known, [rotate_keys])

    @cached_property
    def certificates(self) -> Certificates:
        from timbra.service.certificates import Certificates

        return Certificates(self.vault)

    @cached_property
    def authority_ca(self) -> SandboxAuthority:
        from timbra.authority.sandbox.ca import open_authority

        self._sandbox_only()
        authority = open_authority(self.database, self.envelope)
        authority.publish(self.data / "certificates")
        return authority

    @cached_property
    def registry(self) -> SandboxRegistry:
        from timbra.authority.sandbox.registry import SandboxRegistry

        self._sandbox_only()
        settings = self.settings
        return SandboxRegistry(
            self.database, self.fiscal, self.faults, open_to_all=settings.open_registry, wall=self.wall
        )

    @cached_property
    def clock_control(self) -> ClockControl:
        from timbra.authority.sandbox.clock import ClockControl

        self._sandbox_only()
        return ClockControl(self.database, self.wall, self.settings.clock)

    @cached_property
    def faults(self) -> Faults:
        from timbra.authority.sandbox.faults import Faults

        self._sandbox_only()
        return Faults(self.database)

    @cached_property
    def ledger(self) -> SandboxLedger:
        from timbra.authority.sandbox.ledger import SandboxLedger

        self._sandbox_only()
        return SandboxLedger(self.database, self.stamps, self.fiscal, self.faults, self.parser)

    @cached_property
    def stamps(self) -> DatabaseStamps:
        from timbra.store.stamps import DatabaseStamps

        return DatabaseStamps(self.database, self.fiscal, self.wall)

    @cached_property
    def outbox(self) -> Outbox:
        from timbra.store.outbox import Outbox

        return Outbox(self.database, self.wall)

    @cached_property
    def tools(self) -> Tools:
        from timbra.cfdi.cadena import OriginalString
        from timbra.cfdi.structure import Structure
        from timbra.rules.checking import ENGINE
        from timbra.seals.cache import CertificateCache
        from timbra.service.order import Tools

        return Tools(
            parser=self.parser,
            structure=Structure(self.snapshot),
            engine=ENGINE,
            cadena=OriginalString(self.snapshot),
            certificates=CertificateCache(),
            trust=self.trust,
            vault=self.vault,
            stamps=self.stamps,
            world=self.world,
        )

    @cached_property
    def stamping(self) -> Stamping:
        from timbra.service.stamping import Stamping
        from timbra.store.group_commit import GroupCommit

        provider = self.authority_ca.provider if self.sandbox else None
        return Stamping(self.tools, provider, GroupCommit(self.stamps), self.settings.environment)

    @cached_property
    def validation(self) -> Validation:
        from timbra.service.validation import Validation

        return Validation(self.tools, self.ledger if self.sandbox else None)

    @cached_property
    def related(self) -> KnownDocuments:
        from timbra.service.related import KnownDocuments

        return KnownDocuments(self.stamps, self.ledger if self.sandbox else None)

    @cached_property
    def lists(self) -> PublishedLists:
        """The SAT's own lists, which production judges by."""
        from timbra.authority.lists.published import PublishedLists

        return PublishedLists(self.data / "lists")

    def list_importer(self, columns: Sequence[str] = ()) -> ListImporter:
        """Imports the SAT's lists; outside of the sandbox only what the SAT signed. columns: `HEADER=field`."""
        from timbra.authority.lists.columns import known_columns
        from timbra.authority.lists.importing import ListImporter
        from timbra.authority.lists.signers import ListSigners

        settings = self.settings
        numbers = [number.strip() for number in settings.list_signers.split(",") if number.strip()]
        signers = ListSigners(self.trust, strict=not self.sandbox, numbers=numbers)
        return ListImporter(
            self.data / "lists", signers, known_columns(",".join((settings.lrfc_columns, *columns))), self.wall
        )

    def world(self) -> World:
        """The world as one request sees it: the simulated registry, or the lists in force, which may be missing."""
        from timbra.rules.world import World

        if not self.sandbox:
            lists = self.lists.current
            return World(
                now=self.fiscal.now(),
                catalogs=self.catalogs,
                taxpayers=lists.taxpayers,
                obligations=lists.obligations,
                names=lists.names,
                marks=lists.marks,
                lists_version=lists.version,
                related=self.related,
            )
        registry = self.registry
        return World(
            now=self.fiscal.now(),
            catalogs=self.catalogs,
            taxpayers=registry,
            obligations=registry,
            lists_version=registry.lists_version,
            registry_hint=REGISTRY_HINT,
            related=self.related,
        )

    def health(self) -> dict[str, object]:
        """What `GET /health` tells."""
        age = None if self.sandbox else self.lists.age(self.wall.now())
        return {
            "status": "ok",
            "environment": self.settings.environment,
            "data_version": self.snapshot.version,
            "lists_version": self.registry.lists_version if self.sandbox else self.lists.lists_version,
            "lists_age_hours": None if age is None else int(age.total_seconds() // 3600),
            "fiscal_time": self.fiscal.now().isoformat(),
        }

    def deliver(self) -> None:
        """Empties the outbox."""
        from timbra.service.delivery import deliver_pending

        if self.sandbox:
            deliver_pending(self.outbox, self.ledger, self.wall)

    def refresh(self) -> None:
        """Publishes the simulated lists once a fiscal midnight has passed."""
        from timbra.service.refresh import refresh_lists

        if self.sandbox:
            refresh_lists(self.registry)

    def take_lists(self) -> None:
        """Imports the SAT's lists that somebody has put into `lists/incoming`."""
        from timbra.authority.lists.incoming import DropFolder, refresh

        incoming = self.data / "lists" / "incoming"
        if incoming.is_dir():
            refresh(self.list_importer(), DropFolder(incoming, self.wall))

    def poll(self) -> None:
        """Learns what other processes changed."""
        self.database.poll()

    def close(self) -> None:
        """Gives the database back, if it was opened."""
        for part in ("accounts", "stamps", "database"):
            if part in self.__dict__:
                self.__dict__[part].close()

    def _make_known(self, certificate: Certificate) -> None:
        """A stored CSD of a known authority, SAT's own included, is in the sandbox's lists from then on."""
        if self.sandbox and self.trust.issuer_of(certificate) is not None:
            self.registry.register_certificate(certificate)

    def _sandbox_only(self) -> None:
        if not self.sandbox:
            raise ServiceError("CO1000", "Esta función solo existe en el ambiente de pruebas (sandbox).")


@contextmanager
def open_house(settings: Settings, wall: Clock | None = None) -> Iterator[House]:
    """The house of these settings, closed at the end of the block."""
    house = House(settings, wall)
    try:
        yield house
    finally:
        house.close()

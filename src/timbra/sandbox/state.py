"""The whole state of the sandbox: reset, save to a file, restore from a file.

A reset or restore is one transaction that no other write overlaps. It increments the cache version of every area, so
that all processes of all nodes read their caches again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import IO, Any, Final

from timbra.accounts.account_cache import AREA as ACCOUNTS
from timbra.accounts.balances import AREA as BALANCES
from timbra.accounts.vault.signers import AREA as CERTIFICATES
from timbra.core.caller import ADMINISTRATOR
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.state_version import STATE_AREA
from timbra.database.tables.webhooks import AREA as WEBHOOKS
from timbra.events.audit.audit import Audit
from timbra.lists.catalog_editions import AREA as CATALOGS
from timbra.sandbox.authority.taxpayers import seeds
from timbra.sandbox.authority.taxpayers.registry import AREA as LISTS
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.clock import AREA as CLOCK
from timbra.sandbox.clock import ClockControl
from timbra.sandbox.faults import AREA as FAULTS
from timbra.sandbox.state_file import StateHeader, StateReader, StateWriter, damaged
from timbra.sandbox.store.snapshot import CACHE_VERSIONS, SnapshotRowError, SnapshotSecretError, table_columns
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction
from timbra.seals.encryption.envelope import EnvelopeEncryption

ENVIRONMENT: Final = "sandbox"
AREAS: Final = (ACCOUNTS, BALANCES, CATALOGS, CERTIFICATES, CLOCK, FAULTS, LISTS, STATE_AREA, WEBHOOKS)
"""The areas of cache versions that a new sandbox has too; those of features exist after their first change."""
HOLDER_VALUES: Final[Mapping[str, object]] = {
    "obligations": seeds.OBLIGATIONS,
    "cancelled": False,
    "situation": "",
}
"""Values of the holder of a certificate after a reset: those with which issuing a certificate registers its holder."""
KEY_ROLES: Final = frozenset({"authority", "provider"})
MAX_CACHE_VERSION: Final = 2**53


@dataclass(frozen=True, slots=True)
class ResetSummary:
    """What a reset removed.

    Attributes:
        documents: CFDI of the ledger.
    """

    stamps: int
    documents: int
    rejections: int
    accounts: int


@dataclass(frozen=True, slots=True)
class StateSummary:
    """A saved or restored state.

    Attributes:
        rows: Rows of all tables.
    """

    header: StateHeader
    rows: int


class SandboxState:
    """Resets, saves and restores the sandbox of one database."""

    def __init__(
        self,
        store: SandboxStore,
        envelope: EnvelopeEncryption,
        registry: SandboxRegistry,
        clock_control: ClockControl,
        wall: Clock,
    ) -> None:
        self._store = store
        self._envelope = envelope
        self._registry = registry
        self._clock_control = clock_control
        self._wall = wall
        self._audit = Audit(wall, clock_control.clock)

    def reset(self, *, accounts: bool = False, caller: int | None = None) -> ResetSummary:
        """Remove everything that testing produced.

        Accounts, their certificates and tokens, issued certificates and the keys of the authority stay. Balances return
        to what was assigned; clock and lists return to those of a new sandbox.

        Args:
            accounts: Whether to remove the other accounts too.
            caller: The account that stays then; all administrators stay when None, for the operator (CLI).

        Raises:
            ServiceError: "CO1000" with `retry_after` while other transactions do not end.
        """
        with self._store.exclusive() as transaction:
            cleanup = transaction.cleanup
            cleared = cleanup.clear()
            cleanup.restore_balances()
            cleanup.clear_lists(seeds.rfcs(), HOLDER_VALUES)
            self._registry.restore_initial(transaction, self._clock_control.restore_initial(transaction))
            kept = cleanup.administrators(ADMINISTRATOR) if caller is None else [caller]
            removed = cleanup.delete_accounts(kept) if accounts else 0
            for area in {*AREAS, *transaction.snapshot.cache_versions()}:
                transaction.mark_changed(area)
            summary = ResetSummary(cleared["stamp"], cleared["sandbox_document"], cleared["refusal"], removed)
            transaction.record(self._audit, "sandbox.reset", "", before=asdict(summary))
        return summary

    def save(self, file: IO[bytes]) -> StateSummary:
        """Write the state of one instant; stamping continues meanwhile.

        Args:
            file: An empty file.

        Raises:
            ServiceError: "state-too-large".
        """
        with self._store.one_instant() as transaction:
            header = StateHeader(
                environment=ENVIRONMENT,
                schema=transaction.snapshot.schema(),
                program=version("timbra"),
                master_key=self._envelope.key_id.hex(),
                saved_at=self._wall.now().isoformat(),
            )
            writer = StateWriter(file, header)
            for name, columns, rows in transaction.snapshot.tables():
                writer.write_table(name, columns, rows)
            writer.close()
        with self._store.write() as transaction:
            transaction.record(self._audit, "sandbox.saved", "", after={"rows": writer.rows})
        return StateSummary(header, writer.rows)

    def load(self, file: IO[bytes]) -> StateSummary:
        """Replace the state by that of a file, all or nothing.

        Args:
            file: A result of `save`, which can seek.

        Raises:
            ServiceError: "state-damaged", "state-too-large", "state-environment", "state-schema", "state-master-key";
                "CO1000" with `retry_after` while other transactions do not end.
        """
        reader = StateReader(file)
        self._require_header(reader.header)
        with self._store.exclusive() as transaction:
            self._require_schema(reader.header, transaction)
            try:
                versions = self._replace(transaction, reader)
            except SnapshotRowError as error:
                raise damaged(f"tiene un renglón que no corresponde a la tabla {error}") from error
            except SnapshotSecretError as error:
                raise _other_master_key() from error
            rows = reader.finish()
            if {key.role for key in transaction.keys.list_all()} != KEY_ROLES:
                raise damaged("no tiene las llaves de la autoridad")
            transaction.snapshot.advance_sequences()
            for area in {*AREAS, *versions, *transaction.snapshot.cache_versions()}:
                transaction.mark_changed(area, above=versions.get(area, 0))
            after = {"saved_at": reader.header.saved_at, "rows": rows}
            transaction.record(self._audit, "sandbox.restored", "", after=after)
        return StateSummary(reader.header, rows)

    def _replace(self, transaction: SandboxTransaction, reader: StateReader) -> Mapping[str, int]:
        """Replace the rows of all tables, and return the cache versions of the file."""
        transaction.snapshot.delete_all()
        versions: dict[str, int] = {}
        for name, columns in table_columns():
            rows = reader.table(name, columns)
            if name == CACHE_VERSIONS:
                versions = _cache_versions(rows)
            else:
                transaction.snapshot.insert(name, rows, self._envelope.has_key_of)
        return versions

    def _require_header(self, header: StateHeader) -> None:
        if header.environment != ENVIRONMENT:
            raise ServiceError("state-environment", f"Es del ambiente {header.environment[:20]}.")
        try:
            key_id = bytes.fromhex(header.master_key)
        except ValueError as error:
            raise damaged("no dice con qué llave maestra se guardó") from error
        if not self._envelope.has_key(key_id):
            raise _other_master_key()

    def _require_schema(self, header: StateHeader, transaction: SandboxTransaction) -> None:
        schema = transaction.snapshot.schema()
        if header.schema != schema:
            saved = f"{header.schema[:20]} (Timbra {header.program[:20]})"
            raise ServiceError("state-schema", f"El estado es de la {saved}; la base de datos, de la {schema}.")


def _cache_versions(rows: Iterator[list[Any]]) -> dict[str, int]:
    versions: dict[str, int] = {}
    for row in rows:
        match row:
            case [str(area), int(number)] if 0 <= number < MAX_CACHE_VERSION:
                versions[area] = number
            case _:
                raise SnapshotRowError(CACHE_VERSIONS)
    return versions


def _other_master_key() -> ServiceError:
    return ServiceError("state-master-key", "Sus secretos no se podrían descifrar.")

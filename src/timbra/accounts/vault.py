"""The vault: seal certificates of each account, their private keys encrypted under the master key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Row, Select, select, tuple_, update

from timbra.accounts.audit import Audit
from timbra.accounts.csd import STAMP, Csd, read_csd
from timbra.accounts.secrets import rotate_secrets
from timbra.accounts.signers import AREA, IssuerCredential, Signers, context_of
from timbra.clock import Clock
from timbra.errors import ServiceError
from timbra.seals.certificate import Certificate
from timbra.seals.envelope import Envelope
from timbra.store.database import Database
from timbra.store.tables.accounts import CSD

ROTATED_AT_ONCE = 200
Rotation = Callable[[Connection, Envelope], int]


@dataclass(frozen=True, slots=True)
class StoredCertificate:
    """A certificate of the vault as its owner sees it. kind: `stamp`. certificate: its DER."""

    number: str
    kind: str
    rfc: str
    name: str
    valid_from: datetime
    valid_to: datetime
    active: bool
    certificate: bytes = field(repr=False)


class Vault:
    """Certificates of all accounts of one database; each method sees those of one account only.

    on_stored: told of every certificate after its commit. rotations: what else lies under the master key; each closes
    its values anew within the given transaction and says how many.
    """

    def __init__(
        self,
        database: Database,
        envelope: Envelope,
        wall: Clock,
        fiscal: Clock,
        on_stored: Callable[[Certificate], None] = lambda _: None,
        rotations: Sequence[Rotation] = (),
    ) -> None:
        self._database = database
        self._envelope = envelope
        self._wall = wall
        self._audit = Audit(wall, fiscal)
        self._signers = Signers(database, envelope)
        self._on_stored = on_stored
        self._rotations = (rotate_secrets, *rotations)

    def save(
        self, account_id: int, certificate_der: bytes, key: bytes, password: str, kind: str = STAMP, active: bool = True
    ) -> StoredCertificate:
        """Keeps the pair, in place of what the account has under that number; the password is not kept.

        Takes about 30 ms. ServiceError: those of `csd.read_csd`, and "certificate-kind" for another kind than `stamp`.
        """
        if kind.casefold() != STAMP:
            raise ServiceError("certificate-kind", f"El tipo de certificado debe ser {STAMP}.")
        csd = read_csd(certificate_der, key, password)
        with self._database.write() as connection:
            self._put(connection, account_id, csd, active)
            self._database.bump(connection, AREA)
            self._audit.record(connection, "certificate.stored", account_id, csd.certificate.number)
        self._on_stored(csd.certificate)
        return self.one(account_id, csd.certificate.number)

    def listed(self, account_id: int, kind: str | None = None, rfc: str | None = None) -> Sequence[StoredCertificate]:
        """All of the account, newest first; of one kind and one RFC if given. Disabled ones too."""
        if kind is not None and kind.casefold() != STAMP:
            return []
        conditions = [CSD.c.account_id == account_id]
        conditions += [CSD.c.rfc == rfc.upper()] if rfc is not None else []
        return self._find(*conditions)

    def one(self, account_id: int, number: str) -> StoredCertificate:
        """By number. ServiceError("certificate-unknown")."""
        found = self._find(CSD.c.account_id == account_id, CSD.c.number == number)
        if not found:
            raise _unknown(number)
        return found[0]

    def active(self, account_id: int, rfc: str, kind: str = STAMP) -> StoredCertificate:
        """The newest active one of an RFC. ServiceError("csd-missing")."""
        for stored in self.listed(account_id, kind, rfc):
            if stored.active:
                return stored
        raise csd_missing(rfc)

    def disable(self, account_id: int, number: str) -> None:
        """Seals no more; it stays listed, and saving it again enables it. ServiceError("certificate-unknown")."""
        own = (CSD.c.account_id == account_id) & (CSD.c.number == number)
        with self._database.write() as connection:
            if not connection.execute(update(CSD).where(own).values(active=False)).rowcount:
                raise _unknown(number)
            self._database.bump(connection, AREA)
            self._audit.record(connection, "certificate.disabled", account_id, number)

    def signer_for(self, account_id: int, issuer_rfc: str, at: datetime) -> IssuerCredential:
        """What seals the issuer's documents at a fiscal instant: the newest active CSD in force.

        When none is in force the newest one, so that the check of its validity says so. No I/O while no certificate
        changes. ServiceError("csd-missing") when the account has no active CSD of this RFC.
        """
        held = self._signers.of(account_id, issuer_rfc)
        if not held:
            raise csd_missing(issuer_rfc)
        return next((credential for credential in held if credential.certificate.covers(at)), held[0])

    def rotate(self) -> int:
        """Closes everything anew that lies under an older master key; how many values that were.

        Processes that run with the old master key alone cannot open those values any more: give them the new one first.
        An interrupted rotation is finished by the next. ServiceError("vault-key-unknown", "vault-damaged").
        """
        with self._database.write() as connection:
            count = sum(rotation(connection, self._envelope) for rotation in self._rotations)
        after = (0, "")
        while True:
            with self._database.write() as connection:
                rows = connection.execute(_page(after)).all()
                count += sum(self._rotate(connection, row) for row in rows)
            if not rows:
                return count
            after = rows[-1].account_id, rows[-1].number

    def _find(self, *conditions: ColumnElement[bool]) -> Sequence[StoredCertificate]:
        newest = select(CSD).where(*conditions).order_by(CSD.c.valid_from.desc(), CSD.c.number.desc())
        with self._database.read() as connection:
            return [_stored(row) for row in connection.execute(newest)]

    def _put(self, connection: Connection, account_id: int, csd: Csd, active: bool) -> None:
        number = csd.certificate.number
        content = {
            "kind": STAMP,
            "rfc": csd.certificate.rfc,
            "name": csd.certificate.name,
            "valid_from": csd.certificate.valid_from,
            "valid_to": csd.certificate.valid_to,
            "certificate": csd.certificate.der,
            "sealed_key": self._envelope.close(csd.key, context_of(account_id, number)),
            "active": active,
            "stored_at": self._wall.now(),
        }
        statement = self._database.insert(CSD).values(account_id=account_id, number=number, **content)
        connection.execute(statement.on_conflict_do_update(index_elements=["account_id", "number"], set_=content))

    def _rotate(self, connection: Connection, row: Row[tuple[int, str, bytes]]) -> bool:
        if not self._envelope.needs_rotation(row.sealed_key):
            return False
        sealed = self._envelope.rotate(row.sealed_key, context_of(row.account_id, row.number))
        own = (CSD.c.account_id == row.account_id) & (CSD.c.number == row.number)
        connection.execute(update(CSD).where(own).values(sealed_key=sealed))
        return True


def csd_missing(rfc: str) -> ServiceError:
    """The refusal in the words that clients know, space before the stop included."""
    return ServiceError("csd-missing", f"No se encontró el CSD correspondiente al RFC {rfc} .")


def _unknown(number: str) -> ServiceError:
    return ServiceError("certificate-unknown", f"No se encontró el certificado {number}.")


def _page(after: tuple[int, str]) -> Select[tuple[int, str, bytes]]:
    place = tuple_(CSD.c.account_id, CSD.c.number)
    rows = select(CSD.c.account_id, CSD.c.number, CSD.c.sealed_key).where(place > after)
    return rows.order_by(CSD.c.account_id, CSD.c.number).limit(ROTATED_AT_ONCE).with_for_update()


def _stored(row: Row[tuple[object, ...]]) -> StoredCertificate:
    return StoredCertificate(
        row.number, row.kind, row.rfc, row.name, row.valid_from, row.valid_to, row.active, row.certificate
    )

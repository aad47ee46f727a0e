"""The e.firma of taxpayers, encrypted like the keys of seal certificates; they sign requests to the SAT only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from sqlalchemy import ColumnElement, delete, select, update

from timbra.accounts.vault.csd import NUMBER_DIGITS, is_number
from timbra.accounts.vault.signers import IssuerCredential
from timbra.accounts.vault.tables import EFIRMA
from timbra.cfdi.rfc import is_rfc
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import KEY_USED, UseCounter
from timbra.seals.certificates.certificate import CertificateKind, read_certificate, read_certificate_content
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import CountedSigner, pair_key

COLUMNS = EFIRMA.c


@dataclass(frozen=True, slots=True)
class StoredEfirma:
    """An e.firma without its key; the validity is inclusive, UTC."""

    rfc: str
    number: str
    name: str
    valid_from: datetime
    valid_to: datetime
    stored_at: datetime


_STORED = tuple(COLUMNS[name] for name in StoredEfirma.__slots__)


class EfirmaVault:
    """The e.firma of each RFC of an account. A key is decrypted for a caller of `credential` and not kept."""

    def __init__(
        self, database: Database, envelope: EnvelopeEncryption, wall: Clock, audit: Audit, uses: UseCounter
    ) -> None:
        self._database = database
        self._envelope = envelope
        self._wall = wall
        self._audit = audit
        self._uses = uses

    def save(self, account_id: int, certificate: bytes, key: bytes, password: str) -> StoredEfirma:
        """Store an e.firma, in place of the one that the account has of its RFC.

        Args:
            certificate: The `.cer` file, or another form that `read_certificate_content` reads.
            key: The `.key` file, or another form that `load_private_key` reads.
            password: The password of the key; it is not stored.

        Raises:
            ServiceError: "certificate-not-efirma" for a certificate of another kind; those of `read_csd`.
        """
        read = read_certificate_content(certificate)
        if read.kind is not CertificateKind.EFIRMA or not is_rfc(read.rfc) or not is_number(read.number):
            detail = f"Se necesita una e.firma con RFC y número de {NUMBER_DIGITS} dígitos."
            raise ServiceError("certificate-not-efirma", detail)
        private = load_private_key(key, password)
        pair_key(read, private)
        plain = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
        values = {
            "number": read.number,
            "name": read.name,
            "valid_from": read.valid_from,
            "valid_to": read.valid_to,
            "certificate": read.der,
            "sealed_key": self._envelope.close(plain, _context(account_id, read.number)),
            "stored_at": self._wall.now(),
        }
        statement = self._database.insert(EFIRMA).values(account_id=account_id, rfc=read.rfc, **values)
        statement = statement.on_conflict_do_update(index_elements=[COLUMNS.account_id, COLUMNS.rfc], set_=values)
        facts = {"rfc": read.rfc, "valid_to": read.valid_to.isoformat()}
        with self._database.write() as transaction:
            transaction.execute(statement)
            self._audit.record(transaction, "efirma.stored", account_id, read.number, after=facts)
        return self.get(account_id, read.rfc)

    def list_for(self, account_id: int) -> Sequence[StoredEfirma]:
        """Return the e.firma of an account by RFC."""
        query = select(*_STORED).where(COLUMNS.account_id == account_id).order_by(COLUMNS.rfc)
        with self._database.read() as transaction:
            return [StoredEfirma(*row) for row in transaction.execute(query)]

    def get(self, account_id: int, rfc: str) -> StoredEfirma:
        """Return the e.firma of an RFC. Raises ServiceError: "efirma-unknown"."""
        with self._database.read() as transaction:
            row = transaction.execute(select(*_STORED).where(_is(account_id, rfc))).one_or_none()
        if row is None:
            raise _unknown(rfc)
        return StoredEfirma(*row)

    def delete(self, account_id: int, rfc: str) -> None:
        """Delete an e.firma with its key. Raises ServiceError: "efirma-unknown"."""
        with self._database.write() as transaction:
            statement = delete(EFIRMA).where(_is(account_id, rfc)).returning(COLUMNS.number)
            number = transaction.execute(statement).scalar_one_or_none()
            if number is None:
                raise _unknown(rfc)
            self._audit.record(transaction, "efirma.deleted", account_id, number, {"rfc": rfc.upper()})

    def credential(self, account_id: int, rfc: str) -> IssuerCredential:
        """Return certificate and signer of an e.firma; its signatures are counted in the audit log.

        Raises:
            ServiceError: "efirma-unknown"; "vault-key-unknown" or "vault-damaged" when the key cannot be decrypted.
        """
        query = select(COLUMNS.number, COLUMNS.certificate, COLUMNS.sealed_key).where(_is(account_id, rfc))
        with self._database.read() as transaction:
            row = transaction.execute(query).one_or_none()
        if row is None:
            raise _unknown(rfc)
        certificate = read_certificate(row.certificate)
        key = load_private_key(self._envelope.open(row.sealed_key, _context(account_id, row.number)), "")
        count = partial(self._uses.count, KEY_USED, account_id, "", row.number)
        return IssuerCredential(certificate, CountedSigner(pair_key(certificate, key), count))


def rotate_efirma_keys(_database: Database, transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt the keys that are under an older master key with the current one; return the number of them."""
    query = select(COLUMNS.account_id, COLUMNS.rfc, COLUMNS.number, COLUMNS.sealed_key).with_for_update()
    stale = [row for row in transaction.execute(query) if envelope.needs_rotation(row.sealed_key)]
    for row in stale:
        sealed = envelope.rotate(row.sealed_key, _context(row.account_id, row.number))
        transaction.execute(update(EFIRMA).where(_is(row.account_id, row.rfc)).values(sealed_key=sealed))
    return len(stale)


ROTATIONS = (rotate_efirma_keys,)


def _is(account_id: int, rfc: str) -> ColumnElement[bool]:
    return (COLUMNS.account_id == account_id) & (COLUMNS.rfc == rfc.upper())


def _context(account_id: int, number: str) -> bytes:
    return f"efirma:{account_id}:{number}".encode()


def _unknown(rfc: str) -> ServiceError:
    return ServiceError("efirma-unknown", f"No hay una e.firma de {rfc.upper()} en la cuenta.")

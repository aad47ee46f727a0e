"""The vault: seal certificates of each account; private keys are stored under envelope encryption."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from timbra.accounts.secrets import rotate_secrets
from timbra.accounts.store.certificate_repository import CertificateRepository
from timbra.accounts.store.models import EncryptedKey, StoredCertificate
from timbra.accounts.vault.csd import STAMP, read_csd
from timbra.accounts.vault.signers import AREA, IssuerCredential, SignerCache, key_context
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import UseCounter
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.encryption.envelope import EnvelopeEncryption

Rotation = Callable[[Transaction, EnvelopeEncryption], int]


class Vault:
    """Certificates of all accounts of one database; each method except `has_active` reads those of one account."""

    def __init__(
        self,
        database: Database,
        envelope: EnvelopeEncryption,
        wall: Clock,
        fiscal: Clock,
        on_stored: Callable[[Certificate], None] = lambda _: None,
        rotations: Sequence[Rotation] = (),
        uses: UseCounter | None = None,
    ) -> None:
        """Open the vault of a database.

        Args:
            envelope: Encrypts private keys.
            fiscal: Fiscal time, for the audit log.
            on_stored: Called with every certificate after its commit.
            rotations: Each encrypts further values with the current master key in a transaction, and returns their
                number; `rotate` calls them.
            uses: Counts signatures for the audit log; a counter of its own when None.
        """
        self._database = database
        self._certificates = CertificateRepository(database)
        self._envelope = envelope
        self._wall = wall
        self._audit = Audit(wall, fiscal)
        self._signers = SignerCache(database, envelope, uses or UseCounter(database, wall, fiscal))
        self._on_stored = on_stored
        self._rotations = (rotate_secrets, *rotations)

    def save(
        self, account_id: int, certificate_der: bytes, key: bytes, password: str, kind: str = STAMP, active: bool = True
    ) -> StoredCertificate:
        """Store a certificate and its key, or replace the one of that number; takes about 30 ms.

        Args:
            certificate_der: The certificate, in a form that `read_csd` reads.
            key: Its key, in a form that `read_csd` reads.
            password: The password of an encrypted key; it is not stored.
            kind: `stamp`, in any letter case.
            active: Whether the certificate may seal documents.

        Raises:
            ServiceError: Those of `csd.read_csd`, and "certificate-kind" for another kind than `stamp`.
        """
        if kind.casefold() != STAMP:
            raise ServiceError("certificate-kind", f"El tipo de certificado debe ser {STAMP}.")
        csd = read_csd(certificate_der, key, password)
        number = csd.certificate.number
        certificate = _to_stored(csd.certificate, active)
        with self._database.write() as transaction:
            sealed_key = self._envelope.close(csd.key, key_context(account_id, number))
            self._certificates.save(transaction, account_id, certificate, sealed_key, self._wall.now())
            self._database.bump(transaction, AREA)
            self._audit.record(transaction, "certificate.stored", account_id, number, after=_facts(certificate))
        self._on_stored(csd.certificate)
        return self.get(account_id, number)

    def list_certificates(
        self, account_id: int, kind: str | None = None, rfc: str | None = None
    ) -> Sequence[StoredCertificate]:
        """Return the account's certificates, of one kind and one RFC if given, newest first, disabled ones included."""
        if kind is not None and kind.casefold() != STAMP:
            return []
        with self._database.read() as transaction:
            return self._certificates.list_for(transaction, account_id, None if rfc is None else rfc.upper())

    def get(self, account_id: int, number: str) -> StoredCertificate:
        """Return a certificate by its number. Raises ServiceError: "certificate-unknown"."""
        with self._database.read() as transaction:
            certificate = self._certificates.find(transaction, account_id, number)
        if certificate is None:
            raise _unknown(number)
        return certificate

    def get_active(self, account_id: int, rfc: str, kind: str = STAMP) -> StoredCertificate:
        """Return the newest active certificate of an RFC.

        Raises:
            ServiceError: "csd-missing" when the account has none.
        """
        for stored in self.list_certificates(account_id, kind, rfc):
            if stored.active:
                return stored
        raise csd_missing(rfc)

    def has_active(self, rfc: str) -> bool:
        """Whether any account has an active CSD of the RFC."""
        with self._database.read() as transaction:
            return self._certificates.has_active(transaction, rfc.upper())

    def disable(self, account_id: int, number: str) -> None:
        """Disable a certificate; it stays in lists, and saving it again enables it.

        Raises:
            ServiceError: "certificate-unknown".
        """
        with self._database.write() as transaction:
            if not self._certificates.disable(transaction, account_id, number):
                raise _unknown(number)
            self._database.bump(transaction, AREA)
            before, after = {"active": True}, {"active": False}
            self._audit.record(transaction, "certificate.disabled", account_id, number, before=before, after=after)

    def has_read(self, account_id: int, issuer_rfc: str) -> bool:
        """Whether `signer_for` needs no I/O."""
        return self._signers.known(account_id, issuer_rfc) is not None

    def signer_for(self, account_id: int, issuer_rfc: str, at: datetime) -> IssuerCredential:
        """Return the credential that seals the issuer's documents at a fiscal instant.

        It is the newest active CSD that is valid at the instant; without one, the newest active CSD, so that the later
        check of the validity rejects the document. No I/O while no certificate changes.

        Raises:
            ServiceError: "csd-missing" when the account has no active CSD of this RFC.
        """
        credentials = self._signers.get(account_id, issuer_rfc)
        if not credentials:
            raise csd_missing(issuer_rfc)
        return next(
            (credential for credential in credentials if credential.certificate.is_valid_at(at)), credentials[0]
        )

    def rotate(self) -> int:
        """Encrypt every value that is under an older master key with the current one; return the number of them.

        Processes that have only the old master key cannot decrypt those values afterwards: configure the new key in
        them first. After an interruption, the next rotation continues.

        Raises:
            ServiceError: "vault-key-unknown", "vault-damaged".
        """
        with self._database.write() as transaction:
            count = sum(rotation(transaction, self._envelope) for rotation in self._rotations)
            self._audit.record(transaction, "master-key.rotated", None, self._envelope.key_id.hex())
        after = (0, "")
        while True:
            with self._database.write() as transaction:
                keys = self._certificates.lock_keys(transaction, after)
                count += sum(self._rotate(transaction, key) for key in keys)
            if not keys:
                return count
            after = keys[-1].account_id, keys[-1].number

    def verify_keys(self) -> int:
        """Decrypt every stored private key, for a restore drill; return the number of them.

        Raises:
            ServiceError: "vault-key-unknown", "vault-damaged".
        """
        count, after = 0, (0, "")
        while True:
            with self._database.write() as transaction:
                keys = self._certificates.lock_keys(transaction, after)
            if not keys:
                return count
            for key in keys:
                self._envelope.open(key.sealed_key, key_context(key.account_id, key.number))
            count, after = count + len(keys), (keys[-1].account_id, keys[-1].number)

    def _rotate(self, transaction: Transaction, key: EncryptedKey) -> bool:
        if not self._envelope.needs_rotation(key.sealed_key):
            return False
        sealed = self._envelope.rotate(key.sealed_key, key_context(key.account_id, key.number))
        self._certificates.replace_key(transaction, key, sealed)
        return True


def csd_missing(rfc: str) -> ServiceError:
    """Return ServiceError("csd-missing") with the message that clients expect, blank before the full stop included."""
    return ServiceError("csd-missing", f"No se encontró el CSD correspondiente al RFC {rfc} .")


def _facts(certificate: StoredCertificate) -> dict[str, object]:
    """The values of a certificate in the audit log."""
    return {"rfc": certificate.rfc, "active": certificate.active, "valid_to": certificate.valid_to.isoformat()}


def _unknown(number: str) -> ServiceError:
    return ServiceError("certificate-unknown", f"No se encontró el certificado {number}.")


def _to_stored(certificate: Certificate, active: bool) -> StoredCertificate:
    return StoredCertificate(
        number=certificate.number,
        kind=STAMP,
        rfc=certificate.rfc,
        name=certificate.name,
        valid_from=certificate.valid_from,
        valid_to=certificate.valid_to,
        active=active,
        certificate=certificate.der,
    )

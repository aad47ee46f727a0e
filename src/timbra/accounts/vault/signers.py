"""Signers of stored certificates in memory: a private key is decrypted once, not for every document."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial

from timbra.accounts.store.certificate_repository import CertificateRepository
from timbra.accounts.store.models import EncryptedKey
from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.database.database import Database
from timbra.events.audit.counts import KEY_USED, UseCounter
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import CountedSigner, pair_key
from timbra.seals.signers.port import Signer

AREA = "certificates"
"""The area of the cache version that changes with certificates."""
MAX_ISSUERS = 4096
MAX_SIGNERS = 4096


@dataclass(frozen=True, slots=True)
class IssuerCredential:
    """The certificate and signer that seal an issuer's documents."""

    certificate: Certificate
    signer: Signer = field(repr=False)


Credentials = tuple[IssuerCredential, ...]


def key_context(account_id: int, number: str) -> bytes:
    """Return the associated data of an encrypted key: with another account or number it does not decrypt."""
    return f"csd:{account_id}:{number}".encode()


class SignerCache:
    """Active credentials by account and RFC; one per process, thread-safe.

    After a change of any certificate the credentials of an account are read again; the decrypted keys stay in the
    cache, by account and certificate.
    """

    def __init__(self, database: Database, envelope: EnvelopeEncryption, uses: UseCounter) -> None:
        self._database = database
        self._uses = uses
        self._certificates = CertificateRepository(database)
        self._envelope = envelope
        self._by_issuer = BoundedDict[tuple[int, str], Credentials](MAX_ISSUERS)
        self._credentials = BoundedDict[tuple[int, bytes], IssuerCredential](MAX_SIGNERS)
        self._cache_version = -1
        self._lock = threading.Lock()

    def known(self, account_id: int, rfc: str) -> Credentials | None:
        """Return what `get` would return without I/O; None when it has to read the database."""
        if not self._database.is_current(AREA, self._cache_version):
            return None
        return self._by_issuer.get((account_id, rfc))

    def get(self, account_id: int, rfc: str) -> Credentials:
        """Return the account's active credentials of an RFC, newest first; no lock and no I/O for `known` ones.

        Raises:
            ServiceError: "vault-key-unknown" or "vault-damaged" when a key cannot be decrypted.
        """
        known = self.known(account_id, rfc)
        if known is not None:
            return known
        with self._lock:
            cache_version = self._database.cache_version(AREA)
            if cache_version != self._cache_version:
                self._by_issuer.clear()
                self._cache_version = cache_version
            credentials = self._by_issuer.get((account_id, rfc))
            if credentials is None:
                credentials = tuple(self._credential(key) for key in self._keys(account_id, rfc))
                self._by_issuer[account_id, rfc] = credentials
            return credentials

    def _keys(self, account_id: int, rfc: str) -> list[EncryptedKey]:
        with self._database.read() as transaction:
            return list(self._certificates.active_keys(transaction, account_id, rfc))

    def _credential(self, stored: EncryptedKey) -> IssuerCredential:
        credential = self._credentials.get((stored.account_id, stored.certificate))
        if credential is None:
            key = self._envelope.open(stored.sealed_key, key_context(stored.account_id, stored.number))
            certificate = read_certificate(stored.certificate)
            count = partial(self._uses.count, KEY_USED, stored.account_id, "", stored.number)
            signer = CountedSigner(pair_key(certificate, load_private_key(key, "")), count)
            credential = IssuerCredential(certificate, signer)
            self._credentials[stored.account_id, stored.certificate] = credential
        return credential


BOUNDS = (
    Bound(
        "SignerCache",
        BoundKind.CACHE,
        f"{MAX_ISSUERS:,} issuers, {MAX_SIGNERS:,} keys",
        "The entry that was written longest ago is dropped.",
    ),
)

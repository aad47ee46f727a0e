"""The certificate authority of the sandbox: created at first use and stored in the database, its key encrypted.

Its certificate numbers have 20 digits of a series that the SAT does not use: 9900, then eight random digits for each
installation (so that two sandboxes do not issue equal numbers), then a counter of eight digits. The authority has
counter 1, the provider 2.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from lxml import etree

from timbra.asn1 import x509_writer as x509
from timbra.cfdi.byte_splice import DECLARATION
from timbra.cfdi.cancelacion.acuse import SEAL
from timbra.database.database import Database
from timbra.database.state_version import STATE_AREA
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.sandbox.authority.certificates import subject_names
from timbra.sandbox.authority.certificates.key_files import AUTHORITY_BITS, new_key, plain_pkcs8, sat_key_file
from timbra.sandbox.authority.taxpayers.published_lists import insert_certificate
from timbra.sandbox.store.models import KeyRow
from timbra.sandbox.store.transactions import SandboxStore, SandboxTransaction
from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.rsa_signature import Digest
from timbra.seals.signers.memory import CountedSigner, MemorySigner, pair_key
from timbra.seals.signers.port import Signer
from timbra.seals.xml_signatures.xmldsig import sign
from timbra.validation.sandbox_documents import SERIES

# Well-formed, but with a wrong check digit: no taxpayer can have them.
AUTHORITY_RFC = "TIM010101CA1"
PROVIDER_RFC = "TIM010101SB9"
# The organizational unit of the SAT's test providers.
PROVIDER_BRANCH = "PAC CFDI_PRUEBAS"
# The sandbox's own certificates are valid at every instant to which the fiscal clock can be set.
OWN_VALIDITY = (datetime(2004, 1, 1, tzinfo=UTC), datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC))
FIRST_COUNT = 3
AREA = "sandbox"


@dataclass(frozen=True, slots=True)
class SandboxProvider:
    """The provider (PAC) of the sandbox, with an RFC and a certificate series of its own."""

    rfc: str
    certificate: Certificate
    signer: Signer = field(repr=False)
    signing: None = None


@dataclass(frozen=True, slots=True)
class MintedCredential:
    """A new credential in the SAT's file forms.

    Attributes:
        key_der: The private key: PKCS#8, encrypted with PBES2 and 3DES.
        password: The password of `key_der`.
    """

    certificate: Certificate
    key_der: bytes = field(repr=False)
    password: str = field(repr=False)

    @property
    def certificate_der(self) -> bytes:
        return self.certificate.der

    @property
    def number(self) -> str:
        return self.certificate.number

    @property
    def rfc(self) -> str:
        return self.certificate.rfc


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A certificate of the sandbox itself with its key.

    Attributes:
        role: `authority` or `provider`.
        sealed_key: The private key under envelope encryption.
    """

    role: str
    certificate: Certificate
    sealed_key: bytes = field(repr=False)

    def signer(self, envelope: EnvelopeEncryption) -> Signer:
        """Return the signer of the decrypted key.

        Raises:
            ServiceError: "vault-key-unknown" or "vault-damaged", as `EnvelopeEncryption.open`.
        """
        return pair_key(self.certificate, load_private_key(envelope.open(self.sealed_key, key_context(self.role)), ""))


class _NoKey:
    """The signer of a process that reads certificates only."""

    def sign(self, _data: bytes, _digest: Digest = "sha256") -> bytes:
        raise RuntimeError("this process has no keys")


class _OwnKeys:
    """The keys of one state, replaced as a whole; without envelope encryption their certificates only."""

    def __init__(
        self, authority: OwnKey, provider: OwnKey, envelope: EnvelopeEncryption | None, on_use: Callable[[str], None]
    ) -> None:
        self.authority = authority
        signer: Signer = _NoKey()
        if envelope is not None:
            signer = CountedSigner(provider.signer(envelope), partial(on_use, provider.certificate.number))
        self.provider = SandboxProvider(provider.certificate.rfc, provider.certificate, signer)
        self._envelope = envelope
        self._signer: Signer | None = None

    def signer(self) -> Signer:
        """Return the signer of the authority, which is opened at first use."""
        if self._signer is None:
            self._signer = _NoKey() if self._envelope is None else self.authority.signer(self._envelope)
        return self._signer


class SandboxAuthority:
    """Issues certificates in the SAT's form; `open_authority` returns the one of a database."""

    def __init__(
        self,
        store: SandboxStore,
        envelope: EnvelopeEncryption | None,
        on_use: Callable[[str], None] = lambda _: None,
        audit: Audit | None = None,
    ) -> None:
        """Use the stored keys.

        Args:
            store: The tables of the simulated authority, with the keys.
            envelope: Decrypts the keys; None for a process that reads the certificates only.
            on_use: Called with the number of the provider's certificate before each of its signatures.
            audit: Writes an event for each issued certificate; None in a process that issues none.
        """
        self._store = store
        self._audit = audit
        self._on_use = on_use
        self._envelope = envelope
        self._folder: Path | None = None
        self._state_version = -1
        self.refresh()

    @property
    def is_current(self) -> bool:
        """Whether `refresh` would read nothing; no I/O."""
        return self._store.is_current(STATE_AREA, self._state_version)

    def refresh(self) -> None:
        """Read the keys again after the state of the sandbox was replaced; no I/O while it is the same."""
        state_version = self._store.cache_version(STATE_AREA)
        if state_version != self._state_version:
            keys = _stored_keys(self._store)
            self._own = _OwnKeys(keys["authority"], keys["provider"], self._envelope, self._on_use)
            if self._folder is not None:
                self.publish(self._folder)
            self._state_version = state_version

    @property
    def certificate(self) -> Certificate:
        return self._own.authority.certificate

    @property
    def provider(self) -> SandboxProvider:
        """The provider (PAC), with its certificate and signer."""
        return self._own.provider

    def mint(
        self,
        rfc: str,
        kind: CertificateKind,
        name: str,
        valid_from: datetime,
        valid_to: datetime,
        *,
        branch: str = subject_names.MARK,
        password: str | None = None,
        listed: bool = True,
        key: RSAPrivateKey | None = None,
        account_id: int | None = None,
    ) -> MintedCredential:
        """Issue a credential. The certificate is stored before the method returns; its key is not stored.

        Args:
            rfc: The holder.
            kind: CSD or EFIRMA.
            name: The name of the holder.
            valid_from: Start of the validity, aware, in whole seconds, inclusive.
            valid_to: End of the validity, aware, in whole seconds, inclusive.
            branch: The organizational unit of a CSD.
            password: The password of the key; a random one when None.
            listed: Whether the LCO has a CSD at once; otherwise the next refresh adds it.
            key: The private key; a new one when None.
            account_id: The account that requested it; None for an operator's.

        Raises:
            ValueError: `kind` is another kind of certificate.
        """
        key = key or self.holder_key(rfc)
        certificate = self.certify(
            key.public_key(), rfc, kind, name, valid_from, valid_to, branch=branch, listed=listed, account_id=account_id
        )
        secret = password or secrets.token_urlsafe(12)
        return MintedCredential(certificate, sat_key_file(key, secret), secret)

    def certify(
        self,
        public_key: RSAPublicKey,
        rfc: str,
        kind: CertificateKind,
        name: str,
        valid_from: datetime,
        valid_to: datetime,
        *,
        branch: str = subject_names.MARK,
        listed: bool = True,
        account_id: int | None = None,
    ) -> Certificate:
        """Issue and store the certificate of a key that its holder has; as `mint`."""
        if kind not in (CertificateKind.CSD, CertificateKind.EFIRMA):
            raise ValueError(f"the sandbox issues no {kind} certificates")
        self.refresh()
        own, seal = self._own, kind is CertificateKind.CSD
        draft = x509.UnsignedCertificate(
            number=self._next_number(own.authority.certificate),
            issuer=own.authority.certificate.subject,
            subject=subject_names.csd_subject(rfc, name, branch) if seal else subject_names.efirma_subject(rfc, name),
            valid_from=valid_from,
            valid_to=valid_to,
            public_key=public_key,
            extensions=x509.SEAL_EXTENSIONS if seal else x509.EFIRMA_EXTENSIONS,
        )
        certificate = read_certificate(x509.sign_certificate(draft, own.signer().sign))
        self._record(certificate, listed=listed, account_id=account_id)
        return certificate

    def holder_key(self, rfc: str) -> RSAPrivateKey:
        """Return a new private key for a holder; an authority of reproducible documents derives it from the RFC."""
        del rfc
        return new_key()

    def certificate_der(self, number: str) -> bytes | None:
        """Return the DER of a certificate of the sandbox or issued by it; None for an unknown number."""
        self.refresh()
        own = {certificate.number: certificate.der for certificate in self.published}
        if number in own:
            return own[number]
        with self._store.read() as transaction:
            return transaction.certificates.der(number)

    @property
    def published(self) -> tuple[Certificate, Certificate]:
        """The certificates of the authority and of the provider, with which a client verifies a stamp."""
        own = self._own
        return own.authority.certificate, own.provider.certificate

    def seal_acuse(self, root: etree._Element) -> bytes:
        """Sign an acuse with the key of the authority and return its XML."""
        self.refresh()
        own = self._own
        sign(root, own.authority.certificate, own.signer(), "sha256", SEAL)
        return DECLARATION + etree.tostring(root, encoding="utf-8")

    def publish(self, folder: Path) -> None:
        """Write the published certificates into `folder` as NUMBER.cer; existing files are not replaced."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for certificate in self.published:
            target = folder / f"{certificate.number}.cer"
            if not target.exists():
                draft = folder / f"{certificate.number}.{os.getpid()}.part"
                draft.write_bytes(certificate.der)
                draft.replace(target)

    def _next_number(self, authority: Certificate) -> str:
        with self._store.write() as transaction:
            return f"{authority.number[:12]}{transaction.values.increment('certificates', FIRST_COUNT):08d}"

    def _record(self, certificate: Certificate, *, listed: bool, account_id: int | None) -> None:
        with self._store.write() as transaction:
            insert_certificate(transaction, certificate, listed=listed, account_id=account_id)
            if self._audit is not None:
                values = {"rfc": certificate.rfc, "kind": certificate.kind.value, "listed": listed}
                transaction.record(
                    self._audit, "certificate.issued", certificate.number, account_id=account_id, after=values
                )
            transaction.mark_changed(AREA)


def open_authority(
    store: SandboxStore,
    envelope: EnvelopeEncryption,
    on_use: Callable[[str], None] = lambda _: None,
    audit: Audit | None = None,
) -> SandboxAuthority:
    """Open the authority of this database; at first use, create it together with its provider.

    Processes that start at the same time get the same authority: the rows of the first commit are used.
    """
    if not _stored_keys(store):
        rows = _new_keys(envelope)
        with store.write() as transaction:
            transaction.keys.insert_missing(rows)
    return SandboxAuthority(store, envelope, on_use, audit)


def rotate_keys(database: Database, transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt the sandbox's own keys that are under an older master key with the current one; return their number."""
    keys = SandboxTransaction(database, transaction).keys
    stale = [row for row in keys.list_all() if envelope.needs_rotation(row.sealed_key)]
    for row in stale:
        keys.replace_sealed_key(row.role, envelope.rotate(row.sealed_key, key_context(row.role)))
    return len(stale)


def _stored_keys(store: SandboxStore) -> dict[str, OwnKey]:
    with store.read() as transaction:
        rows = transaction.keys.list_all()
    return {row.role: OwnKey(row.role, read_certificate(row.certificate), row.sealed_key) for row in rows}


def _new_keys(envelope: EnvelopeEncryption) -> list[KeyRow]:
    return own_keys(envelope, secrets.randbelow(10**8), new_key(AUTHORITY_BITS), new_key())


def own_keys(
    envelope: EnvelopeEncryption, installation: int, authority: RSAPrivateKey, provider: RSAPrivateKey
) -> list[KeyRow]:
    """Return the rows of an authority and its provider with these keys; the number of the installation has 8 digits."""
    series = f"{SERIES}{installation:08d}"
    issuer = subject_names.authority_subject(AUTHORITY_RFC)
    subject = subject_names.csd_subject(PROVIDER_RFC, subject_names.MARK, PROVIDER_BRANCH)
    own = authority.public_key()
    root = x509.UnsignedCertificate(
        f"{series}{1:08d}", issuer, issuer, *OWN_VALIDITY, own, x509.authority_extensions(own)
    )
    leaf = x509.UnsignedCertificate(
        f"{series}{2:08d}", issuer, subject, *OWN_VALIDITY, provider.public_key(), x509.SEAL_EXTENSIONS
    )
    signer = MemorySigner(authority)
    return [
        KeyRow(
            role,
            draft.number,
            x509.sign_certificate(draft, signer.sign),
            envelope.close(plain_pkcs8(key), key_context(role)),
        )
        for role, draft, key in (("authority", root, authority), ("provider", leaf, provider))
    ]


def key_context(role: str) -> bytes:
    return f"sandbox:{role}".encode()


ROTATIONS = (rotate_keys,)

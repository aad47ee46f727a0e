"""The sandbox's certificate authority: made at first use, kept in the database, its key encrypted at rest.

Its numbers are 20 digits of a series that SAT does not use: 9900, then eight digits drawn once for each installation
(so that two sandboxes never give one number to two keys), then a counter of eight digits. The authority has counter 1,
the provider 2.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from lxml import etree
from sqlalchemy import Connection, select, update

from timbra.authority.sandbox import names, x509
from timbra.authority.sandbox.keys import AUTHORITY_BITS, new_key, plain_pkcs8, sat_key_file
from timbra.authority.sandbox.rows import insert_certificate
from timbra.authority.sandbox.state import count_up
from timbra.cfdi.cancelacion.acuse import SEAL
from timbra.cfdi.splice import DECLARATION
from timbra.seals.certificate import Certificate, Kind, read_certificate
from timbra.seals.envelope import Envelope
from timbra.seals.keys import load_private_key, pair
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.signers.port import Signer
from timbra.seals.xmldsig import sign
from timbra.store.database import Database
from timbra.store.tables.sandbox import SANDBOX_CERTIFICATE, SANDBOX_KEY

SERIES = "9900"
# Well-formed, but with a check digit that the RFC's own arithmetic never gives: nobody can be assigned them.
AUTHORITY_RFC = "TIM010101CA1"
PROVIDER_RFC = "TIM010101SB9"
# A branch that marks SAT's own test providers.
PROVIDER_BRANCH = "PAC CFDI_PRUEBAS"
# The fiscal clock is movable: the sandbox's own certificates are in force wherever it may be put.
OWN_VALIDITY = (datetime(2004, 1, 1, tzinfo=UTC), datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC))
FIRST_COUNT = 3
AREA = "sandbox"


@dataclass(frozen=True, slots=True)
class SandboxProvider:
    """Who stamps in the sandbox: a provider with an RFC, a name and a certificate series of its own."""

    rfc: str
    certificate: Certificate
    signer: Signer = field(repr=False)


@dataclass(frozen=True, slots=True)
class MintedCredential:
    """A credential as SAT hands it out. key_der: PKCS#8 under PBES2 and 3DES, opened by `password`."""

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
    """A certificate of the sandbox itself with its key as it is stored. role: `authority` or `provider`."""

    role: str
    certificate: Certificate
    sealed_key: bytes = field(repr=False)

    def signer(self, envelope: Envelope) -> Signer:
        """ServiceError("vault-key-unknown", "vault-damaged") as `Envelope.open`."""
        return pair(self.certificate, load_private_key(envelope.open(self.sealed_key, _context(self.role)), ""))


class SandboxAuthority:
    """Issues certificates in SAT's form. `open_authority` makes it."""

    def __init__(self, database: Database, envelope: Envelope, authority: OwnKey, provider: OwnKey) -> None:
        self._database = database
        self._envelope = envelope
        self._key = authority
        self._signer: Signer | None = None
        self.certificate = authority.certificate
        self.provider = SandboxProvider(provider.certificate.rfc, provider.certificate, provider.signer(envelope))

    def mint(
        self,
        rfc: str,
        kind: Kind,
        name: str,
        valid_from: datetime,
        valid_to: datetime,
        *,
        branch: str = names.MARK,
        password: str | None = None,
        listed: bool = True,
    ) -> MintedCredential:
        """A new credential, on record before it is handed out; its key is not kept.

        kind: CSD or EFIRMA (ValueError otherwise). valid_from, valid_to: aware, whole seconds, both inclusive.
        password: drawn when None. listed: whether a CSD is in the list at once, or with the next refresh.
        """
        if kind not in (Kind.CSD, Kind.EFIRMA):
            raise ValueError(f"the sandbox issues no {kind} certificates")
        key = new_key()
        seal = kind is Kind.CSD
        draft = x509.Draft(
            number=self._next_number(),
            issuer=self.certificate.subject,
            subject=names.csd_subject(rfc, name, branch) if seal else names.efirma_subject(rfc, name),
            valid_from=valid_from,
            valid_to=valid_to,
            public_key=key.public_key(),
            extensions=x509.SEAL_EXTENSIONS if seal else x509.EFIRMA_EXTENSIONS,
        )
        certificate = read_certificate(x509.signed(draft, self._open_signer()))
        self._record(certificate, listed=listed)
        secret = password or secrets.token_urlsafe(12)
        return MintedCredential(certificate, sat_key_file(key, secret), secret)

    def certificate_der(self, number: str) -> bytes | None:
        """The certificate of that number, of the sandbox itself or issued by it; None when there is none."""
        own = {certificate.number: certificate.der for certificate in self.published}
        if number in own:
            return own[number]
        wanted = select(SANDBOX_CERTIFICATE.c.certificate).where(SANDBOX_CERTIFICATE.c.number == number)
        with self._database.read() as connection:
            return connection.execute(wanted).scalar_one_or_none()

    @property
    def published(self) -> tuple[Certificate, Certificate]:
        """What a client needs to verify a stamp: the authority's and the provider's certificate."""
        return self.certificate, self.provider.certificate

    def seal_acuse(self, root: etree._Element) -> bytes:
        """The acuse as XML, signed with the authority's own key."""
        sign(root, self.certificate, self._open_signer(), "sha256", SEAL)
        return DECLARATION + etree.tostring(root, encoding="utf-8")

    def publish(self, folder: Path) -> None:
        """Puts what is published into `folder` as NUMBER.cer; files that are there already stay."""
        folder.mkdir(parents=True, exist_ok=True)
        for certificate in self.published:
            target = folder / f"{certificate.number}.cer"
            if not target.exists():
                draft = folder / f"{certificate.number}.{os.getpid()}.part"
                draft.write_bytes(certificate.der)
                draft.replace(target)

    def _next_number(self) -> str:
        with self._database.write() as connection:
            return (
                self.certificate.number[:12]
                + f"{count_up(self._database, connection, 'certificates', FIRST_COUNT):08d}"
            )

    def _record(self, certificate: Certificate, *, listed: bool) -> None:
        with self._database.write() as connection:
            insert_certificate(self._database, connection, certificate, listed=listed)
            self._database.bump(connection, AREA)

    def _open_signer(self) -> Signer:
        if self._signer is None:
            self._signer = self._key.signer(self._envelope)
        return self._signer


def open_authority(database: Database, envelope: Envelope) -> SandboxAuthority:
    """The authority of this database, made together with its provider at first use.

    Processes that start at once end with the same one: the rows of the first to commit stay.
    """
    keys = _stored(database)
    if not keys:
        rows = _made(envelope)
        with database.write() as connection:
            connection.execute(database.insert(SANDBOX_KEY).on_conflict_do_nothing(), rows)
        keys = _stored(database)
    return SandboxAuthority(database, envelope, keys["authority"], keys["provider"])


def rotate_keys(connection: Connection, envelope: Envelope) -> int:
    """Closes the sandbox's own keys anew that lie under an older master key; how many those were."""
    stale = [row for row in connection.execute(select(SANDBOX_KEY)) if envelope.needs_rotation(row.sealed_key)]
    for row in stale:
        sealed = envelope.rotate(row.sealed_key, _context(row.role))
        connection.execute(update(SANDBOX_KEY).where(SANDBOX_KEY.c.role == row.role).values(sealed_key=sealed))
    return len(stale)


def _stored(database: Database) -> dict[str, OwnKey]:
    with database.read() as connection:
        rows = connection.execute(select(SANDBOX_KEY)).all()
    return {row.role: OwnKey(row.role, read_certificate(row.certificate), row.sealed_key) for row in rows}


def _made(envelope: Envelope) -> list[dict[str, object]]:
    installation = f"{SERIES}{secrets.randbelow(10**8):08d}"
    authority, provider = new_key(AUTHORITY_BITS), new_key()
    issuer = names.authority_subject(AUTHORITY_RFC)
    subject = names.csd_subject(PROVIDER_RFC, names.MARK, PROVIDER_BRANCH)
    own = authority.public_key()
    root = x509.Draft(f"{installation}{1:08d}", issuer, issuer, *OWN_VALIDITY, own, x509.authority_extensions(own))
    leaf = x509.Draft(
        f"{installation}{2:08d}", issuer, subject, *OWN_VALIDITY, provider.public_key(), x509.SEAL_EXTENSIONS
    )
    signer = MemorySigner(authority)
    return [
        {
            "role": role,
            "number": draft.number,
            "certificate": x509.signed(draft, signer),
            "sealed_key": envelope.close(plain_pkcs8(key), _context(role)),
        }
        for role, draft, key in (("authority", root, authority), ("provider", leaf, provider))
    ]


def _context(role: str) -> bytes:
    return f"sandbox:{role}".encode()

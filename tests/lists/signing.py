"""Lists in the form that the SAT publishes: certificates, PKCS#7 made here or by `openssl`, gzip."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import new
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA1, SHA256, HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from tests.support.requirements import need

from timbra.asn1 import der_writer as der
from timbra.core.clock import Clock, FixedClock
from timbra.lists.importer import ListImporter
from timbra.lists.ingest import ListColumns
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.columns import known_columns
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.certificates.trust_store import TrustStore

NOW = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
YEARS = (datetime(2024, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))
SAT = "SAT970701NN3"
DATA, SIGNED_DATA = "1.2.840.113549.1.7.1", "1.2.840.113549.1.7.2"
DIGESTS: dict[str, tuple[str, HashAlgorithm]] = {
    "sha1": ("1.3.14.3.2.26", SHA1()),
    "sha256": ("2.16.840.1.101.3.4.2.1", SHA256()),
}
RSA = der.sequence(der.object_identifier("1.2.840.113549.1.1.1"), der.null())


@dataclass(frozen=True)
class Identity:
    """A key and its certificate."""

    key: rsa.RSAPrivateKey
    x509: x509.Certificate

    @property
    def der(self) -> bytes:
        return self.x509.public_bytes(Encoding.DER)

    @property
    def certificate(self) -> Certificate:
        return read_certificate(self.der)

    def pem(self) -> bytes:
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return self.x509.public_bytes(Encoding.PEM) + key


AUTHORITIES: dict[str, tuple[str, int | None]] = {
    "AC DE PRUEBA": ("", None),
    "AC AJENA": ("", None),
    "AC SUBORDINADA": ("AC DE PRUEBA", 0),
    "AC FINAL": ("", 0),
    "AC DE MAS": ("AC FINAL", None),
}
"""Issuer (empty for a root) and path length of each authority."""


@cache
def key(_holder: str) -> rsa.RSAPrivateKey:
    """Return the holder's key; it is generated once."""
    return rsa.generate_private_key(65537, 2048)


@cache
def authority(name: str = "AC DE PRUEBA") -> Identity:
    issuer, path_length = AUTHORITIES[name]
    number = f"9900{list(AUTHORITIES).index(name):016}"
    return _issued(name, SAT, number, authority(issuer) if issuer else None, YEARS, path_length, ca=True)


@cache
def signer(
    rfc: str = SAT,
    number: str = "00001000000000000009",
    branch: str = "",
    issuer: str = "AC DE PRUEBA",
    years: tuple[datetime, datetime] = YEARS,
) -> Identity:
    """A certificate with a taxpayer's usage; a branch makes it a CSD."""
    return _issued("QUIEN FIRMA", rfc, number, authority(issuer), years, branch=branch)


def _issued(
    name: str,
    rfc: str,
    number: str,
    issuer: Identity | None,
    years: tuple[datetime, datetime],
    path_length: int | None = None,
    branch: str = "",
    ca: bool = False,
) -> Identity:
    parts = [(NameOID.COMMON_NAME, name), (NameOID.X500_UNIQUE_IDENTIFIER, rfc)]
    parts += [(NameOID.ORGANIZATIONAL_UNIT_NAME, branch)] if branch else []
    subject = x509.Name([x509.NameAttribute(kind, value) for kind, value in parts])
    usage = x509.KeyUsage(not ca, not ca, False, False, False, ca, ca, False, False)
    own = key(name)
    draft = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.x509.subject if issuer else subject)
        .public_key(own.public_key())
        .serial_number(int.from_bytes(number.encode(), "big"))
        .not_valid_before(years[0])
        .not_valid_after(years[1])
        .add_extension(x509.BasicConstraints(ca, path_length), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
    )
    return Identity(own, draft.sign(issuer.key if issuer else own, SHA256()))


def trust(*names: str) -> TrustStore:
    """Trust in the authorities of these names, `AC DE PRUEBA` if none is given."""
    trusted = TrustStore([], [])
    for name in names or ("AC DE PRUEBA",):
        trusted = trusted.with_authority(authority(name).certificate)
    return trusted


def importer(
    folder: Path, *, strict: bool = True, columns: str = "", largest: int = 2**30, clock: Clock | None = None
) -> ListImporter:
    return ListImporter(
        folder,
        ListSigners(trust(), strict=strict),
        ListColumns(known_columns(columns), {"SF60653": "USD"}),
        clock or FixedClock(NOW),
        max_part_bytes=largest,
    )


def signed(
    content: bytes,
    by: Identity | None = None,
    *,
    digest: str = "sha256",
    attributes: bool = True,
    certificates: Sequence[bytes] | None = None,
    signed_at: datetime | None = NOW,
) -> bytes:
    """The content in a PKCS#7 in DER."""
    identity = by or signer()
    identifier, algorithm = DIGESTS[digest]
    hashed = new(digest, content).digest()
    signed_attributes = _attributes(hashed, signed_at) if attributes else b""
    covered = new(digest, der.element(0x31, signed_attributes)).digest() if attributes else hashed
    algorithms = der.sequence(der.object_identifier(identifier), der.null())
    info = der.sequence(
        der.integer(1),
        der.sequence(identity.x509.issuer.public_bytes(), der.element(0x02, _serial(identity))),
        algorithms,
        *([der.element(0xA0, signed_attributes)] if attributes else []),
        RSA,
        der.octets(identity.key.sign(covered, PKCS1v15(), Prehashed(algorithm))),
    )
    carried = b"".join([identity.der] if certificates is None else certificates)
    body = der.sequence(
        der.integer(1),
        der.element(0x31, algorithms),
        der.sequence(der.object_identifier(DATA), der.explicit(0, der.octets(content))),
        *([der.element(0xA0, carried)] if carried else []),
        der.element(0x31, info),
    )
    return der.sequence(der.object_identifier(SIGNED_DATA), der.explicit(0, body))


def _attributes(hashed: bytes, signed_at: datetime | None) -> bytes:
    values = [("1.2.840.113549.1.9.3", der.object_identifier(DATA)), ("1.2.840.113549.1.9.4", der.octets(hashed))]
    if signed_at is not None:
        values.append(("1.2.840.113549.1.9.5", der.time(signed_at)))
    return b"".join(
        sorted(der.sequence(der.object_identifier(name), der.element(0x31, value)) for name, value in values)
    )


def _serial(identity: Identity) -> bytes:
    return identity.certificate.number.encode("ascii")


def published(folder: Path, name: str, content: bytes, by: Identity | None = None) -> Path:
    """Write a part in the form that the SAT publishes."""
    path = folder / name
    path.write_bytes(gzip.compress(signed(content, by), mtime=0))
    return path


def openssl(*arguments: str | Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `openssl`; skip the test where it is not installed."""
    found = shutil.which("openssl")
    need("openssl", found, "there is no openssl command")
    return subprocess.run([found or "", *map(str, arguments)], input=given, capture_output=True, check=False)


def lco(*taxpayers: str, attributes: str = "", namespace: str = "http:/www.sat.gob.mx/cfd/LCO") -> bytes:
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<lco:LCO xmlns:lco="{namespace}"{attributes}>'
        f"{''.join(taxpayers)}</lco:LCO>"
    ).encode()


def taxpayer(rfc: str, *seals: str) -> str:
    return f'<lco:Contribuyente RFC="{rfc}">{"".join(seals)}</lco:Contribuyente>'


def seal(number: int, status: str = "A", obligations: str = "1", start: str = "2024-01-01T11:43:51") -> str:
    return (
        f'<lco:Certificado ValidezObligaciones="{obligations}" EstatusCertificado="{status}" '
        f'noCertificado="{number:020}" FechaFinal="2028-01-01T11:43:51" FechaInicio="{start}"/>'
    )


def lrfc(*rows: str, header: str = "RFC|SNCF|SUBCONTRATACION") -> bytes:
    return "".join(f"{row}\r\n" for row in (header, *rows, "EOF")).encode()

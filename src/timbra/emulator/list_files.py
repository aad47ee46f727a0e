"""The files of the lists as the SAT publishes them: parts in gzip, each a signed PKCS#7 message with its content."""

from __future__ import annotations

import gzip
import hashlib
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization.pkcs7 import PKCS7Options, PKCS7SignatureBuilder
from cryptography.x509 import load_der_x509_certificate

from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.emulator.credentials import open_credential, write_atomically
from timbra.emulator.options import EmulatorConfiguration
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.lists.signer_policy import SAT
from timbra.sandbox.authority.certificates.authority import OWN_VALIDITY
from timbra.sandbox.authority.taxpayers.models import SandboxCertificate, SandboxTaxpayer
from timbra.seals.certificates.certificate import Certificate, CertificateKind

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

LCO_NAMESPACE = "http:/www.sat.gob.mx/cfd/LCO"
"""With one slash, as the SAT writes it."""
LRFC_HEADER = "RFC|SNCF|SUBCONTRATACION|NOMBRE|CODIGO_POSTAL|REGIMENES"
LRFC_COLUMNS = "NOMBRE=name,CODIGO_POSTAL=postal_code,REGIMENES=regimes"
"""The value of TIMBRA_LRFC_COLUMNS that describes the columns whose real names are not public."""
LCNE_HEADER = "NumeroPermiso|RFC|Clave"
MAX_PERMITS_BYTES = 4 * 1024 * 1024
_SIGNER = "lists"
_DATES = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file of the listing.

    Attributes:
        modified_at: The instant of its publication, aware.
    """

    name: str
    content: bytes = field(repr=False)
    modified_at: datetime

    @property
    def md5(self) -> str:
        """Content-MD5: the digest of the bytes as published, in base64."""
        return b64encode(hashlib.md5(self.content, usedforsecurity=False).digest()).decode()


class ListFiles:
    """The files of the lists in force, built again after a change of the registry. Thread-safe."""

    def __init__(
        self,
        sat: SimulatedSat,
        configuration: EmulatorConfiguration,
        folder: Path,
        rows: Callable[[], Sequence[RegistryRow]],
        version: Callable[[], object],
    ) -> None:
        """Publish the lists of a registry.

        Args:
            configuration: Has the number of parts.
            folder: Keeps the credential that signs, and the permits of L_CNE.
            rows: Returns the published rows of the registry.
            version: Returns a value that changes with the rows.
        """
        self._sat = sat
        self._configuration = configuration
        self._folder = folder
        self._rows = rows
        self._version = version
        self._lock = Lock()
        self._built_version: object = None
        self._files: Sequence[PublishedFile] = ()

    def files(self) -> Sequence[PublishedFile]:
        """Return the files in force, by name."""
        published = self._sat.registry.published
        with self._lock:
            if self._built_version is None:
                self._signer()  # at first use it mints a certificate, which changes the version
            version = (self._version(), published, self._configuration.options.list_parts, self._permits())
            if version != self._built_version:
                self._files = sorted(self._build(published), key=lambda file: file.name)
                self._built_version = version
            return self._files

    def _signer(self) -> tuple[Certificate, RSAPrivateKey]:
        return open_credential(
            self._folder,
            _SIGNER,
            lambda: self._sat.authority.mint(SAT, CertificateKind.EFIRMA, "SAT (PRUEBAS)", *OWN_VALIDITY, listed=False),
        )

    def set_permits(self, text: str) -> None:
        """Replace the rows of L_CNE.

        Args:
            text: Lines `NumeroPermiso|RFC|Clave`, without header.

        Raises:
            ServiceError: "emulator-configuration" for other lines.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if len(text) > MAX_PERMITS_BYTES or any(line.count("|") != LCNE_HEADER.count("|") for line in lines):
            raise ServiceError("emulator-configuration", f"Los renglones de L_CNE son {LCNE_HEADER}.")
        write_atomically(self._folder / "permits.txt", "".join(f"{line}\n" for line in lines).encode())

    def _permits(self) -> bytes:
        path = self._folder / "permits.txt"
        return path.read_bytes() if path.is_file() else b""

    def _build(self, published: datetime) -> list[PublishedFile]:
        certificate, key = self._signer()
        day = published.astimezone(CENTRAL_MEXICO).date()
        parts = _split(self._rows(), self._configuration.options.list_parts)
        named = [
            *((f"LCO_{day:%Y-%m-%d}_{number}.XML.gz", _lco(part, day)) for number, part in enumerate(parts, 1)),
            *((f"l_RFC_{day:%Y_%m_%d}_{number}.txt.gz", _lrfc(part)) for number, part in enumerate(parts, 1)),
            (f"L_CNE_{day:%Y_%m_%d}_1.txt.gz", f"{LCNE_HEADER}\n".encode() + self._permits()),
        ]
        files = [
            PublishedFile(name, gzip.compress(_signed(content, certificate.der, key), mtime=0), published)
            for name, content in named
        ]
        return [*files, _control_file(files[-1:], day, published)]


@dataclass(frozen=True, slots=True)
class RegistryRow:
    """The published rows of one RFC.

    Attributes:
        taxpayer: The row of l_RFC.
        certificates: The rows of the LCO.
    """

    taxpayer: SandboxTaxpayer
    certificates: Sequence[SandboxCertificate]


def with_broken_signature(content: bytes) -> tuple[bytes, str]:
    """Return a file of a list with another signature, which does not verify, and its Content-MD5."""
    plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    damaged = plain[:-1] + bytes([plain[-1] ^ 1])
    packed = gzip.compress(damaged, mtime=0)
    return packed, b64encode(hashlib.md5(packed, usedforsecurity=False).digest()).decode()


def _split(rows: Sequence[RegistryRow], count: int) -> list[Sequence[RegistryRow]]:
    size = max(1, -(-len(rows) // count))
    return [rows[start * size : (start + 1) * size] for start in range(count)]


def _lco(rows: Sequence[RegistryRow], day: date) -> bytes:
    lines = [f'<?xml version="1.0" encoding="UTF-8"?>\n<lco:LCO xmlns:lco="{LCO_NAMESPACE}" fecha="{day:%Y-%m-%d}">']
    for row in rows:
        certificates = "".join(
            f'<lco:Certificado ValidezObligaciones="{seal.obligations}" EstatusCertificado="{seal.status}" '
            f'noCertificado="{seal.number}" FechaFinal="{seal.valid_to:{_DATES}}" '
            f'FechaInicio="{seal.valid_from:{_DATES}}"/>'
            for seal in row.certificates
        )
        lines.append(f"<lco:Contribuyente RFC={quoteattr(row.taxpayer.rfc)}>{certificates}</lco:Contribuyente>")
    return "\n".join([*lines, "</lco:LCO>\n"]).encode()


def _lrfc(rows: Sequence[RegistryRow]) -> bytes:
    lines = [
        f"{found.rfc}|{found.sncf:d}|{found.subcontracting:d}|{found.name.replace('|', ' ')}|{found.postal_code}|"
        f"{' '.join(sorted(found.regimes))}"
        for found in (row.taxpayer for row in rows)
        if not found.cancelled
    ]
    return "\n".join([LRFC_HEADER, *lines, "EOF\n"]).encode()


def _control_file(files: Sequence[PublishedFile], day: date, published: datetime) -> PublishedFile:
    """Return the control file of L_CNE: the number of files, and the hash of each."""
    lines = [str(len(files)), *(f"{file.name}|{hashlib.sha256(file.content).hexdigest()}" for file in files)]
    return PublishedFile(f"L_CNE_{day:%Y_%m_%d}_control.txt", "\n".join([*lines, ""]).encode(), published)


def _signed(content: bytes, certificate: bytes, key: RSAPrivateKey) -> bytes:
    builder = PKCS7SignatureBuilder().set_data(content)
    signer = builder.add_signer(load_der_x509_certificate(certificate), key, SHA256())
    return signer.sign(Encoding.DER, [PKCS7Options.Binary])

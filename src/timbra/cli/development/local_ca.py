"""A certificate authority of the machine, for `timbra dev --https`: made once in the data folder.

The files in the folder `tls` are `ca.pem` and `ca.key` (10 years), and `server.pem` and `server.key`, made at each
start. The private keys are readable only by their owner.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from timbra.cli.development.vendor_hosts import VENDOR_HOSTS
from timbra.web.server.worker import TlsFiles

FOLDER = "tls"
CA_YEARS = timedelta(days=3652)
SERVER_DAYS = timedelta(days=397)
"""The longest validity that browsers accept."""
MARGIN = timedelta(days=1)
"""Start of the validity before the present, for machines whose clock is slow; rest of a CA that is renewed."""
MAX_COMMON_NAME = 64


class LocalCa:
    """The authority of a data folder.

    Args:
        data: the data folder; the folder `tls` in it is made when it does not exist.

    Raises:
        ValueError: the files of the authority are damaged.
        OSError: the files cannot be read or written.
    """

    def __init__(self, data: Path) -> None:
        self._folder = data / FOLDER
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._key = self._load_key()
        self._certificate = self._load_certificate()

    @property
    def path(self) -> Path:
        """File of the authority's certificate, which clients are to trust."""
        return (self._folder / "ca.pem").resolve()

    def issue(self, host: str = "", names: Iterable[str] = VENDOR_HOSTS, stem: str = "server") -> TlsFiles:
        """Issue a certificate for this machine and the hosts that a server stands for.

        Args:
            host: a further address or name on which the server listens.
            names: the names of those hosts.
            stem: the name of the files, without their ends.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        own = self._key.public_key()
        certificate = (
            x509.CertificateBuilder()
            .subject_name(_name("Timbra development server"))
            .issuer_name(self._certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - MARGIN)
            .not_valid_after(min(now + SERVER_DAYS, self._certificate.not_valid_after_utc))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(_names(host, names)), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own), critical=False)
            .sign(self._key, SHA256())
        )
        files = TlsFiles(self._folder / f"{stem}.pem", self._folder / f"{stem}.key")
        _write(files.key, _key_pem(key), 0o600)
        _write(files.certificate, certificate.public_bytes(Encoding.PEM), 0o644)
        return files

    def _load_key(self) -> ec.EllipticCurvePrivateKey:
        path = self._folder / "ca.key"
        if not path.exists():
            _write(path, _key_pem(ec.generate_private_key(ec.SECP256R1())), 0o600)
        key = load_pem_private_key(path.read_bytes(), None)
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise ValueError("ca.key is no EC key")  # noqa: TRY004 - the content is wrong
        return key

    def _load_certificate(self) -> x509.Certificate:
        path, now = self._folder / "ca.pem", datetime.now(UTC)
        if path.exists():
            certificate = x509.load_pem_x509_certificate(path.read_bytes())
            certified = certificate.public_key() == self._key.public_key()
            if certified and now + MARGIN < certificate.not_valid_after_utc:
                return certificate
        certificate = self._new_certificate(now)
        _write(path, certificate.public_bytes(Encoding.PEM), 0o644)
        return certificate

    def _new_certificate(self, now: datetime) -> x509.Certificate:
        own, name = self._key.public_key(), _name(f"Timbra development CA of {socket.gethostname()}")
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(own)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - MARGIN)
            .not_valid_after(now + CA_YEARS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(authority=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(own), critical=False)
            .sign(self._key, SHA256())
        )


def _names(host: str, names: Iterable[str]) -> list[x509.GeneralName]:
    """Return the names of this machine, of the given hosts and of the address on which the server listens."""
    hosts = dict.fromkeys(("localhost", socket.gethostname(), socket.getfqdn(), *names))
    addresses = dict.fromkeys(map(ip_address, ("127.0.0.1", "::1")))
    try:
        address = ip_address(host)
        if not address.is_unspecified:
            addresses[address] = None
    except ValueError:
        hosts[host] = None
    texts = [name for name in hosts if name and name.isascii() and ":" not in name]
    return [*map(x509.DNSName, texts), *map(x509.IPAddress, addresses)]


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:MAX_COMMON_NAME])])


def _key_usage(*, authority: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a file in one step, so that another process reads either the former or the new content."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)
    draft.replace(path)

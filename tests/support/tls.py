"""TLS on the loopback address: a server's context, and the authority that its clients trust."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

LOCALHOST = "127.0.0.1"
HOST = "server.example"


@dataclass(frozen=True)
class TlsServer:
    """A server's TLS.

    Attributes:
        context: with the key and a certificate for 127.0.0.1 and `HOST`.
        authority: PEM file that a client needs to trust it.
    """

    context: ssl.SSLContext
    authority: Path


def tls_server(folder: Path) -> TlsServer:
    """Return the TLS of a server, with a key and a certificate made for it in a folder."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "server of the tests")])
    names = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address(LOCALHOST)), x509.DNSName(HOST)])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, private = folder / "server.pem", folder / "server.key"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, private)
    return TlsServer(context, pem)

"""Generated certificates, and damaged samples of real ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import strategies as st

from timbra.core.errors import ServiceError

UNIQUE_IDENTIFIER = NameOID.X500_UNIQUE_IDENTIFIER
SIGNING = ("digital_signature", "content_commitment")
CERTIFYING = ("key_cert_sign", "crl_sign")
USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


@cache
def rsa_key(place: int = 0) -> rsa.RSAPrivateKey:
    """Return a key that is generated once in this process for each place."""
    return rsa.generate_private_key(65537, 2048)


def sat_serial(number: str) -> int:
    """Return the serial whose bytes are the ASCII digits of the number, in the form of the SAT."""
    return int.from_bytes(number.encode("ascii"), "big")


def minted(
    *,
    rfc: str = "EKU9003173C9 / VADA800927DJ3",
    branch: str | None = "Matriz",
    number: str = "30001000000500009999",
    serial: int | None = None,
    usage: Collection[str] | None = None,
    valid_from: datetime = datetime(2025, 1, 1, tzinfo=UTC),
    valid_to: datetime = datetime(2029, 1, 1, tzinfo=UTC),
    issuer: str = "AC de la casa",
    issuer_key: int = 0,
    key: int = 1,
    authority: bool = False,
    path_length: int | None = None,
    name: str = "ESCUELA KEMPER URGATE",
) -> bytes:
    """Return the DER of a certificate in the form of the SAT, signed with `rsa_key(issuer_key)`.

    usage: None for what the SAT writes: signatures, or those of an authority.
    """
    if usage is None:
        usage = CERTIFYING if authority else SIGNING
    subject = [x509.NameAttribute(NameOID.COMMON_NAME, name), x509.NameAttribute(UNIQUE_IDENTIFIER, rfc)]
    if branch is not None:
        subject.append(x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, branch))
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name(subject))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .serial_number(sat_serial(number) if serial is None else serial)
        .not_valid_before(valid_from)
        .not_valid_after(valid_to)
        .public_key(rsa_key(key).public_key())
        .add_extension(x509.BasicConstraints(ca=authority, path_length=path_length), critical=True)
        .add_extension(x509.KeyUsage(**{place: place in usage for place in USAGES}), critical=False)
    )
    return builder.sign(rsa_key(issuer_key), SHA256()).public_bytes(Encoding.DER)


def on_a_curve() -> bytes:
    """Return a certificate with an elliptic curve key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "curva")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(7)
    builder = builder.not_valid_before(datetime(2025, 1, 1, tzinfo=UTC)).not_valid_after(
        datetime(2026, 1, 1, tzinfo=UTC)
    )
    return builder.public_key(key.public_key()).sign(key, SHA256()).public_bytes(Encoding.DER)


def rejection_of(read: Callable[..., object], *arguments: object) -> str | None:
    """Return the code of the ServiceError that `read` raises, None if it returns; other exceptions fail the test."""
    try:
        read(*arguments)
    except ServiceError as rejection:
        return rejection.code
    return None


def damaged(samples: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return samples that are truncated or have replaced, removed or inserted bytes."""
    return st.sampled_from(samples).flatmap(_damage)


def _damage(sample: bytes) -> st.SearchStrategy[bytes]:
    place = st.integers(0, len(sample) - 1)
    flips = st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=4)
    return st.one_of(
        place.map(lambda end: sample[:end]),
        flips.map(lambda changes: _replaced(sample, changes)),
        st.tuples(place, place).map(lambda ends: sample[: min(ends)] + sample[max(ends) :]),
        st.tuples(place, st.binary(min_size=1, max_size=8)).map(lambda x: sample[: x[0]] + x[1] + sample[x[0] :]),
    )


def _replaced(sample: bytes, changes: Sequence[tuple[int, int]]) -> bytes:
    changed = bytearray(sample)
    for place, value in changes:
        changed[place] = value
    return bytes(changed)

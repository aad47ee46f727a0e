"""Fields of certificates that RFC 5280 allows and that SAT's certificates do not show."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from timbra.asn1 import der_writer as der
from timbra.asn1.x509_reader import read_certificate_fields, read_time

RSA_SHA256 = der.sequence(der.object_identifier("1.2.840.113549.1.1.11"), der.null())
NAME = der.sequence(
    der.single_set(der.sequence(der.object_identifier("2.5.4.3"), der.text(der.T61_STRING, "CAÑADA"))),
)
KEY = der.sequence(der.sequence(der.object_identifier("1.2.840.113549.1.1.1"), der.null()), der.bits(b"key"))
START, END = datetime(2049, 12, 31, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC)


def extension(identifier: str, value: bytes, *, critical: bytes = b"") -> bytes:
    return der.sequence(der.object_identifier(identifier), critical, der.octets(value))


def certificate(*extensions: bytes, inner: bytes = RSA_SHA256, outer: bytes = RSA_SHA256) -> bytes:
    validity = der.sequence(der.time(START), der.time(END))
    suffix = (der.explicit(3, der.sequence(*extensions)),) if extensions else ()
    body = der.sequence(der.explicit(0, der.integer(2)), der.integer(7), inner, NAME, validity, NAME, KEY, *suffix)
    return der.sequence(body, outer, der.bits(b"signature"))


def test_read_certificate_fields_leaves_names_and_key_encoded() -> None:
    fields = read_certificate_fields(certificate())
    assert (fields.issuer, fields.subject, fields.public_key) == (NAME, NAME, KEY)
    assert (fields.serial, fields.signature, fields.digest) == (b"\x07", b"signature", "sha256")
    assert (fields.valid_from, fields.valid_to) == (START, END)


def test_read_certificate_fields_without_extensions_gives_defaults() -> None:
    fields = read_certificate_fields(certificate())
    assert (fields.is_authority, fields.path_length, fields.key_usage) == (False, None, frozenset())
    assert (fields.key_id, fields.issuer_key_id) == (b"", b"")


def test_read_certificate_fields_accepts_encoded_defaults_of_extensions() -> None:
    constraints = der.sequence(der.boolean(False))
    fields = read_certificate_fields(certificate(extension("2.5.29.19", constraints, critical=der.boolean(False))))
    assert not fields.is_authority


def test_read_certificate_fields_reads_key_identifiers() -> None:
    issuer_key = der.sequence(der.element(0x80, b"issuer"), der.element(0x82, b"\x01"))
    fields = read_certificate_fields(
        certificate(extension("2.5.29.14", der.octets(b"holder")), extension("2.5.29.35", issuer_key))
    )
    assert (fields.key_id, fields.issuer_key_id) == (b"holder", b"issuer")


def test_read_certificate_fields_reads_authority_with_path_length() -> None:
    constraints = der.sequence(der.boolean(True), der.integer(1))
    fields = read_certificate_fields(certificate(extension("2.5.29.19", constraints)))
    assert (fields.is_authority, fields.path_length) == (True, 1)


def test_read_certificate_fields_gives_no_digest_for_other_signature_algorithms() -> None:
    ecdsa = der.sequence(der.object_identifier("1.2.840.10045.4.3.2"))
    assert read_certificate_fields(certificate(inner=ecdsa, outer=ecdsa)).digest == ""


@pytest.mark.parametrize(
    "encoded",
    [
        certificate(outer=der.sequence(der.object_identifier("1.2.840.113549.1.1.5"), der.null())),
        certificate(extension("2.5.29.14", der.octets(b"a")), extension("2.5.29.14", der.octets(b"a"))),
        certificate(extension("2.5.29.14", der.integer(1))),
        certificate(extension("2.5.29.19", der.sequence(der.boolean(True), der.element(2, b"\xff")))),
        certificate() + b"\0",
    ],
    ids=["two algorithms", "repeated extension", "no octet string", "negative path length", "trailing bytes"],
)
def test_read_certificate_fields_raises_value_error_when_malformed(encoded: bytes) -> None:
    with pytest.raises(ValueError, match=r"certificate|extension|asn1|negative"):
        read_certificate_fields(encoded)


@pytest.mark.parametrize("instant", [START, END, datetime(1950, 1, 1, tzinfo=UTC)])
def test_read_time_reads_both_types(instant: datetime) -> None:
    assert read_time(der.time(instant)) == instant


@pytest.mark.parametrize("encoded", [der.element(0x18, b"20500101000000.5Z"), der.integer(1), b"", b"\x17"])
def test_read_time_raises_value_error_for_other_values(encoded: bytes) -> None:
    with pytest.raises(ValueError, match=r"fractions|asn1"):
        read_time(encoded)

"""Certificates of the corpus are read as its index describes them; other data are rejected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import damaged, minted, on_a_curve, rejection_of
from tests.support.corpus import certificates, corpus_path, credential, credentials

from timbra.core.errors import ServiceError
from timbra.seals.certificates.certificate import CertificateKind, read_certificate, read_public_key

KINDS = {
    "CSD": CertificateKind.CSD,
    "FIEL": CertificateKind.EFIRMA,
    "PAC": CertificateKind.PROVIDER,
    "CA": CertificateKind.AUTHORITY,
    "OCSP": CertificateKind.OTHER,
    "OTHER": CertificateKind.OTHER,
}
EVERY = [*credentials(), *certificates()]


def test_read_certificate_matches_the_corpus_index() -> None:
    corpus_path()
    for entry in EVERY:
        certificate = read_certificate(entry.read())
        identity = (certificate.number, certificate.rfc, certificate.kind)
        assert identity == (entry.number, entry.rfc, KINDS[entry.kind]), entry
        assert (certificate.valid_from, certificate.valid_to) == (entry.valid_from, entry.valid_to), entry
        assert (certificate.issuer_name, certificate.digest) == (entry.issuer_name, entry.digest), entry
        if entry.representative_rfc is not None:
            assert certificate.representative_rfc == entry.representative_rfc, entry
        if entry.branch is not None:
            assert certificate.branch == entry.branch, entry


def test_read_certificate_agrees_with_cryptography_x509() -> None:
    corpus_path()
    for entry in EVERY:
        der = entry.read()
        certificate, oracle = read_certificate(der), x509.load_der_x509_certificate(der)
        assert certificate.valid_from == oracle.not_valid_before_utc, entry
        assert certificate.valid_to == oracle.not_valid_after_utc, entry
        assert certificate.tbs_certificate == oracle.tbs_certificate_bytes, entry
        assert certificate.signature == oracle.signature, entry
        assert certificate.public_key.public_numbers() == read_public_key(_spki(oracle)).public_numbers(), entry
        assert certificate.key_id == _key_id(oracle), entry


def _spki(oracle: x509.Certificate) -> bytes:
    return oracle.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _key_id(oracle: x509.Certificate) -> bytes:
    found = [e.value for e in oracle.extensions if isinstance(e.value, x509.SubjectKeyIdentifier)]
    return found[0].digest if found else b""


@pytest.mark.parametrize(
    ("rfc", "name"),
    [
        ("CAÑF770131PA3", "FERNANDO CASTILLO ÑABARRO"),
        ("L&O950913MSA", "LUCES & OBRAS SA DE CV"),
        ("EKU9003173C9", "ESCUELA KEMPER URGATE SA DE CV"),
    ],
)
def test_read_certificate_decodes_latin1_names(rfc: str, name: str) -> None:
    certificate = read_certificate(credential(rfc, "FIEL").read())
    assert (certificate.rfc, certificate.name) == (rfc, name)


def test_read_certificate_splits_representative_and_curp() -> None:
    certificate = read_certificate(credential("EKU9003173C9").read())
    assert (certificate.rfc, certificate.representative_rfc) == ("EKU9003173C9", "VADA800927DJ3")
    assert (certificate.curp, certificate.branch) == ("VADA800927HSRSRL05", "Sucursal 1")
    assert certificate.can_seal


def test_is_valid_at_includes_both_ends() -> None:
    certificate = read_certificate(minted())
    second = timedelta(seconds=1)
    assert certificate.is_valid_at(certificate.valid_from)
    assert certificate.is_valid_at(certificate.valid_to)
    assert not certificate.is_valid_at(certificate.valid_from - second)
    assert not certificate.is_valid_at(certificate.valid_to + second)


def test_read_certificate_reads_dates_around_2050() -> None:
    start, end = datetime(2049, 12, 31, tzinfo=UTC), datetime(2051, 1, 1, 1, 2, 3, tzinfo=UTC)
    certificate = read_certificate(minted(valid_from=start, valid_to=end))
    assert (certificate.valid_from, certificate.valid_to) == (start, end)


def test_read_certificate_keeps_other_serials_hexadecimal() -> None:
    assert read_certificate(minted(serial=0x1234ABCD)).number == "1234abcd"


@pytest.mark.parametrize(
    ("usage", "branch", "kind"),
    [
        ({"digital_signature", "content_commitment"}, "Matriz", CertificateKind.CSD),
        ({"digital_signature", "content_commitment"}, None, CertificateKind.OTHER),
        ({"digital_signature", "content_commitment", "key_agreement"}, "Matriz", CertificateKind.EFIRMA),
        ({"digital_signature", "content_commitment", "data_encipherment"}, None, CertificateKind.EFIRMA),
        ({"digital_signature"}, "Matriz", CertificateKind.OTHER),
        (set(), "Matriz", CertificateKind.OTHER),
    ],
)
def test_kind_depends_on_key_usage_and_branch(usage: set[str], branch: str | None, kind: CertificateKind) -> None:
    assert read_certificate(minted(usage=usage, branch=branch)).kind is kind


def test_read_certificate_rejects_other_keys_than_rsa() -> None:
    with pytest.raises(ServiceError, match="certificate-unreadable"):
        read_certificate(on_a_curve())


def test_read_certificate_rejects_other_data() -> None:
    for data in (
        b"",
        b"\x30",
        b"\x30\x80",
        b"-----BEGIN CERTIFICATE-----",
        minted() + b"\0",
        b"\x30\x84" + b"\xff" * 9,
    ):
        with pytest.raises(ServiceError, match="certificate-unreadable"):
            read_certificate(data)


def test_read_certificate_rejects_oversized_data() -> None:
    with pytest.raises(ServiceError, match="16 KiB"):
        read_certificate(b"\x30\x84\x7f\xff\xff\xff" + bytes(1 << 20))


@given(st.binary(max_size=400))
def test_read_certificate_raises_only_service_errors_for_random_bytes(data: bytes) -> None:
    with pytest.raises(ServiceError):
        read_certificate(data)


@given(damaged([minted(), *(entry.read() for entry in EVERY[::40])]))
def test_read_certificate_raises_only_service_errors_for_damaged_certificates(data: bytes) -> None:
    assert rejection_of(read_certificate, data) in {None, "certificate-unreadable"}

"""The local authority of `timbra dev --https`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from timbra.cli.development.local_ca import LocalCa


def read(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_ca_is_made_once(tmp_path: Path) -> None:
    first = LocalCa(tmp_path).path.read_bytes()
    assert LocalCa(tmp_path).path.read_bytes() == first


def test_ca_is_an_authority_for_ten_years_whose_key_its_owner_reads(tmp_path: Path) -> None:
    ca = LocalCa(tmp_path)
    certificate = read(ca.path)
    assert certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert certificate.not_valid_after_utc - datetime.now(UTC) > timedelta(days=3650)
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert isinstance(key.curve, ec.SECP256R1)
    assert (tmp_path / "tls" / "ca.key").stat().st_mode & 0o777 == 0o600


def test_issue_names_this_machine_and_the_vendors_hosts(tmp_path: Path) -> None:
    ca = LocalCa(tmp_path)
    files = ca.issue("192.0.2.7")
    certificate = read(files.certificate)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {"localhost", "services.test.sw.com.mx", "api.test.sw.com.mx"} <= set(
        names.get_values_for_type(x509.DNSName)
    )
    addresses = names.get_values_for_type(x509.IPAddress)
    assert addresses == [ip_address(text) for text in ("127.0.0.1", "::1", "192.0.2.7")]
    certificate.verify_directly_issued_by(read(ca.path))
    assert files.key.stat().st_mode & 0o777 == 0o600


def test_issue_names_no_unspecified_address(tmp_path: Path) -> None:
    names = read(LocalCa(tmp_path).issue("0.0.0.0").certificate).extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    )
    assert ip_address("0.0.0.0") not in names.value.get_values_for_type(x509.IPAddress)


def test_ca_certificate_is_made_again_when_only_its_key_is_left(tmp_path: Path) -> None:
    ca = LocalCa(tmp_path)
    key = (tmp_path / "tls" / "ca.key").read_bytes()
    ca.path.unlink()
    again = LocalCa(tmp_path)
    read(again.issue().certificate).verify_directly_issued_by(read(again.path))
    assert (tmp_path / "tls" / "ca.key").read_bytes() == key


@pytest.mark.parametrize("name", ["ca.key", "ca.pem"])
def test_damaged_files_are_rejected(tmp_path: Path, name: str) -> None:
    LocalCa(tmp_path)
    (tmp_path / "tls" / name).write_text("damaged")
    with pytest.raises(ValueError, match=r"."):
        LocalCa(tmp_path)

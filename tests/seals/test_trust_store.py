"""Issuers of certificates: verified by signature, at the start of the certificate's validity."""

from __future__ import annotations

import base64
import csv
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.seals.support import minted, rejection_of
from tests.support.corpus import certificates, corpus_path, credential, credentials

from timbra.core.errors import ServiceError
from timbra.seals.certificates import trust_anchors as anchors
from timbra.seals.certificates import trust_table
from timbra.seals.certificates.certificate import Certificate, read_certificate
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.certificates.trust_table import COLUMNS, build_rows, load_trust_table

SANDBOX, PRODUCTION = TrustStore.built_in(production=False), TrustStore.built_in(production=True)
EVERY = [*credentials(), *certificates()]
NOW = datetime(2026, 11, 20, tzinfo=UTC)
WITHOUT_ISSUER = {"A.C. de pruebas", "A.C. 2 de pruebas", "A.C. 1 de pruebas", "AC de pruebas", "ARC Banxico"}
"""Authorities whose certificates are not published: four test authorities and the root of 2004."""


def test_issuer_of_finds_the_issuer_of_corpus_certificates() -> None:
    corpus_path()
    for entry in EVERY:
        certificate = read_certificate(entry.read())
        issuer = SANDBOX.issuer_of(certificate)
        assert (issuer.number if issuer else None) == entry.issuer_number, entry
        assert (issuer is None) == (certificate.issuer_name in WITHOUT_ISSUER), entry


def test_issuer_of_finds_an_issuer_for_every_valid_certificate() -> None:
    corpus_path()
    in_force = [entry for entry in EVERY if entry.valid_from <= NOW <= entry.valid_to and entry.kind != "OTHER"]
    assert len(in_force) == 44 + 5
    assert [entry for entry in in_force if SANDBOX.issuer_of(read_certificate(entry.read())) is None] == []


def test_built_in_excludes_test_authorities_in_production() -> None:
    corpus_path()
    for entry in credentials():
        assert PRODUCTION.issuer_of(read_certificate(entry.read())) is None
    for entry in certificates():
        issuer = PRODUCTION.issuer_of(read_certificate(entry.read()))
        assert issuer is None or issuer.environment == "production"
    assert PRODUCTION.provider("30001000000500003456") is None
    assert SANDBOX.provider("30001000000500003456") is not None


def test_trust_table_matches_certificates() -> None:
    text = files("timbra.seals").joinpath("trust.csv").read_text("utf-8")
    rows = list(csv.reader(text.splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1:] == [list(row) for row in build_rows(corpus_path() / "certificates")]


def test_trust_table_has_newest_authorities_and_all_providers() -> None:
    anchors, providers = load_trust_table()
    numbers = {anchor.number for anchor in anchors}
    assert {"00000000000000001190", "00000000000000000005"} <= numbers
    assert (len(anchors), len(providers)) == (18, 205)
    assert all(anchor.public_key.key_size >= 2048 for anchor in anchors)
    assert all(provider.rfc and provider.public_key.key_size == 2048 for provider in providers)


def test_trust_table_is_read_once_at_first_use() -> None:
    program = (
        "from timbra.seals.certificates.trust_store import TrustStore; "
        "from timbra.seals.certificates.trust_table import load_trust_table; "
        "print(load_trust_table.cache_info().misses); "
        "TrustStore.built_in(production=False); TrustStore.built_in(production=True); "
        "print(load_trust_table.cache_info().misses)"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).split() == ["0", "1"]


def test_trust_table_decodes_no_certificate_or_key_when_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(trust_table, "read_certificate", reject)
    monkeypatch.setattr(anchors, "cached_public_key", reject)
    authorities, providers = load_trust_table.__wrapped__()
    assert (len(authorities), len(providers)) == (18, 205)
    with pytest.raises(AssertionError, match="decoded"):
        authorities[0].public_key  # noqa: B018 - decoded at first use


def test_provider_has_its_own_rfc() -> None:
    provider = SANDBOX.provider("00001000000404477432")
    assert provider is not None
    assert provider.rfc == "EME000602QR9"
    assert provider.is_valid_at(datetime(2018, 1, 1, tzinfo=UTC))
    assert not provider.is_valid_at(NOW)
    assert SANDBOX.provider("00001000000000000000") is None


def test_provider_keys_of_corpus_are_distinct() -> None:
    corpus_path()
    for entry in (entry for entry in certificates() if entry.kind == "PAC"):
        provider = SANDBOX.provider(entry.number)
        assert provider is not None
        certificate = read_certificate(entry.read())
        assert provider.public_key.public_numbers() == certificate.public_key.public_numbers()


def test_issuer_of_rejects_a_matching_name_without_signature() -> None:
    pretender = read_certificate(minted(issuer="AC UAT"))
    assert SANDBOX.issuer_of(pretender) is None


def test_issuer_of_rejects_a_changed_certificate() -> None:
    der = credential("EKU9003173C9").read()
    changed = read_certificate(der.replace(b"ESCUELA KEMPER", b"ESCUELA KAMPER"))
    assert changed.name.startswith("ESCUELA KAMPER")
    assert SANDBOX.issuer_of(changed) is None


def container(**changes: object) -> Certificate:
    """Return the certificate of an authority of this test with key 0."""
    options: dict[str, object] = {"name": "AC de la casa", "key": 0, "authority": True, "number": "9" * 20}
    return read_certificate(minted(**{**options, **changes}))  # type: ignore[arg-type]


def test_with_authority_trusts_another_authority() -> None:
    leaf = read_certificate(minted())
    assert SANDBOX.issuer_of(leaf) is None
    larger = SANDBOX.with_authority(container())
    issuer = larger.issuer_of(leaf)
    assert issuer is not None
    assert (issuer.number, issuer.environment) == ("9" * 20, "local")
    assert SANDBOX.issuer_of(leaf) is None


def test_issuer_of_requires_authority_valid_at_issuance() -> None:
    start = datetime(2025, 1, 1, tzinfo=UTC)
    leaf, day = read_certificate(minted(valid_from=start)), timedelta(days=1)
    for valid_from, valid_to, found in (
        (start, start + day, True),
        (start - day, start, True),
        (start + day, start + 2 * day, False),
        (start - 2 * day, start - day, False),
    ):
        trust = TrustStore([], []).with_authority(container(valid_from=valid_from, valid_to=valid_to))
        assert (trust.issuer_of(leaf) is not None) is found


def test_with_provider_trusts_another_provider() -> None:
    certificate = read_certificate(minted(rfc="AAA010101AAA", number="20000000000000000001"))
    provider = SANDBOX.with_provider(certificate).provider("20000000000000000001")
    assert provider is not None
    assert (provider.rfc, provider.valid_to) == ("AAA010101AAA", certificate.valid_to)
    assert provider.public_key.public_numbers() == certificate.public_key.public_numbers()


def test_with_folder_trusts_every_certificate_in_sandbox(tmp_path: Path) -> None:
    (tmp_path / "ca.cer").write_bytes(container().der)
    pem = base64.encodebytes(minted(number="20000000000000000002"))
    (tmp_path / "pac.PEM").write_bytes(b"-----BEGIN CERTIFICATE-----\n" + pem + b"-----END CERTIFICATE-----\n")
    (tmp_path / "README.txt").write_text("otra cosa")
    trust = SANDBOX.with_folder(tmp_path, production=False)
    assert trust.issuer_of(read_certificate(minted())) is not None
    assert trust.provider("20000000000000000002") is not None


def test_with_folder_requires_a_chain_to_sat_in_production(tmp_path: Path) -> None:
    (tmp_path / "ca.cer").write_bytes(container().der)
    with pytest.raises(ServiceError, match=r"trust-refused: ca\.cer"):
        PRODUCTION.with_folder(tmp_path, production=True)


def test_with_folder_rejects_taxpayer_certificate_in_production(tmp_path: Path) -> None:
    (tmp_path / "csd.cer").write_bytes(minted())
    with pytest.raises(ServiceError, match=r"trust-refused: csd\.cer"):
        PRODUCTION.with_authority(container()).with_folder(tmp_path, production=True)


def test_with_folder_rejects_authority_beyond_path_length(tmp_path: Path) -> None:
    below = minted(name="AC de abajo", key=1, authority=True, number="8" * 20)
    (tmp_path / "below.cer").write_bytes(below)
    for path_length, accepted in ((0, False), (1, True), (None, True)):
        trust = PRODUCTION.with_authority(container(path_length=path_length))
        if accepted:
            leaf = minted(issuer="AC de abajo", issuer_key=1, key=2)
            assert trust.with_folder(tmp_path, production=True).issuer_of(read_certificate(leaf)) is not None
        else:
            with pytest.raises(ServiceError, match="trust-refused"):
                trust.with_folder(tmp_path, production=True)


def test_with_folder_accepts_a_chain_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "1-provider.cer").write_bytes(
        minted(rfc="SAT970701NN3 / X", branch="PACEME000602QR970029", issuer="AC de abajo", issuer_key=1, key=2)
    )
    (tmp_path / "2-below.cer").write_bytes(minted(name="AC de abajo", key=1, authority=True, number="8" * 20))
    trust = PRODUCTION.with_authority(container()).with_folder(tmp_path, production=True)
    provider = trust.provider("30001000000500009999")
    assert provider is not None
    assert provider.rfc == "EME000602QR9"


def test_with_folder_keeps_the_key_of_an_existing_provider(tmp_path: Path) -> None:
    (tmp_path / "pac.cer").write_bytes(minted(number="00001000000404477432"))
    trust = SANDBOX.with_folder(tmp_path, production=False)
    assert trust.provider("00001000000404477432") == SANDBOX.provider("00001000000404477432")


def test_with_folder_rejects_a_file_that_is_no_certificate(tmp_path: Path) -> None:
    (tmp_path / "a.cer").write_bytes(b"-----BEGIN CERTIFICATE-----\n===\n-----END CERTIFICATE-----\n")
    with pytest.raises(ServiceError, match=r"certificate-unreadable: a\.cer"):
        SANDBOX.with_folder(tmp_path, production=False)
    with pytest.raises(ServiceError, match="trust-refused"):
        SANDBOX.with_folder(tmp_path / "absent", production=False)


@given(st.binary(max_size=80), st.booleans())
def test_with_folder_raises_only_service_errors_for_random_files(data: bytes, pem: bool) -> None:
    wrapped = b"-----BEGIN CERTIFICATE-----\n" + data + b"-----END CERTIFICATE-----" if pem else data
    with TemporaryDirectory() as folder:
        (Path(folder) / "x.cer").write_bytes(wrapped)
        rejected = rejection_of(lambda: SANDBOX.with_folder(Path(folder), production=False))
    assert rejected == "certificate-unreadable"

"""Certificates of the sandbox have the form of the SAT's, checked by OpenSSL and by published certificates."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from tests.support.corpus import credential
from tests.support.requirements import need
from tests.support.sandbox_support import FOUR_YEARS, new_database, new_envelope

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.sandbox.authority.certificates.authority import MintedCredential, SandboxAuthority, open_authority
from timbra.sandbox.store.tables import SANDBOX_KEY
from timbra.sandbox.store.transactions import SandboxStore
from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey
from timbra.seals.keys.private_key import load_private_key

AUTHORITY_RFC = "TIM010101CA1"
PROVIDER_RFC = "TIM010101SB9"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = new_database(tmp_path_factory.mktemp("ca"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def authority(database: Database) -> SandboxAuthority:
    return open_authority(SandboxStore(database), new_envelope())


@pytest.fixture(scope="module")
def company(authority: SandboxAuthority) -> MintedCredential:
    return authority.mint(
        "HAÑ930228SM9", CertificateKind.CSD, "HERMANOS ANZURES ÑARVAEZ SA", *FOUR_YEARS, password="contraseña"
    )


@pytest.fixture(scope="module")
def person(authority: SandboxAuthority) -> MintedCredential:
    return authority.mint("CACX7605101P8", CertificateKind.EFIRMA, "XOCHILT CASAS CHAVEZ", *FOUR_YEARS)


def openssl(*arguments: str, data: bytes) -> str:
    need("openssl", shutil.which("openssl") is not None, "the openssl program is not installed")
    done = subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True)
    return done.stdout.decode("latin-1")


def subject(certificate: bytes) -> list[str]:
    """`attribute=TYPE:value` of each part of the subject, in order."""
    return openssl(
        *("x509", "-inform", "der", "-noout", "-subject", "-nameopt", "show_type,sep_multiline"), data=certificate
    ).splitlines()[1:]


def form(certificate: bytes) -> list[str]:
    """Tag, depth and object identifier of every element, without the values of names, keys and signatures."""
    dump = openssl("asn1parse", "-inform", "der", data=certificate)
    lines = [line.partition("d=")[2] for line in dump.splitlines()]
    kept = []
    for line in lines:
        depth, _, rest = line.partition(" ")
        kind, _, value = rest.partition("prim:")[2].partition(":")
        kept_value = value if kind.strip() in {"OBJECT", "BOOLEAN", "OCTET STRING"} or "HEX DUMP" in line else ""
        kept.append(f"{depth} {(kind or rest.partition('cons:')[2]).strip()} {kept_value}".strip())
    return kept


def leaf_part(lines: list[str]) -> list[str]:
    """Return the lines from the validity on; the names of the issuers differ."""
    return lines[next(at for at, line in enumerate(lines) if "UTCTIME" in line) :]


def check_signature(certificate: Certificate, issuer: Certificate) -> None:
    issuer.public_key.verify(certificate.signature, certificate.tbs_certificate, PKCS1v15(), SHA256())


def test_open_authority_returns_the_stored_authority(database: Database, authority: SandboxAuthority) -> None:
    again = open_authority(SandboxStore(database), new_envelope())
    assert again.certificate == authority.certificate
    assert again.provider.certificate == authority.provider.certificate


def test_open_authority_creates_one_authority_in_concurrent_processes(tmp_path: Path) -> None:
    def start(_: int) -> str:
        database = new_database(tmp_path)
        try:
            return open_authority(SandboxStore(database), new_envelope()).provider.certificate.der.hex()
        finally:
            database.close()

    with ThreadPoolExecutor(2) as pool:
        assert len(set(pool.map(start, range(2)))) == 1


def test_open_authority_encrypts_its_keys(database: Database, authority: SandboxAuthority) -> None:
    other_envelope = EnvelopeEncryption(LocalMasterKey(b"another key of thirty-two bytes!"))
    with pytest.raises(ServiceError, match="vault-key-unknown"):
        open_authority(SandboxStore(database), other_envelope)
    with database.read() as connection:
        stored = [row.sealed_key for row in connection.execute(SANDBOX_KEY.select())]
    assert len(stored) == 2
    assert all(b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01" not in sealed for sealed in stored)
    assert "sealed" not in repr(authority.provider)


def test_authority_differs_from_the_sat(authority: SandboxAuthority) -> None:
    own, provider = authority.published
    assert own.kind is CertificateKind.AUTHORITY
    assert (own.rfc, own.path_length) == (AUTHORITY_RFC, 0)
    assert provider.kind is CertificateKind.PROVIDER
    assert provider.rfc == authority.provider.rfc == PROVIDER_RFC
    assert provider.name == "SANDBOX TIMBRA SIN VALIDEZ FISCAL"
    assert own.number[:4] == provider.number[:4] == "9900"
    assert own.number[:12] == provider.number[:12]
    assert (own.number[12:], provider.number[12:]) == ("00000001", "00000002")


def test_certificates_are_signed_by_the_authority(
    authority: SandboxAuthority, company: MintedCredential, person: MintedCredential
) -> None:
    for certificate in (authority.certificate, authority.provider.certificate, company.certificate, person.certificate):
        check_signature(certificate, authority.certificate)
        assert certificate.issuer == authority.certificate.subject


def test_openssl_verifies_the_chain(authority: SandboxAuthority, company: MintedCredential, tmp_path: Path) -> None:
    for name, data in (("ca", authority.certificate.der), ("leaf", company.certificate_der)):
        openssl("x509", "-inform", "der", "-out", str(tmp_path / name), data=data)
    when = str(int(FOUR_YEARS[0].timestamp()))
    arguments = ("verify", "-attime", when, "-CAfile", str(tmp_path / "ca"), str(tmp_path / "leaf"))
    assert openssl(*arguments, data=b"").strip().endswith("OK")


def test_provider_signs_with_the_key_of_its_certificate(authority: SandboxAuthority) -> None:
    provider = authority.provider
    provider.certificate.public_key.verify(provider.signer.sign(b"cadena"), b"cadena", PKCS1v15(), SHA256())


def test_mint_returns_the_requested_certificate(company: MintedCredential, person: MintedCredential) -> None:
    assert company.certificate.kind is CertificateKind.CSD
    assert person.certificate.kind is CertificateKind.EFIRMA
    assert (company.rfc, company.certificate.name) == ("HAÑ930228SM9", "HERMANOS ANZURES ÑARVAEZ SA")
    assert (company.certificate.valid_from, company.certificate.valid_to) == FOUR_YEARS
    assert int(person.number) == int(company.number) + 1 or int(company.number) == int(person.number) + 1


@pytest.mark.parametrize(
    ("rfc", "kind", "name"),
    [
        ("EKU9003173C9", "CSD", "ESCUELA KEMPER URGATE SA DE CV"),
        ("HAÑ930228SM9", "CSD", "HERMANOS ANZURES ÑARVAEZ SA"),
        ("RAQÑ7701212M3", "CSD", "ÑEVES RAMIREZ QUEZADA"),
        ("JUFA7608212V6", "CSD", "ADRIANA JUAREZ FERNANDEZ"),
        ("EKU9003173C9", "FIEL", "ESCUELA KEMPER URGATE SA DE CV"),
        ("CACX7605101P8", "FIEL", "XOCHILT CASAS CHAVEZ"),
        ("L&O950913MSA", "FIEL", "LUCES & OBRAS SA DE CV"),
    ],
)
def test_mint_has_the_form_of_certificates_of_the_sat(
    authority: SandboxAuthority, rfc: str, kind: str, name: str
) -> None:
    theirs = credential_der(rfc, kind)
    branch = read_certificate(theirs).branch or "Sucursal 1"
    minted = authority.mint(
        rfc, CertificateKind.CSD if kind == "CSD" else CertificateKind.EFIRMA, name, *FOUR_YEARS, branch=branch
    )
    ours = minted.certificate_der
    assert leaf_part(form(ours)) == leaf_part(form(theirs))
    assert subject(ours)[:3] == subject(theirs)[:3]
    types = [line.partition(":")[0] for line in subject(theirs)]
    assert [line.partition(":")[0] for line in subject(ours)] == types


def credential_der(rfc: str, kind: str) -> bytes:
    return credential(rfc, kind).read() if (rfc, kind) != ("L&O950913MSA", "FIEL") else _without_key(rfc)


def _without_key(rfc: str) -> bytes:
    from tests.support.corpus import corpus_path, credentials

    corpus_path()
    return next(entry.read() for entry in credentials() if entry.rfc == rfc)


def test_mint_key_file_has_the_form_of_the_sat(company: MintedCredential) -> None:
    theirs = credential("EKU9003173C9").key
    assert theirs is not None

    def shape(data: bytes) -> list[str]:
        dump = openssl("asn1parse", "-inform", "der", data=data)
        return [line.partition("d=")[2].partition("HEX DUMP")[0] for line in dump.splitlines()][:-1]

    assert [line[:40] for line in shape(company.key_der)][4:] == [line[:40] for line in shape(theirs.read_bytes())][4:]


def test_openssl_decrypts_the_key_file_with_its_password(company: MintedCredential, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(company.key_der)
    password = tmp_path / "password"
    password.write_text(company.password + "\n", "utf-8")
    arguments = ("pkcs8", "-inform", "der", "-in", str(tmp_path / "key"), "-passin", f"file:{password}")
    plain = openssl(*arguments, data=b"")
    modulus = openssl("rsa", "-noout", "-modulus", data=plain.encode())
    assert modulus == openssl("x509", "-inform", "der", "-noout", "-modulus", data=company.certificate_der)


def test_mint_key_matches_the_certificate_and_requires_the_password(company: MintedCredential) -> None:
    key = load_private_key(company.key_der, "contraseña")
    assert key.public_key().public_numbers() == company.certificate.public_key.public_numbers()
    with pytest.raises(ServiceError, match="key-password"):
        load_private_key(company.key_der, "contrasena")
    assert "contraseña" not in repr(company)


def test_mint_generates_a_password_for_each_credential(authority: SandboxAuthority, person: MintedCredential) -> None:
    other = authority.mint("CACX7605101P8", CertificateKind.EFIRMA, "XOCHILT CASAS CHAVEZ", *FOUR_YEARS)
    assert len(person.password) >= 12
    assert other.password != person.password


def test_certificate_der_finds_certificates_by_number(authority: SandboxAuthority, company: MintedCredential) -> None:
    for certificate in (*authority.published, company.certificate):
        assert authority.certificate_der(certificate.number) == certificate.der
    assert authority.certificate_der("99000000000000000000") is None
    assert authority.certificate_der("") is None


@pytest.mark.parametrize("kind", [CertificateKind.AUTHORITY, CertificateKind.PROVIDER, CertificateKind.OTHER])
def test_mint_raises_value_error_for_other_kinds(authority: SandboxAuthority, kind: CertificateKind) -> None:
    with pytest.raises(ValueError, match="issues no"):
        authority.mint("EKU9003173C9", kind, "ESCUELA KEMPER URGATE", *FOUR_YEARS)


def test_publish_writes_the_certificates_to_a_folder(authority: SandboxAuthority, tmp_path: Path) -> None:
    folder = tmp_path / "certificates"
    authority.publish(folder)
    authority.publish(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {
        f"{certificate.number}.cer": certificate.der for certificate in authority.published
    }

"""`timbra csd mint` and `revoke`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree

import pytest
from tests.support.sandbox_shell import SandboxShell

from timbra.core.clock import to_central_mexico
from timbra.database.build import opened_database
from timbra.sandbox.authority.build import sandbox_registry
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import Certificate, CertificateKind, read_certificate
from timbra.seals.keys.private_key import load_private_key

UNREGISTERED_RFC = "TES030201001"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose certificate authority exists."""
    data = tmp_path_factory.mktemp("template") / "data"
    SandboxShell(data).lines("csd", "mint", "EKU9003173C9", "--out", str(data.parent / "out"))
    return data


@pytest.fixture
def shell(template: Path, tmp_path: Path) -> SandboxShell:
    return SandboxShell(Path(copytree(template, tmp_path / "data")))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "out"


def read_minted(out: Path, rfc: str) -> Certificate:
    return read_certificate((out / f"{rfc}.cer").read_bytes())


def test_mint_issues_a_csd_for_a_registered_taxpayer(shell: SandboxShell, out: Path) -> None:
    [[number, rfc, name]] = shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out))
    certificate = read_minted(out, "EKU9003173C9")
    assert (number, rfc, name) == (certificate.number, "EKU9003173C9", "ESCUELA KEMPER URGATE")
    assert (certificate.kind, certificate.rfc, certificate.name) == (CertificateKind.CSD, rfc, name)
    assert to_central_mexico(certificate.valid_from) == "2025-11-17T00:00:00"
    assert to_central_mexico(certificate.valid_to) == "2029-11-17T00:00:00"
    assert sorted(file.name for file in out.iterdir()) == [f"{rfc}.{end}" for end in ("cer", "key", "txt")]


def test_mint_writes_key_and_password_as_private_files(shell: SandboxShell, out: Path) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out))
    password = (out / "EKU9003173C9.txt").read_text("utf-8")
    key = load_private_key((out / "EKU9003173C9.key").read_bytes(), password)
    assert key.public_key().public_numbers() == read_minted(out, "EKU9003173C9").public_key.public_numbers()
    assert [(out / f"EKU9003173C9.{end}").stat().st_mode & 0o777 for end in ("key", "txt")] == [0o600, 0o600]
    assert password not in shell.run("csd", "mint", "EKU9003173C9", "--out", str(out), "--password", password).output
    assert (out / "EKU9003173C9.txt").read_text("utf-8") == password


@pytest.mark.parametrize("kind", ["efirma", "fiel"])
def test_mint_issues_an_efirma(shell: SandboxShell, out: Path, kind: str) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out), "--kind", kind)
    assert read_minted(out, "EKU9003173C9").kind is CertificateKind.EFIRMA


@pytest.mark.parametrize(
    ("options", "valid_from", "valid_to"),
    [
        (["--valid-from", "2026-01-01"], "2026-01-01T00:00:00", "2030-01-01T00:00:00"),
        (["--valid-from", "2026-01-01", "--valid-to", "2026-06-30"], "2026-01-01T00:00:00", "2026-06-30T23:59:59"),
        (["--valid-to", "2026-11-17T11:00:00"], "2025-11-17T00:00:00", "2026-11-17T11:00:00"),
        (["--valid-to", "2020-02-29T11:00:00"], "2016-02-29T11:00:00", "2020-02-29T11:00:00"),
    ],
)
def test_mint_computes_the_validity(
    shell: SandboxShell, out: Path, options: list[str], valid_from: str, valid_to: str
) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out), *options)
    certificate = read_minted(out, "EKU9003173C9")
    assert to_central_mexico(certificate.valid_from) == valid_from
    assert to_central_mexico(certificate.valid_to) == valid_to


@pytest.mark.parametrize(
    "options",
    [
        ["--valid-from", "soon"],
        ["--valid-from", "2026-01-02", "--valid-to", "2026-01-01"],
        ["--valid-to", "2051-01-01"],
    ],
)
def test_mint_rejects_an_invalid_validity(shell: SandboxShell, out: Path, options: list[str]) -> None:
    assert shell.rejection("csd", "mint", "EKU9003173C9", "--out", str(out), *options)
    assert not out.exists()


def test_mint_registers_an_unknown_rfc(shell: SandboxShell, out: Path) -> None:
    given = ("--name", "EMPRESA DE PRUEBA", "--postal-code", "06300", "--regime", "601", "--regime", "626")
    [[number, _, _]] = shell.lines("csd", "mint", UNREGISTERED_RFC.lower(), "--out", str(out), *given)
    listed = shell.lines("sandbox", "taxpayer", "list", UNREGISTERED_RFC)
    assert listed == [[UNREGISTERED_RFC, "EMPRESA DE PRUEBA", "06300", "601 626", "1", "active", ""]]
    container = shell.container()
    seal = container.get(sandbox_registry).certificate(UNREGISTERED_RFC, number)
    container.close()
    assert seal is not None
    assert seal.status == "A"
    assert seal.valid_from == datetime(2025, 11, 17, 6, tzinfo=UTC)


def test_mint_names_missing_options_of_an_unknown_rfc(shell: SandboxShell, out: Path) -> None:
    message = shell.rejection("csd", "mint", UNREGISTERED_RFC, "--out", str(out))
    assert all(option in message for option in (UNREGISTERED_RFC, "--name", "--postal-code", "--regime"))
    assert "mal formado" in shell.rejection("csd", "mint", "EKU", "--out", str(out))
    assert not out.exists()


def test_mint_uses_a_given_name_for_the_certificate_only(shell: SandboxShell, out: Path) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out), "--name", "ESCUELA KEMPER URGATE SA DE CV")
    assert read_minted(out, "EKU9003173C9").name == "ESCUELA KEMPER URGATE SA DE CV"
    assert shell.lines("sandbox", "taxpayer", "list", "EKU9003173C9")[0][1] == "ESCUELA KEMPER URGATE"


def test_revoke_is_listed_after_refresh(shell: SandboxShell, out: Path) -> None:
    [[number, rfc, _]] = shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out))
    server = shell.container()
    shell.lines("csd", "revoke", number)
    server.get(opened_database).poll()
    before = server.get(sandbox_registry).certificate(rfc, number)
    shell.lines("sandbox", "refresh")
    server.get(opened_database).poll()
    after = server.get(sandbox_registry).certificate(rfc, number)
    server.close()
    assert before is not None
    assert after is not None
    assert (before.status, after.status) == ("A", "R")
    assert "99000000000000000000" in shell.rejection("csd", "revoke", "99000000000000000000")


def test_sandbox_publishes_its_certificates_in_the_data_folder(shell: SandboxShell) -> None:
    container = shell.container()
    published = {
        f"{certificate.number}.cer": certificate.der
        for certificate in container.get(sandbox_services).authority_ca.published
    }
    container.close()
    assert {file.name: file.read_bytes() for file in (shell.data / "certificates").iterdir()} == published

"""`timbra csd mint` and `revoke`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree

import pytest
from tests.cli.sandbox_shell import Shell

from timbra.clock import to_central_mexico
from timbra.seals.certificate import Certificate, Kind, read_certificate
from timbra.seals.keys import load_private_key

NEW = "TES030201001"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose authority exists already."""
    data = tmp_path_factory.mktemp("made") / "data"
    Shell(data).lines("csd", "mint", "EKU9003173C9", "--out", str(data.parent / "out"))
    return data


@pytest.fixture
def shell(made: Path, tmp_path: Path) -> Shell:
    return Shell(Path(copytree(made, tmp_path / "data")))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "out"


def minted(out: Path, rfc: str) -> Certificate:
    return read_certificate((out / f"{rfc}.cer").read_bytes())


def test_a_seal_of_a_registered_taxpayer(shell: Shell, out: Path) -> None:
    [[number, rfc, name]] = shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out))
    certificate = minted(out, "EKU9003173C9")
    assert (number, rfc, name) == (certificate.number, "EKU9003173C9", "ESCUELA KEMPER URGATE")
    assert (certificate.kind, certificate.rfc, certificate.name) == (Kind.CSD, rfc, name)
    assert to_central_mexico(certificate.valid_from) == "2025-11-17T00:00:00"
    assert to_central_mexico(certificate.valid_to) == "2029-11-17T00:00:00"
    assert sorted(file.name for file in out.iterdir()) == [f"{rfc}.{end}" for end in ("cer", "key", "txt")]


def test_its_key_opens_with_the_password_beside_it_and_both_are_private(shell: Shell, out: Path) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out))
    password = (out / "EKU9003173C9.txt").read_text("utf-8")
    key = load_private_key((out / "EKU9003173C9.key").read_bytes(), password)
    assert key.public_key().public_numbers() == minted(out, "EKU9003173C9").public_key.public_numbers()
    assert [(out / f"EKU9003173C9.{end}").stat().st_mode & 0o777 for end in ("key", "txt")] == [0o600, 0o600]
    assert password not in shell.run("csd", "mint", "EKU9003173C9", "--out", str(out), "--password", password).output
    assert (out / "EKU9003173C9.txt").read_text("utf-8") == password


def test_an_efirma(shell: Shell, out: Path) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out), "--kind", "efirma")
    assert minted(out, "EKU9003173C9").kind is Kind.EFIRMA


@pytest.mark.parametrize(
    ("options", "valid_from", "valid_to"),
    [
        (["--valid-from", "2026-01-01"], "2026-01-01T00:00:00", "2030-01-01T00:00:00"),
        (["--valid-from", "2026-01-01", "--valid-to", "2026-06-30"], "2026-01-01T00:00:00", "2026-06-30T23:59:59"),
        (["--valid-to", "2026-11-17T11:00:00"], "2025-11-17T00:00:00", "2026-11-17T11:00:00"),
        (["--valid-to", "2020-02-29T11:00:00"], "2016-02-29T11:00:00", "2020-02-29T11:00:00"),
    ],
)
def test_its_validity(shell: Shell, out: Path, options: list[str], valid_from: str, valid_to: str) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out), *options)
    certificate = minted(out, "EKU9003173C9")
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
def test_a_validity_that_cannot_be(shell: Shell, out: Path, options: list[str]) -> None:
    assert shell.refusal("csd", "mint", "EKU9003173C9", "--out", str(out), *options)
    assert not out.exists()


def test_an_unknown_rfc_is_registered_with_what_is_given(shell: Shell, out: Path) -> None:
    given = ("--name", "EMPRESA DE PRUEBA", "--postal-code", "06300", "--regime", "601", "--regime", "626")
    [[number, _, _]] = shell.lines("csd", "mint", NEW.lower(), "--out", str(out), *given)
    listed = shell.lines("sandbox", "taxpayer", "list", NEW)
    assert listed == [[NEW, "EMPRESA DE PRUEBA", "06300", "601 626", "1", "active", ""]]
    house = shell.house()
    seal = house.registry.certificate(NEW, number)
    house.close()
    assert seal is not None
    assert seal.status == "A"
    assert seal.valid_from == datetime(2025, 11, 17, 6, tzinfo=UTC)


def test_or_the_command_says_what_is_missing(shell: Shell, out: Path) -> None:
    told = shell.refusal("csd", "mint", NEW, "--out", str(out))
    assert all(option in told for option in (NEW, "--name", "--postal-code", "--regime"))
    assert "mal formado" in shell.refusal("csd", "mint", "EKU", "--out", str(out))
    assert not out.exists()


def test_a_name_for_the_certificate_alone(shell: Shell, out: Path) -> None:
    shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out), "--name", "ESCUELA KEMPER URGATE SA DE CV")
    assert minted(out, "EKU9003173C9").name == "ESCUELA KEMPER URGATE SA DE CV"
    assert shell.lines("sandbox", "taxpayer", "list", "EKU9003173C9")[0][1] == "ESCUELA KEMPER URGATE"


def test_a_revoked_seal_is_listed_as_such_after_the_refresh(shell: Shell, out: Path) -> None:
    [[number, rfc, _]] = shell.lines("csd", "mint", "EKU9003173C9", "--out", str(out))
    server = shell.house()
    shell.lines("csd", "revoke", number)
    server.poll()
    before = server.registry.certificate(rfc, number)
    shell.lines("sandbox", "refresh")
    server.poll()
    after = server.registry.certificate(rfc, number)
    server.close()
    assert before is not None
    assert after is not None
    assert (before.status, after.status) == ("A", "R")
    assert "99000000000000000000" in shell.refusal("csd", "revoke", "99000000000000000000")


def test_the_sandboxs_own_certificates_lie_in_the_data_folder(shell: Shell) -> None:
    house = shell.house()
    published = {f"{certificate.number}.cer": certificate.der for certificate in house.authority_ca.published}
    house.close()
    assert {file.name: file.read_bytes() for file in (shell.data / "certificates").iterdir()} == published

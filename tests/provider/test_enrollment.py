"""A provider's key is made in a device, its certificate requested from the emulator and installed."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from dotenv import dotenv_values
from tests.emulator.emulator_support import PROVIDER, EmulatorRun, running_emulator
from tests.support.databases import prepare_sqlite
from tests.support.rehearsal import rehearsal_settings
from tests.support.softhsm import SoftToken, soft_token
from typer.testing import CliRunner, Result

from timbra.app.composition import build_container
from timbra.cli.main import app
from timbra.core.clock import CENTRAL_MEXICO
from timbra.provider.enrollment import write_settings
from timbra.provider.parts import provider_schedule
from timbra.settings import Settings, load_settings


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    with running_emulator(tmp_path_factory.mktemp("emulator"), clock="") as run:
        yield run


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftToken]:
    with soft_token(tmp_path_factory.mktemp("token"), "pac") as token:
        yield token


@pytest.fixture
def provider(
    emulator: EmulatorRun, token: SoftToken, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Settings]:
    """Settings of a provider without a certificate yet, in a file that `TIMBRA_CONFIG` names."""
    settings = rehearsal_settings(emulator, tmp_path)
    prepare_sqlite(settings.data)
    values = {
        "ENVIRONMENT": "rehearsal",
        "DATA": settings.data,
        "REHEARSAL_AUTHORITY": settings.rehearsal_authority,
        "REHEARSAL_SAT_URL": settings.rehearsal_sat_url,
        "SAT_ACCESS_SIGNATURE": settings.sat_access_signature,
        "PROVIDER_RFC": PROVIDER,
        "PROVIDER_PKCS11_MODULE": token.module,
        "PROVIDER_PKCS11_TOKENS": token.label,
        "PROVIDER_PKCS11_PIN": token.pin,
    }
    file = tmp_path / "timbra.env"
    file.write_text("# Provider\n" + "".join(f"TIMBRA_{name}='{value}'\n" for name, value in values.items()))
    monkeypatch.setenv("TIMBRA_CONFIG", str(file))
    monkeypatch.chdir(tmp_path)
    yield settings
    with token.session() as session:
        for each in list(session.get_objects()):
            each.destroy()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["provider", *arguments])


def requested(emulator: EmulatorRun, label: str) -> str:
    """Request a certificate for a new key; return the file of the answer."""
    made = run("request", f"{label}.req", "--label", label, "--name", "PROVEEDOR DE PRUEBA")
    assert made.exit_code == 0, made.output
    return answered(emulator, label)


def answered(emulator: EmulatorRun, label: str) -> str:
    request = b64encode(Path(f"{label}.req").read_bytes()).decode()
    answer = emulator.control("POST", f"/providers/{PROVIDER}/certificate", {"request": request}).json()
    Path(f"{label}.cer").write_bytes(b64decode(answer["certificate"]))
    return f"{label}.cer"


def in_force() -> str:
    """Return the number of the certificate that stamps, with the settings of the file."""
    container = build_container(load_settings())
    try:
        schedule = container.get(provider_schedule)
        assert schedule is not None
        schedule.verify_keys()
        return schedule.in_force().certificate.number
    finally:
        container.close()


def test_request_makes_a_key_that_cannot_leave_the_device(
    emulator: EmulatorRun, provider: Settings, token: SoftToken
) -> None:
    requested(emulator, "pac-2030")
    found = x509.load_der_x509_csr(Path("pac-2030.req").read_bytes())
    assert found.is_signature_valid
    assert {each.value for each in found.subject} == {"PROVEEDOR DE PRUEBA", PROVIDER}
    import pkcs11

    with token.session() as session:
        key = session.get_key(object_class=pkcs11.ObjectClass.PRIVATE_KEY, label="pac-2030")
        assert (key[pkcs11.Attribute.EXTRACTABLE], key[pkcs11.Attribute.SENSITIVE]) == (False, True)


def test_installed_certificates_stamp_one_after_another(emulator: EmulatorRun, provider: Settings) -> None:
    first = run("install", requested(emulator, "pac-a"), "--label", "pac-a")
    assert first.exit_code == 0, first.output
    number = in_force()
    assert number == x509_number("pac-a.cer")

    later = (datetime.now(CENTRAL_MEXICO) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    assert run("install", requested(emulator, "pac-b"), "--label", "pac-b").exit_code == 1
    second = run("install", "pac-b.cer", "--label", "pac-b", "--at", later)
    assert second.exit_code == 0, second.output
    values = dotenv_values("timbra.env")
    assert values["TIMBRA_PROVIDER_KEY_LABEL"] == "pac-a"
    assert values["TIMBRA_PROVIDER_NEXT_KEY_LABEL"] == "pac-b"
    assert Path("timbra.env").read_text().startswith("# Provider\n")
    assert in_force() == number
    third = run("install", requested(emulator, "pac-c"), "--label", "pac-c", "--at", later)
    assert (third.exit_code, "Ya espera otro cambio" in third.output) == (1, True)

    before = (datetime.now(CENTRAL_MEXICO) - timedelta(minutes=1)).isoformat()
    text = Path("timbra.env").read_text().replace(values["TIMBRA_PROVIDER_CHANGE_OVER"] or "-", before)
    Path("timbra.env").write_text(text)
    assert run("install", "pac-c.cer", "--label", "pac-c", "--at", later).exit_code == 0
    assert dotenv_values("timbra.env")["TIMBRA_PROVIDER_KEY_LABEL"] == "pac-b"
    assert in_force() == x509_number("pac-b.cer")


def x509_number(file: str) -> str:
    serial = x509.load_der_x509_certificate(Path(file).read_bytes()).serial_number
    return serial.to_bytes(20, "big").decode()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_write_settings_keeps_owner_mode_and_the_other_lines(tmp_path: Path) -> None:
    file = tmp_path / "timbra.env"
    file.write_text("# Provider\nTIMBRA_PROVIDER_RFC='A'\nTIMBRA_PROVIDER_KEY_LABEL='old'\n")
    file.chmod(0o640)
    os.chown(file, 1234, 2345)
    write_settings(file, {"TIMBRA_PROVIDER_KEY_LABEL": "new", "TIMBRA_PROVIDER_CERTIFICATE": "/a b.cer"})
    found = file.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1234, 2345, 0o640)
    assert file.read_text().startswith("# Provider\nTIMBRA_PROVIDER_RFC='A'\n")
    assert dotenv_values(file) == {
        "TIMBRA_PROVIDER_RFC": "A",
        "TIMBRA_PROVIDER_KEY_LABEL": "new",
        "TIMBRA_PROVIDER_CERTIFICATE": "/a b.cer",
    }


def test_install_rejects_the_certificate_of_another_key(emulator: EmulatorRun, provider: Settings) -> None:
    requested(emulator, "pac-a")
    requested(emulator, "pac-b")
    before = Path("timbra.env").read_text()
    result = run("install", "pac-a.cer", "--label", "pac-b")
    assert (result.exit_code, "no corresponde al certificado" in result.output) == (1, True)
    assert Path("timbra.env").read_text() == before


def test_request_leaves_a_key_that_has_the_label(emulator: EmulatorRun, provider: Settings) -> None:
    requested(emulator, "pac-a")
    repeated = run("request", "again.req", "--label", "pac-a", "--name", "OTRO")
    assert (repeated.exit_code, "llaves con esa etiqueta" in repeated.output) == (1, True)
    assert not Path("again.req").exists()
    existing = run("request", "again.req", "--label", "pac-a", "--name", "OTRO", "--existing-key")
    assert existing.exit_code == 0, existing.output
    keys = [x509.load_der_x509_csr(Path(file).read_bytes()).public_key() for file in ("again.req", "pac-a.req")]
    assert keys[0] == keys[1]


def test_emulator_certifies_no_other_request(emulator: EmulatorRun, provider: Settings) -> None:
    requested(emulator, "pac-a")
    request = bytearray(Path("pac-a.req").read_bytes())
    for rfc, body, status in (
        ("XYZ010101AB1", bytes(request), 404),
        (PROVIDER, b"no request", 400),
        (PROVIDER, bytes(request[:-1] + bytes([request[-1] ^ 1])), 400),
    ):
        answer = emulator.control("POST", f"/providers/{rfc}/certificate", {"request": b64encode(body).decode()})
        assert answer.status_code == status, body

"""The CSD that the SAT publishes for tests are accepted; its e.firmas and expired certificates are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.corpus import Entry, credential, credentials
from tests.support.sandbox_app import FECHA, SandboxApp
from tests.support.sealing import sealed_with

from timbra import examples
from timbra.accounts.certificates import certificate_services
from timbra.core.errors import ServiceError
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key


def store(sandbox_app: SandboxApp, entry: Entry) -> None:
    assert entry.key is not None
    sandbox_app.container.get(certificate_services).vault.save(
        sandbox_app.caller.account_id, entry.read(), entry.key.read_bytes(), entry.password or ""
    )


def sealed_by(sandbox_app: SandboxApp, entry: Entry, fecha: str = FECHA) -> bytes:
    assert entry.key is not None
    certificate = read_certificate(entry.read())
    signer = pair_key(certificate, load_private_key(entry.key.read_bytes(), entry.password or ""))
    return sealed_with(sandbox_app.container, examples.ingreso(fecha=fecha), certificate, signer)


def test_published_csd_can_be_stored_and_issue(sandbox_app: SandboxApp) -> None:
    entry = credential(examples.KEMPER.rfc)
    store(sandbox_app, entry)
    stamped = sandbox_app.issue(examples.ingreso(fecha=FECHA).encode())
    assert stamped.numero_certificado_cfdi == entry.number


def test_stamp_accepts_seal_of_published_csd(sandbox_app: SandboxApp) -> None:
    assert sandbox_app.stamp(sealed_by(sandbox_app, credential(examples.KEMPER.rfc))).uuid


def test_published_efirma_is_rejected_by_vault_and_stamp(sandbox_app: SandboxApp) -> None:
    efirma = credential(examples.KEMPER.rfc, "FIEL")
    with pytest.raises(ServiceError) as caught:
        store(sandbox_app, efirma)
    assert caught.value.code == "certificate-not-csd"
    rejection = sandbox_app.rejection(sealed_by(sandbox_app, efirma))
    assert rejection.code == "305"
    assert "e.firma" in (rejection.detail or "")


def expired() -> Entry:
    """Return an older CSD of the same holder, valid until 2023."""
    held = [entry for entry in credentials() if entry.rfc == examples.KEMPER.rfc and entry.kind == "CSD" and entry.key]
    return min(held, key=lambda entry: entry.valid_from)


def test_expired_csd_is_305_now_and_valid_in_its_time(sandbox_app: SandboxApp, tmp_path: Path) -> None:
    credential(examples.KEMPER.rfc)
    old = expired()
    rejection = sandbox_app.rejection(sealed_by(sandbox_app, old))
    assert rejection.code == "305"
    assert "no estaba vigente" in (rejection.detail or "")
    sandbox_app.container.get(sandbox_services).clock_control.set("2022-11-17T12:00:00")
    assert sandbox_app.stamp(sealed_by(sandbox_app, old, "2022-11-17T11:00:00")).uuid

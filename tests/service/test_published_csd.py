"""The CSD that SAT publishes for tests work out of the box; its e.firmas and expired certificates do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.corpus import Entry, credential, credentials
from tests.support.desk import FECHA, Desk
from tests.support.sealing import sealed_with

from timbra import examples
from timbra.errors import ServiceError
from timbra.seals.certificate import read_certificate
from timbra.seals.keys import load_private_key, pair


def store(desk: Desk, entry: Entry) -> None:
    assert entry.key is not None
    desk.house.vault.save(desk.caller.account_id, entry.read(), entry.key.read_bytes(), entry.password or "")


def sealed_by(desk: Desk, entry: Entry, fecha: str = FECHA) -> bytes:
    assert entry.key is not None
    certificate = read_certificate(entry.read())
    signer = pair(certificate, load_private_key(entry.key.read_bytes(), entry.password or ""))
    return sealed_with(desk.house, examples.ingreso(fecha=fecha), certificate, signer)


def test_a_published_csd_is_stored_and_issues(desk: Desk) -> None:
    entry = credential(examples.KEMPER.rfc)
    store(desk, entry)
    stamped = desk.issue(examples.ingreso(fecha=FECHA).encode())
    assert stamped.numero_certificado_cfdi == entry.number


def test_a_published_csd_stamps_what_its_holder_sealed(desk: Desk) -> None:
    assert desk.stamp(sealed_by(desk, credential(examples.KEMPER.rfc))).uuid


def test_a_published_efirma_is_neither_stored_nor_accepted(desk: Desk) -> None:
    efirma = credential(examples.KEMPER.rfc, "FIEL")
    with pytest.raises(ServiceError) as caught:
        store(desk, efirma)
    assert caught.value.code == "certificate-not-csd"
    refusal = desk.refusal(sealed_by(desk, efirma))
    assert refusal.code == "305"
    assert "e.firma" in (refusal.detail or "")


def expired() -> Entry:
    """An older CSD of the same holder, in force until 2023."""
    held = [entry for entry in credentials() if entry.rfc == examples.KEMPER.rfc and entry.kind == "CSD" and entry.key]
    return min(held, key=lambda entry: entry.valid_from)


def test_an_expired_csd_is_305_today_and_fine_in_its_time(desk: Desk, tmp_path: Path) -> None:
    credential(examples.KEMPER.rfc)
    old = expired()
    refusal = desk.refusal(sealed_by(desk, old))
    assert refusal.code == "305"
    assert "no estaba vigente" in (refusal.detail or "")
    desk.house.clock_control.set("2022-11-17T12:00:00")
    assert desk.stamp(sealed_by(desk, old, "2022-11-17T11:00:00")).uuid

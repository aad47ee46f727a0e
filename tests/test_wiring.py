"""The house as settings make it."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from tests.support.desk import Desk
from tests.support.softhsm import soft_token

from timbra.errors import ServiceError
from timbra.examples import ingreso
from timbra.settings import Settings
from timbra.wiring import house_of, open_house

OLD = base64.b64encode(bytes(range(32))).decode()
NEW = base64.b64encode(bytes(range(32, 64))).decode()


def test_a_new_master_key_takes_over_everything_that_is_sealed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, master_key=OLD)
    desk.store(desk.mint())
    desk.house.accounts.session_token("ana@example.com")
    desk.house.close()
    with open_house(Settings(data=tmp_path, master_key=NEW, previous_master_keys=OLD)) as house:
        assert house.vault.rotate() == 4
        assert house.vault.rotate() == 0
    with open_house(Settings(data=tmp_path, master_key=NEW)) as house:
        assert house.authority_ca.provider.signer.sign(b"x")
        assert house.vault.signer_for(desk.caller.account_id, "EKU9003173C9", desk.now).signer.sign(b"x")
        assert house.accounts.session_token("ana@example.com").token


def test_without_the_old_master_key_nothing_opens(tmp_path: Path) -> None:
    Desk(tmp_path, master_key=OLD).house.authority_ca  # noqa: B018 - made at first use
    with open_house(Settings(data=tmp_path, master_key=NEW)) as house, pytest.raises(ServiceError) as caught:
        house.authority_ca  # noqa: B018
    assert caught.value.code == "vault-key-unknown"


def test_production_has_no_sandbox(tmp_path: Path) -> None:
    with open_house(Settings(data=tmp_path, environment="production")) as house:
        for part in ("authority_ca", "registry", "clock_control", "faults", "ledger"):
            with pytest.raises(ServiceError):
                getattr(house, part)
        assert house.fiscal.now() is not None
        assert house.health()["environment"] == "production"


def test_production_judges_nothing_by_lists_that_are_not_there(tmp_path: Path) -> None:
    with open_house(Settings(data=tmp_path, environment="production")) as house:
        world = house.world()
        assert (world.taxpayers, world.obligations, world.names, world.marks) == (None, None, None, None)
        assert (house.health()["lists_version"], house.health()["lists_age_hours"]) == ("", None)
        report = asyncio.run(house.validation.validate(ingreso().encode(), with_status=True))
    unknown = {entry.code for entry in report.entries if not entry.evaluated}
    assert {"402", "CFDI40143", "CFDI40147"} <= unknown


def test_a_database_belongs_to_one_environment(tmp_path: Path) -> None:
    with open_house(Settings(data=tmp_path)) as house:
        assert house.database.environment == "sandbox"
    with open_house(Settings(data=tmp_path, environment="production")) as house, pytest.raises(ServiceError):
        house.database  # noqa: B018


def test_the_provider_and_authority_certificates_are_published(tmp_path: Path) -> None:
    with open_house(Settings(data=tmp_path)) as house:
        provider = house.authority_ca.provider.certificate
        files = {path.name: path.read_bytes() for path in (tmp_path / "certificates").iterdir()}
    assert files[f"{provider.number}.cer"] == provider.der
    assert len(files) == 2


def test_the_data_folder_is_its_owners_alone(tmp_path: Path) -> None:
    house = house_of(Settings(data=tmp_path / "state"))
    assert house.data.stat().st_mode & 0o077 == 0


def test_the_master_key_may_live_in_a_token(tmp_path: Path) -> None:
    with soft_token(tmp_path / "softhsm", "timbra-wiring") as soft:
        import pkcs11

        with soft.session() as session:
            session.generate_key(pkcs11.KeyType.AES, 256, store=True, label="timbra-master")
        settings = Settings(
            data=tmp_path / "data", pkcs11_module=soft.module, pkcs11_token=soft.label, pkcs11_pin=soft.pin
        )
        with open_house(settings) as house:
            assert house.authority_ca.provider.signer.sign(b"x")
        assert not (tmp_path / "data" / "master.key").exists()

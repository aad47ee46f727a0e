"""Containers for different settings."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from tests.support.sandbox_app import SandboxApp
from tests.support.softhsm import soft_token

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import Container, build_container, open_container
from timbra.container.build import data_folder, fiscal_clock
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.examples import ingreso
from timbra.operations.build import operations_services
from timbra.rules.ports import reference_source
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings
from timbra.validation.build import validation_services

OLD = base64.b64encode(bytes(range(32))).decode()
NEW = base64.b64encode(bytes(range(32, 64))).decode()


def test_vault_rotation_encrypts_everything_with_the_new_master_key(tmp_path: Path) -> None:
    sandbox_app = SandboxApp(tmp_path, master_key=OLD)
    sandbox_app.store(sandbox_app.mint())
    sandbox_app.container.get(account_services).accounts.session_token("ana@example.com")
    sandbox_app.container.close()
    with open_container(Settings(data=tmp_path, master_key=NEW, previous_master_keys=OLD)) as container:
        assert container.get(certificate_services).vault.rotate() == 4
        assert container.get(certificate_services).vault.rotate() == 0
    with open_container(Settings(data=tmp_path, master_key=NEW)) as container:
        assert container.get(sandbox_services).authority_ca.provider.signer.sign(b"x")
        assert (
            container.get(certificate_services)
            .vault.signer_for(sandbox_app.caller.account_id, "EKU9003173C9", sandbox_app.now)
            .signer.sign(b"x")
        )
        assert container.get(account_services).accounts.session_token("ana@example.com").token


def test_container_does_not_decrypt_without_the_old_master_key(tmp_path: Path) -> None:
    SandboxApp(tmp_path, master_key=OLD).container.get(sandbox_services).authority_ca  # noqa: B018 - made at first use
    with open_container(Settings(data=tmp_path, master_key=NEW)) as container, pytest.raises(ServiceError) as caught:
        container.get(sandbox_services).authority_ca  # noqa: B018
    assert caught.value.code == "master-key-invalid"


def test_container_has_no_sandbox_services_in_production(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path, environment="production")) as container:
        with pytest.raises(ServiceError):
            container.get(sandbox_services)
        assert container.get(fiscal_clock).now() is not None
        assert container.get(operations_services).health()["environment"] == "production"


def test_reference_data_has_no_lists_in_production_without_lists(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path, environment="production")) as container:
        reference_data = container.get(reference_source).current()
        assert (reference_data.taxpayers, reference_data.obligations, reference_data.names, reference_data.marks) == (
            None,
            None,
            None,
            None,
        )
        assert (
            container.get(operations_services).health()["lists_version"],
            container.get(operations_services).health()["lists_age_hours"],
        ) == ("", None)
        report = asyncio.run(
            container.get(validation_services).validation.validate(ingreso().encode(), with_status=True)
        )
    unknown = {rule.code for rule in report.not_evaluated}
    assert {"402", "CFDI40143", "CFDI40147"} <= unknown


def test_open_container_rejects_database_of_another_environment(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        assert container.get(opened_database).environment == "sandbox"
    with open_container(Settings(data=tmp_path, environment="production")) as container, pytest.raises(ServiceError):
        container.get(opened_database)


def test_sandbox_publishes_provider_and_authority_certificates(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        provider = container.get(sandbox_services).authority_ca.provider.certificate
        files = {path.name: path.read_bytes() for path in (tmp_path / "certificates").iterdir()}
    assert files[f"{provider.number}.cer"] == provider.der
    assert len(files) == 2


def test_data_folder_is_private(tmp_path: Path) -> None:
    container = build_container(Settings(data=tmp_path / "state"))
    assert container.get(data_folder).stat().st_mode & 0o077 == 0


def test_master_key_can_be_in_a_token(tmp_path: Path) -> None:
    with soft_token(tmp_path / "softhsm", "timbra-wiring") as soft:
        import pkcs11

        with soft.session() as session:
            session.generate_key(pkcs11.KeyType.AES, 256, store=True, label="timbra-master")
        settings = Settings(
            data=tmp_path / "data", pkcs11_module=soft.module, pkcs11_token=soft.label, pkcs11_pin=soft.pin
        )
        with open_container(settings) as container:
            assert container.get(sandbox_services).authority_ca.provider.signer.sign(b"x")
        assert not (tmp_path / "data" / "master.key").exists()


def test_part_is_built_once_and_closed_before_the_database(tmp_path: Path) -> None:
    events: list[str] = []

    def build(container: Container) -> object:
        assert container.get(opened_database).dialect == "sqlite"
        events.append("built")
        container.closing.callback(events.append, "closed")
        return object()

    def database(container: Container) -> Database:
        container.closing.callback(events.append, "database")
        return opened_database(container)

    with open_container(Settings(data=tmp_path), bindings={opened_database: database}) as container:
        assert container.get(build) is container.get(build)
    assert events == ["built", "closed", "database"]

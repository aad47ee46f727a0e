"""The three environments: each has its database, its data folder and its trusted authorities."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from tests.support.sandbox_app import SandboxApp

from timbra.app.composition import open_container
from timbra.core.environments import ENVIRONMENTS
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import CertificateKind, read_certificate
from timbra.seals.ports import trust_store
from timbra.settings import Settings

PAIRS = list(permutations(ENVIRONMENTS, 2))


@pytest.fixture
def emulator_certificates(tmp_path: Path) -> dict[CertificateKind, Path]:
    """Files of the certificates that a simulated SAT publishes."""
    app = SandboxApp(tmp_path / "emulator")
    app.container.get(sandbox_services).authority_ca  # noqa: B018 - published at first use
    app.container.close()
    files = list((tmp_path / "emulator" / "certificates").iterdir())
    return {read_certificate(path.read_bytes()).kind: path for path in files}


def settings(folder: Path, environment: str, **values: object) -> Settings:
    return Settings.model_validate({"data": folder, "environment": environment} | values)


@pytest.mark.parametrize(("owner", "other"), PAIRS)
def test_database_and_folder_reject_another_environment(tmp_path: Path, owner: str, other: str) -> None:
    database_url = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    with open_container(settings(tmp_path / "data", owner, database_url=database_url)) as container:
        assert container.get(opened_database).environment == owner
    for changed in ({"database_url": database_url, "data": tmp_path / "new"}, {"data": tmp_path / "data"}):
        with open_container(settings(tmp_path, other, **changed)) as container, pytest.raises(ServiceError) as caught:
            container.get(opened_database)
        assert caught.value.code == "CO1000"
        assert owner in str(caught.value)


@pytest.mark.parametrize("other", ["rehearsal", "production"])
def test_rejected_folder_is_still_the_one_of_its_environment(tmp_path: Path, other: str) -> None:
    with open_container(settings(tmp_path, "sandbox")) as container:
        container.get(opened_database).ping()
    (tmp_path / "environment").unlink()  # a folder of an earlier release
    with open_container(settings(tmp_path, other)) as container, pytest.raises(ServiceError):
        container.get(opened_database)
    with open_container(settings(tmp_path, "sandbox")) as container:
        container.get(opened_database).ping()


def test_rehearsal_trusts_the_authority_of_its_emulator_only(
    tmp_path: Path, emulator_certificates: dict[CertificateKind, Path]
) -> None:
    authority = emulator_certificates[CertificateKind.AUTHORITY]
    provider = read_certificate(emulator_certificates[CertificateKind.PROVIDER].read_bytes())
    with open_container(settings(tmp_path, "rehearsal", rehearsal_authority=authority)) as container:
        assert container.get(trust_store).issuer_of(provider) is not None
        anchors = container.get(trust_store)._anchors
    assert [anchor.number for anchor in anchors] == [read_certificate(authority.read_bytes()).number]


def test_rehearsal_rejects_other_trust(tmp_path: Path, emulator_certificates: dict[CertificateKind, Path]) -> None:
    authority = emulator_certificates[CertificateKind.AUTHORITY]
    for values in (
        {},
        {"rehearsal_authority": emulator_certificates[CertificateKind.PROVIDER]},
        {"rehearsal_authority": authority, "trust_dir": authority.parent},
    ):
        with (
            open_container(settings(tmp_path, "rehearsal", **values)) as container,
            pytest.raises(ServiceError) as caught,
        ):
            container.get(trust_store)
        assert caught.value.code == "trust-refused"


@pytest.mark.parametrize("setting", ["rehearsal_authority", "trust_dir"])
def test_production_does_not_trust_the_authority_of_an_emulator(
    tmp_path: Path, emulator_certificates: dict[CertificateKind, Path], setting: str
) -> None:
    authority = emulator_certificates[CertificateKind.AUTHORITY]
    values = {setting: authority if setting == "rehearsal_authority" else authority.parent}
    with open_container(settings(tmp_path, "production", **values)) as container, pytest.raises(ServiceError) as caught:
        container.get(trust_store)
    assert caught.value.code == "trust-refused"

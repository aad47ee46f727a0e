"""Services of status and certificates, by environment and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from timbra.app.composition import open_container
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sat.certificate_repository import SatCertificateRepository
from timbra.sat.status import StatusByKind
from timbra.settings import Settings
from timbra.validation.build import validation_services


@pytest.mark.parametrize(
    ("environment", "service", "kind"),
    [
        ("sandbox", "auto", SandboxLedger),
        ("sandbox", "sat", StatusByKind),
        ("sandbox", "none", type(None)),
        ("production", "auto", StatusByKind),
        ("production", "sat", StatusByKind),
        ("production", "none", type(None)),
    ],
)
def test_status_service_depends_on_settings(tmp_path: Path, environment: Any, service: Any, kind: type) -> None:
    with open_container(Settings(data=tmp_path, environment=environment, status_service=service)) as container:
        assert type(container.get(validation_services).status_service) is kind


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"environment": "production"}, SatCertificateRepository),
        ({"environment": "production", "sat_certificates_url": ""}, type(None)),
        ({"environment": "sandbox"}, type(None)),
    ],
)
def test_provider_certificates_depends_on_settings(tmp_path: Path, settings: dict[str, Any], kind: type) -> None:
    with open_container(Settings(data=tmp_path, **settings)) as container:
        assert type(container.get(validation_services).provider_certificates) is kind

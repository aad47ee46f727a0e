"""Who is asked for status and certificates, by environment and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from timbra.authority.sandbox.ledger import SandboxLedger
from timbra.authority.sat.repository import CertificateRepository
from timbra.authority.sat.status import SatStatus
from timbra.settings import Settings
from timbra.wiring import open_house


@pytest.mark.parametrize(
    ("environment", "service", "kind"),
    [
        ("sandbox", "usual", SandboxLedger),
        ("sandbox", "sat", SatStatus),
        ("sandbox", "none", type(None)),
        ("production", "usual", SatStatus),
        ("production", "sat", SatStatus),
        ("production", "none", type(None)),
    ],
)
def test_who_is_asked_for_the_status(tmp_path: Path, environment: Any, service: Any, kind: type) -> None:
    with open_house(Settings(data=tmp_path, environment=environment, status_service=service)) as house:
        assert type(house.status_service) is kind


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"environment": "production"}, CertificateRepository),
        ({"environment": "production", "sat_certificates_url": ""}, type(None)),
        ({"environment": "sandbox"}, type(None)),
    ],
)
def test_who_is_asked_for_certificates(tmp_path: Path, settings: dict[str, Any], kind: type) -> None:
    with open_house(Settings(data=tmp_path, **settings)) as house:
        assert type(house.provider_certificates) is kind

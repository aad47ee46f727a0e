"""The base URL of a request, and the address of the verification page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.api.fake_services import FakeServices

from timbra.api.framework.base_url import base_url_of, retenciones_verification_address_of, verification_address_of
from timbra.bootstrap.request_environment import retenciones_verification_address
from timbra.cfdi.qr import RETENCIONES_ADDRESS
from timbra.settings import Settings


@pytest.mark.parametrize(
    ("host", "server", "expected"),
    [
        ("pac.example:8443", ("10.0.0.1", 80), "http://pac.example:8443"),
        ("", ("127.0.0.1", 8000), "http://127.0.0.1:8000"),
        ("a b", ("::1", 8000), "http://[::1]:8000"),
        ("", ("/run/timbra.sock", None), "http://localhost"),
        ("", None, "http://localhost"),
    ],
)
def test_base_url_is_host_or_listening_address(host: str, server: tuple[str, int | None] | None, expected: str) -> None:
    environment = replace(FakeServices().environment(None), public_url="", verification_address="")
    scope = {"scheme": "http", "server": server}
    assert base_url_of(environment, scope, host) == expected
    assert verification_address_of(environment, scope, host) == f"{expected}/default.aspx"
    assert retenciones_verification_address_of(environment, scope, host) == f"{expected}/Home/ConsultaRetencion"


def test_verification_address_of_the_environment_has_priority() -> None:
    environment = replace(FakeServices().environment(None), verification_address="https://sat.example/default.aspx")
    assert verification_address_of(environment, {}, "pac.example") == "https://sat.example/default.aspx"


def test_verification_address_of_retenciones_of_the_environment_has_priority() -> None:
    environment = replace(FakeServices().environment(None), retenciones_verification_address="https://sat.example/")
    assert retenciones_verification_address_of(environment, {}, "pac.example") == "https://sat.example/"


SAT = "https://verificacfdi.facturaelectronica.sat.gob.mx"


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({}, ""),
        ({"public_url": "https://pac.example/"}, "https://pac.example/Home/ConsultaRetencion"),
        (
            {"public_url": "https://a.example", "verification_url": "https://b.example"},
            "https://b.example/Home/ConsultaRetencion",
        ),
        ({"public_url": "https://a.example", "verification_url": SAT}, RETENCIONES_ADDRESS),
        ({"verification_url": f"{SAT}/"}, RETENCIONES_ADDRESS),
        ({"verification_url": "https://b.example", "environment": "production"}, RETENCIONES_ADDRESS),
    ],
)
def test_verification_address_of_retenciones_depends_on_settings(settings: dict[str, str], address: str) -> None:
    assert retenciones_verification_address(Settings(**settings)) == address  # type: ignore[arg-type]

"""The base URL of a request, and the address of the verification page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.api.fake_services import FakeServices

from timbra.api.framework.base_url import base_url_of, verification_address_of
from timbra.service.request_environment import NoFaultInjection


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
    environment = replace(FakeServices().environment(NoFaultInjection()), public_url="", verification_address="")
    scope = {"scheme": "http", "server": server}
    assert base_url_of(environment, scope, host) == expected
    assert verification_address_of(environment, scope, host) == f"{expected}/default.aspx"


def test_verification_address_of_the_environment_has_priority() -> None:
    environment = replace(
        FakeServices().environment(NoFaultInjection()), verification_address="https://sat.example/default.aspx"
    )
    assert verification_address_of(environment, {}, "pac.example") == "https://sat.example/default.aspx"

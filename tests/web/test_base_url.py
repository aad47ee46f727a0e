"""The base URL of a request, and the address of the verification page."""

from __future__ import annotations

import socket
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from tests.support.fake_services import FakeServices

from timbra.app.composition import build_container
from timbra.app.request_environment import request_environment
from timbra.cfdi.qr import VerificationPages
from timbra.settings import Settings
from timbra.web.build import verification_pages
from timbra.web.framework.base_url import base_url_of, verification_pages_of
from timbra.web.server.worker import bound_address, listen

SAT = "https://verificacfdi.facturaelectronica.sat.gob.mx"
SAT_PAGES = (f"{SAT}/default.aspx", "https://prodretencionverificacion.clouda.sat.gob.mx/")
A_PAGES = ("https://a.example/default.aspx", "https://a.example/Home/ConsultaRetencion")
B_PAGES = ("https://b.example/default.aspx", "https://b.example/Home/ConsultaRetencion")


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
    environment = replace(FakeServices().environment(None), public_url="", verification_pages=None)
    scope = {"scheme": "http", "server": server}
    assert base_url_of(environment, scope, host) == expected
    assert verification_pages_of(environment, scope, host) == VerificationPages(
        f"{expected}/default.aspx", f"{expected}/Home/ConsultaRetencion"
    )


@pytest.mark.parametrize(
    ("bound", "public_url", "expected"),
    [
        ("127.0.0.1:8000", "", "https://127.0.0.1:8000"),
        ("[::1]:8000", "", "https://[::1]:8000"),
        ("192.0.2.7:80", "", "https://192.0.2.7:80"),
        ("", "", "https://evil.example:8443"),
        ("127.0.0.1:8000", "https://pac.example/", "https://pac.example"),
    ],
)
def test_base_url_is_the_bound_address_unless_a_public_url_is_set(bound: str, public_url: str, expected: str) -> None:
    environment = replace(
        FakeServices().environment(None), public_url=public_url, bound_address=bound, verification_pages=None
    )
    scope = {"scheme": "https", "server": ("10.0.0.1", 9000)}
    assert base_url_of(environment, scope, "evil.example:8443") == expected
    assert verification_pages_of(environment, scope, "evil.example:8443").cfdi == f"{expected}/default.aspx"


@pytest.mark.parametrize(
    ("host", "bound"),
    [("127.0.0.1", "127.0.0.1:{port}"), ("127.0.0.3", "127.0.0.3:{port}"), ("::1", "[::1]:{port}"), ("0.0.0.0", "")],
)
def test_listener_has_a_bound_address_unless_it_takes_all_addresses(host: str, bound: str) -> None:
    with listen(host, 0) as listener:
        assert bound_address(listener) == bound.format(port=listener.getsockname()[1])


def test_listener_on_all_addresses_of_ipv6_has_no_bound_address() -> None:
    with socket.socket(socket.AF_INET6) as listener:
        assert listener.getsockname()[0] == "::"
        assert bound_address(listener) == ""


@pytest.mark.parametrize(("environment", "bound"), [("sandbox", "127.0.0.1:8000"), ("production", "")])
def test_bound_address_counts_in_a_sandbox_only(
    tmp_path: Path, environment: Literal["sandbox", "production"], bound: str
) -> None:
    with closing(build_container(Settings(data=tmp_path, environment=environment))) as container:
        container.bound_address = "127.0.0.1:8000"
        assert container.get(request_environment).bound_address == bound


def test_verification_pages_of_the_environment_have_priority() -> None:
    pages = VerificationPages("https://sat.example/default.aspx", "https://sat.example/")
    environment = replace(FakeServices().environment(None), verification_pages=pages)
    assert verification_pages_of(environment, {}, "pac.example") == pages


@pytest.mark.parametrize(
    ("settings", "pages"),
    [
        ({}, None),
        ({"public_url": "https://a.example/"}, A_PAGES),
        ({"public_url": "https://a.example", "verification_url": "https://b.example"}, B_PAGES),
        ({"public_url": "https://a.example", "verification_url": SAT}, SAT_PAGES),
        ({"verification_url": f"{SAT}/"}, SAT_PAGES),
        ({"verification_url": "https://b.example", "environment": "production"}, SAT_PAGES),
    ],
)
def test_verification_pages_depend_on_settings(settings: dict[str, str], pages: tuple[str, str] | None) -> None:
    found = verification_pages(Settings(**settings))  # type: ignore[arg-type]
    assert (found and (found.cfdi, found.retenciones)) == pages

"""Every route that takes a certificate and its key, or a PFX, takes them in every form in which programs have them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from starlette.types import ASGIApp
from tests.support.asgi import Answer, application, call
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp
from tests.support.key_forms import (
    CERTIFICATE_FORMS,
    KEY_FORMS,
    NO_PASSWORD,
    PASSWORD,
    PFX_FORMS,
    TEXT_FORMS,
    certificate_file,
    is_encrypted,
    key_file,
    pfx_file,
    sent_text,
)

from timbra.accounts.build import account_services
from timbra.app.operation_table import OPERATIONS
from timbra.sandbox.authority.certificates.authority import MintedCredential
from timbra.seals.keys.private_key import load_private_key

CSD_ROUTES: dict[str, dict[str, Any]] = {
    "/cfdi33/cancel/csd": {"motivo": "02", "rfc": ISSUER},
    "/retencion/cancel/csd": {"motivo": "02", "rfc": ISSUER},
    "/relations/csd": {"rfc": ISSUER},
    "/acceptreject/csd": {"rfc": RECEIVER},
    "/certificates/save": {"type": "stamp"},
}
"""Members of the request besides the files and the UUID."""
PFX_ROUTES = {path.replace("csd", "pfx"): values for path, values in CSD_ROUTES.items() if "csd" in path}
CALLS = [
    (route, key_form, CERTIFICATE_FORMS[place % len(CERTIFICATE_FORMS)], TEXT_FORMS[place % len(TEXT_FORMS)])
    for place, (route, key_form) in enumerate((route, form) for route in CSD_ROUTES for form in KEY_FORMS)
]
"""Every form of the key on every route; the forms of the certificate and of the text change from one to the next."""


class KeyRoutes:
    """Sends requests of the owner of an invoice and a retención that are stamped."""

    def __init__(self, sandbox_app: CancellationApp) -> None:
        self._app: ASGIApp = application(sandbox_app.container)
        accounts = sandbox_app.container.get(account_services).accounts
        self._token = accounts.create_infinite_token("ana@example.com")
        invoice, retencion = sandbox_app.invoice(), sandbox_app.retencion()
        self._folios: dict[str, dict[str, Any]] = {
            "/retencion": {"uuid": retencion},
            "/acceptreject": {"uuids": [answer_to(invoice)]},
        }
        self._folio = {"uuid": invoice}
        self._credentials = {ISSUER: sandbox_app.issuer, RECEIVER: sandbox_app.receiver}

    def credential(self, route: str) -> MintedCredential:
        values = {**CSD_ROUTES, **PFX_ROUTES}[route]
        return self._credentials[values.get("rfc", ISSUER)]

    def key(self, route: str) -> RSAPrivateKey:
        credential = self.credential(route)
        return load_private_key(credential.key_der, credential.password)

    def send(self, route: str, members: dict[str, Any]) -> Answer:
        folio = next((names for start, names in self._folios.items() if route.startswith(start)), self._folio)
        body = json.dumps({**CSD_ROUTES, **PFX_ROUTES}[route] | dict(folio) | members).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        return call(self._app, "POST", route, headers=headers, body=body)

    def send_csd(self, route: str, key_form: str, certificate_form: str, text_form: str, **members: object) -> Answer:
        certificate = certificate_file(certificate_form, self.credential(route).certificate_der)
        key = key_file(key_form, self.key(route))
        files = {"b64Cer": sent_text(text_form, certificate), "b64Key": sent_text(text_form, key)}
        return self.send(route, files | members)

    def send_pfx(self, route: str, form: str, text_form: str, **members: object) -> Answer:
        pfx = pfx_file(form, self.key(route), self.credential(route).certificate_der)
        return self.send(route, {"b64Pfx": sent_text(text_form, pfx)} | members)


def answer_to(invoice: str) -> dict[str, str]:
    return {"uuid": invoice, "action": "Aceptacion"}


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeyRoutes]:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("forms") / "data")
    yield KeyRoutes(sandbox_app)
    sandbox_app.container.close()


def assert_success(answer: Answer) -> None:
    assert (answer.status, answer.json["status"]) == (200, "success"), answer.json


def test_routes_of_the_tests_are_all_that_take_keys() -> None:
    taking = {path for operation in OPERATIONS for path in operation.paths if path.endswith(("/csd", "/pfx", "/save"))}
    assert taking == {*CSD_ROUTES, *PFX_ROUTES}


@pytest.mark.parametrize(("route", "key_form", "certificate_form", "text_form"), CALLS)
def test_csd_is_taken_in_every_form(
    routes: KeyRoutes, route: str, key_form: str, certificate_form: str, text_form: str
) -> None:
    assert_success(routes.send_csd(route, key_form, certificate_form, text_form, password=PASSWORD))


@pytest.mark.parametrize("form", PFX_FORMS)
@pytest.mark.parametrize("route", PFX_ROUTES)
def test_pfx_is_taken_in_every_form(routes: KeyRoutes, route: str, form: str) -> None:
    text_form = TEXT_FORMS[PFX_FORMS.index(form) % len(TEXT_FORMS)]
    assert_success(routes.send_pfx(route, form, text_form, password=PASSWORD if is_encrypted(form) else None))


@pytest.mark.parametrize("route", [*CSD_ROUTES, *PFX_ROUTES])
def test_key_without_encryption_needs_no_password(routes: KeyRoutes, route: str) -> None:
    def send(**members: object) -> Answer:
        if "pfx" in route:
            return routes.send_pfx(route, "pem of both", "base64", **members)
        return routes.send_csd(route, "pem pkcs8", "pem", "base64", **members)

    for password in NO_PASSWORD.values():
        assert_success(send(password=password))
    assert_success(send())


MISSING_CSD = "Son necesarios el .Cer y el .Key en formato B64, la contraseña, el RFC y el UUID."
MISSING_PFX = "Son necesarios el archivo PFX en base64, su contraseña, el RFC y el UUID."
WRONG_STORED = "No se pudo cargar la llave privada, asegúrese de que la contraseña sea válida."


WRONG_PASSWORD = {"La contraseña no abre el archivo PFX.", "La contraseña no abre la llave privada."}
GIVEN: dict[str, dict[str, Any]] = {
    **{name: {"password": value} for name, value in NO_PASSWORD.items()},
    "blank": {"password": " "},
    "absent": {},
}


@pytest.mark.parametrize("given", [*GIVEN, "wrong"])
@pytest.mark.parametrize("route", [*CSD_ROUTES, *PFX_ROUTES])
def test_encrypted_key_needs_its_password(routes: KeyRoutes, route: str, given: str) -> None:
    if route == "/certificates/save":
        details = {WRONG_STORED}
    elif given == "wrong":
        details = WRONG_PASSWORD
    else:
        details = {MISSING_PFX if "pfx" in route else MISSING_CSD}
    members = GIVEN.get(given, {"password": "otra"})
    for form in filter(is_encrypted, PFX_FORMS if "pfx" in route else KEY_FORMS):
        if "pfx" in route:
            answer = routes.send_pfx(route, form, "base64", **members)
        else:
            answer = routes.send_csd(route, form, "der", "base64", **members)
        assert answer.status == 400
        assert answer.json["messageDetail"] in details


@pytest.mark.parametrize("password", [True, 5.5, ["x"], {"a": "b"}])
@pytest.mark.parametrize("route", [*CSD_ROUTES, *PFX_ROUTES])
def test_password_of_another_type_is_rejected(routes: KeyRoutes, route: str, password: object) -> None:
    """A number is its text, as in every JSON of this service."""
    answer = routes.send(route, {"b64Cer": "AAAA", "b64Key": "AAAA", "b64Pfx": "AAAA", "password": password})
    assert answer.status == 400
    if not isinstance(password, float):
        assert answer.json["messageDetail"] == "El campo password debe ser un texto."

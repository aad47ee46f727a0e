"""In production no output shows the registered name, postal code or regime of an RFC; the sandbox shows its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from tests.lists.signing import NOW, importer, lrfc, published
from tests.support.asgi import application, call, upload
from tests.support.browser import Visitor, portal_app
from tests.support.sandbox_app import FECHA, SandboxApp
from typer.testing import CliRunner

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import Container, build_container
from timbra.cli.main import app
from timbra.container.build import data_folder
from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.lists.sources.part_names import ListKind
from timbra.operations.build import operations_services
from timbra.rejections.log import RejectedRequest
from timbra.rejections.store import RejectionFilter
from timbra.rules.ports import reference_source
from timbra.sat.ports import stamping_provider
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.stamping import StampingService
from timbra.stamps.group_commit import GroupCommit

ISSUER_NAME, NAME, POSTAL_CODE, REGIME = "EMISOR INSCRITO", "NOMBRE INSCRITO", "98765", "997 998"
VALUES = (ISSUER_NAME, NAME, POSTAL_CODE, "997, 998", "997 998")
CODES = ("CFDI40139", "CFDI40144", "CFDI40145", "CFDI40148", "CFDI40999")
USER, PASSWORD = "ana@example.com", "una contraseña larga"


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    """Return a registry in which issuer and receiver of the examples have other data than in the examples."""
    folder = tmp_path_factory.mktemp("production")
    rows = (
        f"{examples.KEMPER.rfc}|{ISSUER_NAME}|{POSTAL_CODE}|{REGIME}",
        f"{examples.ROBOTICA.rfc}|{NAME}|{POSTAL_CODE}|{REGIME}",
    )
    path = published(folder, "lrfc", lrfc(*rows, header="RFC|NOMBRE|CP|REGIMEN"))
    importing = importer(folder / "lists", columns="NOMBRE=name,CP=postal_code,REGIMEN=regimes")
    importing.run(ListKind.LRFC, [path], dated=date(2026, 11, 18), force=True)
    container = build_container(Settings(data=folder, environment="production", status_service="none"), FixedClock(NOW))
    container.get(account_services).accounts.create(USER, PASSWORD)
    yield container
    container.close()


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    sandbox_app = SandboxApp(tmp_path_factory.mktemp("sandbox") / "data")
    sandbox_app.store(sandbox_app.mint())
    yield sandbox_app
    sandbox_app.container.close()


@pytest.fixture(scope="module")
def document() -> bytes:
    return examples.ingreso(fecha=FECHA).encode()


def assert_hidden(text: str, *codes: str) -> None:
    """Assert that the text has the findings and no registered value."""
    assert [code for code in codes if code not in text] == []
    assert [value for value in VALUES if value in text] == []


def test_validation_over_http_hides_registered_data(production: Container, document: bytes) -> None:
    headers, body = upload(document)
    token = production.get(account_services).accounts.create_infinite_token(USER)
    sent = {**headers, "Authorization": f"Bearer {token}"}
    answer = call(application(production), "POST", "/validate/cfdi", headers=sent, body=body)
    assert answer.status == 200
    assert_hidden(json.dumps(answer.json, ensure_ascii=False), *CODES)
    assert "el nombre inscrito del RFC (l_RFC)" in answer.body.decode()


def test_lookup_of_an_rfc_hides_registered_data(production: Container) -> None:
    headers = {"Authorization": f"Bearer {production.get(account_services).accounts.create_infinite_token(USER)}"}
    answer = call(application(production), "GET", f"/lrfc/{examples.ROBOTICA.rfc}", headers=headers)
    assert answer.json["data"] == {"contribuyenteRFC": examples.ROBOTICA.rfc, "sncf": False, "subcontratacion": False}


def test_validator_page_hides_registered_data(production: Container, sandbox_app: SandboxApp, document: bytes) -> None:
    visitor = Visitor(sandbox_app)
    visitor._app = portal_app(production)
    visitor.sign_in(USER, PASSWORD)
    visitor.get("/validador")
    answer = visitor.post("/validador", {}, files=[("xml", ("invoice.xml", document))])
    assert answer.status_code == 200
    assert_hidden(answer.text, *CODES)


@pytest.mark.parametrize("options", [["--all"], ["--json", "--all"]])
def test_validate_command_hides_registered_data(
    production: Container, document: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    (tmp_path / "invoice.xml").write_bytes(document)
    words = ["validate", str(tmp_path / "invoice.xml"), "--data", str(production.get(data_folder)), *options]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert_hidden(result.output, *CODES)


def rejected(sandbox_app: SandboxApp, xml: bytes, *, disclosed: bool) -> ServiceError:
    """Return the rejection of stamping with or without disclosure of registered data."""
    container = sandbox_app.container
    tools = replace(
        container.get(stamping_services).checks,
        reference_data=lambda: replace(
            container.get(reference_source).current(), discloses_registered_data=disclosed, registry_hint=None
        ),
        known_reference_data=lambda: None,
    )
    stamping = StampingService(
        tools,
        lambda: container.get(stamping_provider)(),
        GroupCommit(container.get(stamping_services).stamps),
        container.settings.environment,
    )
    with pytest.raises(ServiceError) as rejection:
        asyncio.run(stamping.issue(sandbox_app._order(xml, None, None)))
    return rejection.value


@pytest.mark.parametrize(
    ("code", "value", "change"),
    [
        ("CFDI40139", examples.KEMPER.name, {"Emisor/@Nombre": "OTRO NOMBRE"}),
        ("CFDI40139", examples.KEMPER.name, {"Emisor/@Nombre": examples.XODAR.name}),
        ("CFDI40145", examples.ROBOTICA.name, {"Receptor/@Nombre": "OTRO NOMBRE"}),
        ("CFDI40145", examples.ROBOTICA.name, {"Receptor/@Nombre": f"{examples.ROBOTICA.name[:-1]}X"}),
        ("CFDI40145", examples.ROBOTICA.name, {"Receptor/@Nombre": examples.XODAR.name}),
        (
            "CFDI40148",
            examples.ROBOTICA.postal_code,
            {"Receptor/@DomicilioFiscalReceptor": examples.KEMPER.postal_code},
        ),
        ("CFDI40999", examples.ROBOTICA.regime, {"Receptor/@RegimenFiscalReceptor": "603"}),
    ],
)
def test_stamping_and_its_rejection_log_hide_registered_data(
    sandbox_app: SandboxApp, code: str, value: str, change: dict[str, str]
) -> None:
    xml = examples.ingreso(change, fecha=FECHA).encode()
    disclosed = rejected(sandbox_app, xml, disclosed=True)
    assert disclosed.code == code
    assert value in (disclosed.detail or "")
    hidden = rejected(sandbox_app, xml, disclosed=False)
    assert (hidden.code, hidden.location and hidden.location.path) == (
        code,
        disclosed.location and disclosed.location.path,
    )
    assert value not in (hidden.detail or "")

    container, account = sandbox_app.container, sandbox_app.caller.account_id
    rejected_request = RejectedRequest(account, f"request-{code}", "/cfdi33/issue/v4", hidden, xml)
    asyncio.run(container.get(operations_services).rejections.record(rejected_request))
    container.get(operations_services).rejections.flush()
    logged, *_ = container.get(operations_services).rejection_store.page(RejectionFilter(account, code=code)).rejections
    assert value not in f"{logged.rejection.detail} {logged.rejection.found} {logged.rejection.expected}"

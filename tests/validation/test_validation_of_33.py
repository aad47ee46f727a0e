"""Validation of CFDI 3.3: its own codes, by the catalogs of its date."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from tests.support.sandbox_app import SandboxApp, with_attribute

from timbra.core.errors import ServiceError
from timbra.examples import ingreso33, traslado33
from timbra.examples.pagos10 import pago10
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntryKind, ValidationReport

THEN = datetime(2022, 1, 1, tzinfo=UTC)
LATER = datetime(2025, 12, 31, tzinfo=UTC)


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


@pytest.fixture(scope="module")
def sealed(sandbox_app: SandboxApp) -> bytes:
    return sandbox_app.sealed(ingreso33(), sandbox_app.mint(valid_from=THEN, valid_to=LATER))


def report(sandbox_app: SandboxApp, xml: bytes) -> ValidationReport:
    return asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, with_status=False))


def errors(report: ValidationReport) -> set[str | None]:
    return {entry.code for entry in report.entries if entry.kind is ReportEntryKind.ERROR}


@pytest.mark.parametrize("builder", [ingreso33, traslado33, pago10])
def test_validate_accepts_valid_33(sandbox_app: SandboxApp, builder: object) -> None:
    assert callable(builder)
    found = report(sandbox_app, sandbox_app.sealed(builder(), sandbox_app.mint(valid_from=THEN, valid_to=LATER)))
    assert errors(found) == set()
    assert found.sections[0].title == "Estructura del XML"
    assert found.sections[1].title == "Comprobante"


def test_validate_evaluates_rules_of_33(sandbox_app: SandboxApp, sealed: bytes) -> None:
    found = report(sandbox_app, with_attribute(sealed, "UsoCFDI", "S01"))
    assert {"CFDI33140", "CFDI33102", "302"} <= errors(found)
    assert not {code for code in errors(found) if code and code.startswith("CFDI40")}


def test_validate_reports_cfdi33102_for_other_seal(sandbox_app: SandboxApp, sealed: bytes) -> None:
    found = report(sandbox_app, with_attribute(sealed, "Descripcion", "Otra cosa"))
    assert errors(found) == {"CFDI33102", "302"}


def test_validate_reports_cfdi33105_for_other_certificate_number(sandbox_app: SandboxApp, sealed: bytes) -> None:
    assert "CFDI33105" in errors(report(sandbox_app, with_attribute(sealed, "NoCertificado", "1" * 20)))


def test_stamp_rejects_33(sandbox_app: SandboxApp, sealed: bytes) -> None:
    with pytest.raises(ServiceError) as caught:
        sandbox_app.stamp(sealed)
    assert caught.value.code == "301"
    assert "3.3" in (caught.value.detail or "")

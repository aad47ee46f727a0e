"""Payments and payrolls of CFDI 3.3 are validated with the rule sets of their time, each in its own section."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from tests.support.rule_set_examples import EXAMPLES
from tests.support.sandbox_app import SandboxApp

from timbra.examples import nomina33, pago10
from timbra.validation.build import validation_services
from timbra.validation.models import ValidationReport

UNSTAMPED_CODE = "SIN-TIMBRE"

OF_PAYMENTS = "Complemento Pagos"
OF_PAYROLLS = "Complemento Nomina"


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


def report(sandbox_app: SandboxApp, text: str) -> ValidationReport:
    """Return the report of the document, sealed at its date."""
    credential = sandbox_app.mint(
        valid_from=datetime(2022, 1, 1, tzinfo=UTC), valid_to=datetime(2026, 1, 1, tzinfo=UTC)
    )
    return asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(
            sandbox_app.sealed(text, credential), with_status=False
        )
    )


def codes_by_section(found: ValidationReport) -> dict[str | None, str]:
    """Return the section of each code with a finding."""
    return {
        entry.code: section.title
        for section in found.sections
        for entry in section.entries
        if entry.code != UNSTAMPED_CODE
    }


@pytest.mark.parametrize("builder", [pago10, nomina33], ids=lambda builder: str(builder.__name__))
def test_validate_accepts_examples_of_33(sandbox_app: SandboxApp, builder: Callable[..., str]) -> None:
    assert codes_by_section(report(sandbox_app, builder())) == {}


def test_validate_reports_wrong_payment_in_its_section(sandbox_app: SandboxApp) -> None:
    found = report(sandbox_app, pago10({"Complemento/Pagos/Pago/@FormaDePagoP": "99"}))
    assert codes_by_section(found) == {"CRP201": OF_PAYMENTS}


def test_validate_reports_wrong_payroll_in_its_section(sandbox_app: SandboxApp) -> None:
    assert codes_by_section(report(sandbox_app, nomina33({"@FormaPago": "03"}))) == {"NOM133": OF_PAYROLLS}


def test_validate_reports_misplaced_payroll(sandbox_app: SandboxApp) -> None:
    assert codes_by_section(report(sandbox_app, EXAMPLES["NOM150"].failing())).get("NOM150") == OF_PAYROLLS

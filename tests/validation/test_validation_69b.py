"""Parties in the list of article 69-B of the CFF: report, ValidacionEFOS and look-up."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.examples import KEMPER, Change, ExampleNode, ingreso
from timbra.examples.retenciones20 import retencion
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.validation.build import validation_services
from timbra.validation.models import ReportEntryKind, ReportSection, SectionKind, ValidationReport

ISSUER, RECEIVER, THIRD = "EKU9003173C9", "URE180429TM6", "XIA190128J61"
RETENCION_RECEIVER = "CACX7605101P8"
ON_BEHALF: dict[str, Change] = {
    "Conceptos/Concepto/ACuentaTerceros": ExampleNode(
        "cfdi:ACuentaTerceros",
        {
            "RfcACuentaTerceros": THIRD,
            "NombreACuentaTerceros": "XENON INDUSTRIAL ARTICLES",
            "RegimenFiscalACuentaTerceros": "624",
            "DomicilioFiscalACuentaTerceros": "76343",
        },
    )
}


def list_taxpayer(sandbox_app: SandboxApp, rfc: str, situation: str) -> None:
    registry = sandbox_app.container.get(sandbox_services).registry
    registry.change(rfc, TaxpayerChange(situation=situation))
    registry.refresh()


def validate(sandbox_app: SandboxApp, xml: str) -> ValidationReport:
    return asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(xml.encode(), with_status=True)
    )


def section_of(report: ValidationReport) -> ReportSection:
    (section,) = (section for section in report.sections if section.kind is SectionKind.ARTICLE_69B)
    return section


@pytest.fixture
def stamped(sandbox_app: SandboxApp) -> str:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app.issue(ingreso(fecha=FECHA).encode()).cfdi


@pytest.fixture
def on_behalf(sandbox_app: SandboxApp) -> str:
    sandbox_app.store(sandbox_app.mint())
    return sandbox_app.issue(ingreso(ON_BEHALF, fecha=FECHA).encode()).cfdi


@pytest.mark.parametrize("situation", ["", "Desvirtuado", "Sentencia Favorable"])
def test_validate_has_a_clean_section_for_taxpayers_that_are_not_suspect(
    sandbox_app: SandboxApp, stamped: str, situation: str
) -> None:
    list_taxpayer(sandbox_app, ISSUER, situation)
    report = validate(sandbox_app, stamped)
    assert section_of(report).entries == ()
    assert report.efos == "200"


@pytest.mark.parametrize(
    ("situation", "code", "efos"), [("Presunto", "69B-PRESUNTO", "200"), ("Definitivo", "69B-DEFINITIVO", "100")]
)
def test_validate_warns_of_listed_issuer(
    sandbox_app: SandboxApp, stamped: str, situation: str, code: str, efos: str
) -> None:
    list_taxpayer(sandbox_app, ISSUER, situation)
    report = validate(sandbox_app, stamped)
    (entry,) = section_of(report).entries
    assert (entry.code, entry.kind, entry.path, entry.found) == (
        code,
        ReportEntryKind.WARNING,
        "Emisor/@Rfc",
        ISSUER,
    )
    assert situation in (entry.detail or "")
    assert not report.wrong
    assert report.efos == efos


def test_validate_warns_of_listed_receiver_which_efos_does_not_cover(sandbox_app: SandboxApp, stamped: str) -> None:
    list_taxpayer(sandbox_app, RECEIVER, "Definitivo")
    report = validate(sandbox_app, stamped)
    assert [entry.path for entry in section_of(report).entries] == ["Receptor/@Rfc"]
    assert report.efos == "200"


@pytest.mark.parametrize(
    ("rfc", "path"), [(KEMPER.rfc, "Emisor/@RfcE"), (RETENCION_RECEIVER, "Receptor/Nacional/@RfcR")]
)
def test_validate_warns_of_listed_party_of_a_retencion(sandbox_app: SandboxApp, rfc: str, path: str) -> None:
    list_taxpayer(sandbox_app, rfc, "Presunto")
    report = validate(sandbox_app, retencion(fecha=FECHA))
    assert [(entry.path, entry.found) for entry in section_of(report).entries] == [(path, rfc)]


@pytest.mark.parametrize(
    ("definitive", "efos"), [((), "201"), ((THIRD,), "102"), ((ISSUER,), "104"), ((ISSUER, THIRD), "101")]
)
def test_status_reports_efos_by_role(
    sandbox_app: SandboxApp, on_behalf: str, definitive: tuple[str, ...], efos: str
) -> None:
    for rfc in definitive:
        list_taxpayer(sandbox_app, rfc, "Definitivo")
    report = validate(sandbox_app, on_behalf)
    assert report.efos == efos
    assert [entry.found for entry in section_of(report).entries] == list(definitive)

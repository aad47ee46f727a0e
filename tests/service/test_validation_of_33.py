"""Validation of CFDI 3.3: its own codes, by the catalogs of its date."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from tests.support.desk import Desk, with_attribute

from timbra.errors import ServiceError
from timbra.examples import ingreso33, traslado33
from timbra.examples.pagos10 import pago10
from timbra.service.report import EntryKind, Report

THEN = datetime(2022, 1, 1, tzinfo=UTC)
LATER = datetime(2025, 12, 31, tzinfo=UTC)


@pytest.fixture
def sealed(desk: Desk) -> bytes:
    return desk.sealed(ingreso33(), desk.mint(valid_from=THEN, valid_to=LATER))


def report(desk: Desk, xml: bytes) -> Report:
    return asyncio.run(desk.house.validation.validate(xml, with_status=False))


def errors(report: Report) -> set[str | None]:
    return {entry.code for entry in report.entries if entry.kind is EntryKind.ERROR}


@pytest.mark.parametrize("builder", [ingreso33, traslado33, pago10])
def test_a_right_document_has_no_error(desk: Desk, builder: object) -> None:
    assert callable(builder)
    found = report(desk, desk.sealed(builder(), desk.mint(valid_from=THEN, valid_to=LATER)))
    assert errors(found) == set()
    assert found.sections[0].name == "CFDI33 - Validacion de Estructura"
    assert found.sections[1].name == "CFDI33 - Validaciones Proveedor Comprobante ( CFDI33 )"


def test_its_rules_are_asked(desk: Desk, sealed: bytes) -> None:
    found = report(desk, with_attribute(sealed, "UsoCFDI", "S01"))
    assert {"CFDI33140", "CFDI33102", "302"} <= errors(found)
    assert not {code for code in errors(found) if code and code.startswith("CFDI40")}


def test_a_seal_of_another_document_has_its_own_code(desk: Desk, sealed: bytes) -> None:
    found = report(desk, with_attribute(sealed, "Descripcion", "Otra cosa"))
    assert errors(found) == {"CFDI33102", "302"}


def test_a_certificate_of_another_number_has_its_own_code(desk: Desk, sealed: bytes) -> None:
    assert "CFDI33105" in errors(report(desk, with_attribute(sealed, "NoCertificado", "1" * 20)))


def test_it_is_not_stamped(desk: Desk, sealed: bytes) -> None:
    with pytest.raises(ServiceError) as caught:
        desk.stamp(sealed)
    assert caught.value.code == "301"
    assert "3.3" in (caught.value.detail or "")

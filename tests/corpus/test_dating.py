"""Moving the dates of a document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.corpus.dating import FECHA, dated, redate, unstamp

from timbra import examples

TFD_TAG = "{http://www.sat.gob.mx/TimbreFiscalDigital}TimbreFiscalDigital"

CFDI = "{http://www.sat.gob.mx/cfd/4}"
STAMP = f'<cfdi:Complemento><t:TimbreFiscalDigital xmlns:t="{TFD_TAG[1:].partition("}")[0]}"/></cfdi:Complemento>'
YEARS = 2026 - 2022


def document(fecha: str = "2022-03-01T10:00:00", inner: str = "") -> etree._Element:
    return etree.fromstring(f'<cfdi:Comprobante xmlns:cfdi="{CFDI[1:-1]}" Fecha="{fecha}">{inner}</cfdi:Comprobante>')


def test_redate_sets_the_date_of_the_test_application() -> None:
    root = document()
    redate(root)
    assert root.get("Fecha") == FECHA


@pytest.mark.parametrize(("year", "moved"), [("2022", "2026"), ("2021", "2025"), ("2023", "2026")])
def test_redate_moves_the_year_of_a_global_invoice_but_not_into_the_future(year: str, moved: str) -> None:
    root = document(inner=f'<cfdi:InformacionGlobal Año="{year}"/>')
    redate(root)
    assert [node.get("Año") for node in root] == [moved]


@given(st.integers(0, 99), st.from_regex(r"[0-9]{2}  [0-9]{4}  [0-9]{7}", fullmatch=True))
def test_redate_moves_the_year_of_a_pedimento(year: int, rest: str) -> None:
    root = document(inner=f'<cfdi:InformacionAduanera NumeroPedimento="{year:02}  {rest}"/>')
    redate(root)
    assert root[0].get("NumeroPedimento") == f"{(year + YEARS) % 100:02}  {rest}"


@given(st.text(alphabet="0123456789 X", max_size=30).filter(lambda text: "  " not in text))
def test_redate_keeps_other_text_of_a_pedimento(text: str) -> None:
    root = document(inner=f'<cfdi:InformacionAduanera NumeroPedimento="{text}"/>')
    redate(root)
    assert root[0].get("NumeroPedimento") == text


def test_unstamp_removes_the_stamp_and_its_empty_complemento() -> None:
    root = document(inner=STAMP)
    unstamp(root)
    assert len(root) == 0


def test_unstamp_keeps_other_complements() -> None:
    root = document(inner=STAMP.replace("<cfdi:Complemento>", '<cfdi:Complemento><o xmlns="urn:other"/>'))
    unstamp(root)
    assert [node.tag for node in root.iter()] == [f"{CFDI}Comprobante", f"{CFDI}Complemento", "{urn:other}o"]


def test_dated_fills_the_placeholder_of_a_template() -> None:
    template = examples.ingreso().encode().replace(b'Fecha="', b'Fecha="%fecha-timbrado%" Otra="')
    assert b"%" not in dated(template)


@given(st.binary())
def test_dated_keeps_bytes_without_placeholder(xml: bytes) -> None:
    assert dated(xml) == xml or b"%fecha-timbrado%" in xml

"""What moves with a document's date."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.corpus.dating import FECHA, dated, redate, unstamp

from timbra import examples
from timbra.cfdi.tfd import TFD_TAG

CFDI = "{http://www.sat.gob.mx/cfd/4}"
STAMP = f'<cfdi:Complemento><t:TimbreFiscalDigital xmlns:t="{TFD_TAG[1:].partition("}")[0]}"/></cfdi:Complemento>'
YEARS = 2026 - 2022


def document(fecha: str = "2022-03-01T10:00:00", inner: str = "") -> etree._Element:
    return etree.fromstring(f'<cfdi:Comprobante xmlns:cfdi="{CFDI[1:-1]}" Fecha="{fecha}">{inner}</cfdi:Comprobante>')


def test_the_date_is_the_desks() -> None:
    root = document()
    redate(root)
    assert root.get("Fecha") == FECHA


@pytest.mark.parametrize(("year", "moved"), [("2022", "2026"), ("2021", "2025"), ("2023", "2026")])
def test_the_year_of_a_global_invoice_moves_and_never_lies_ahead(year: str, moved: str) -> None:
    root = document(inner=f'<cfdi:InformacionGlobal Año="{year}"/>')
    redate(root)
    assert [node.get("Año") for node in root] == [moved]


@given(st.integers(0, 99), st.from_regex(r"[0-9]{2}  [0-9]{4}  [0-9]{7}", fullmatch=True))
def test_a_customs_number_keeps_its_distance(year: int, rest: str) -> None:
    root = document(inner=f'<cfdi:InformacionAduanera NumeroPedimento="{year:02}  {rest}"/>')
    redate(root)
    assert root[0].get("NumeroPedimento") == f"{(year + YEARS) % 100:02}  {rest}"


@given(st.text(alphabet="0123456789 X", max_size=30).filter(lambda text: "  " not in text))
def test_what_is_no_customs_number_stays(text: str) -> None:
    root = document(inner=f'<cfdi:InformacionAduanera NumeroPedimento="{text}"/>')
    redate(root)
    assert root[0].get("NumeroPedimento") == text


def test_an_old_stamp_goes_with_its_empty_complemento() -> None:
    root = document(inner=STAMP)
    unstamp(root)
    assert len(root) == 0


def test_other_complements_stay() -> None:
    root = document(inner=STAMP.replace("<cfdi:Complemento>", '<cfdi:Complemento><o xmlns="urn:other"/>'))
    unstamp(root)
    assert [node.tag for node in root.iter()] == [f"{CFDI}Comprobante", f"{CFDI}Complemento", "{urn:other}o"]


def test_a_template_gets_a_date() -> None:
    template = examples.ingreso().encode().replace(b'Fecha="', b'Fecha="%fecha-timbrado%" Otra="')
    assert b"%" not in dated(template)


@given(st.binary())
def test_bytes_without_placeholder_stay(xml: bytes) -> None:
    assert dated(xml) == xml or b"%fecha-timbrado%" in xml

"""The stamp: its XML, its cadena original, and reading it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamp, read_stamps
from timbra.examples import ingreso

STAMP = TimbreFiscalDigital(
    uuid="5f2c7c5e-9d50-4a30-8f5c-2f3c8b7a1d90",
    fecha_timbrado="2026-11-17T12:00:00",
    rfc_prov_certif="AAA010101AAA",
    sello_cfd="c2VsbG8=",
    no_certificado_sat="00000000000000000001",
    sello_sat="c2F0",
)
STAMP_ELEMENT = etree.fromstring(STAMP.to_xml())


def test_cadena_original_has_the_parts_of_anexo_20() -> None:
    assert STAMP.cadena_original == (
        "||1.1|5f2c7c5e-9d50-4a30-8f5c-2f3c8b7a1d90|2026-11-17T12:00:00|AAA010101AAA|c2VsbG8=|00000000000000000001||"
    )


def test_cadena_original_has_leyenda_and_collapses_white_space() -> None:
    assert "|AAA010101AAA|dos palabras|c2VsbG8=|" in replace(STAMP, leyenda=" dos \n palabras\t").cadena_original
    assert "|a\u00a0 b|c2VsbG8=|" in replace(STAMP, leyenda="a\u00a0  b").cadena_original


@given(st.text(st.sampled_from(" \t\r\nab\u00a0\u2003é")))
def test_cadena_original_collapses_only_xml_white_space(legend: str) -> None:
    normalized = etree.XPath("normalize-space(string($text))")
    assert replace(STAMP, leyenda=legend).cadena_original.split("|")[6] == normalized(STAMP_ELEMENT, text=legend)


def test_cadena_original_of_version_1_0_has_no_provider() -> None:
    assert replace(STAMP, version="1.0").cadena_original == (
        "||1.0|5f2c7c5e-9d50-4a30-8f5c-2f3c8b7a1d90|2026-11-17T12:00:00|c2VsbG8=|00000000000000000001||"
    )


def test_read_stamp_round_trips() -> None:
    assert read_stamp(etree.fromstring(STAMP.to_xml())) == STAMP


def test_read_stamps_reads_stamps_inside_complemento_only() -> None:
    parser = DocumentParser()
    plain = parser.parse(ingreso().encode())
    assert read_stamps(plain.root) == []
    stamped = parser.parse(insert_complement(plain, STAMP.to_xml().encode()))
    assert read_stamps(stamped.root) == [STAMP]
    in_addenda = ingreso().replace(
        "</cfdi:Comprobante>", f"<cfdi:Addenda>{STAMP.to_xml()}</cfdi:Addenda></cfdi:Comprobante>"
    )
    assert read_stamps(parser.parse(in_addenda.encode()).root) == []


@pytest.mark.parametrize("missing", ["UUID", "SelloCFD", "NoCertificadoSAT", "FechaTimbrado"])
def test_read_stamp_reads_absent_attribute_as_empty_text(missing: str) -> None:
    element = etree.fromstring(STAMP.to_xml())
    del element.attrib[missing]
    assert "" in {
        read_stamp(element).uuid,
        read_stamp(element).sello_cfd,
        read_stamp(element).no_certificado_sat,
        read_stamp(element).fecha_timbrado,
    }

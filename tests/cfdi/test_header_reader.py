"""Header values of documents that may be invalid elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.leading_space import LEADING

from timbra import examples
from timbra.cfdi.header_reader import DocumentHeader, has_root_of_retenciones, read_header

MAX_HEADER_BYTES = 64 * 1024

WHOLE = examples.ingreso({"@Serie": "A", "@Folio": "7"}).encode()


def test_read_header_reads_all_values() -> None:
    head = read_header(WHOLE)

    assert (head.serie, head.folio, head.issuer_rfc) == ("A", "7", examples.KEMPER.rfc)
    assert head.receiver_rfc != ""


@pytest.mark.parametrize("before", LEADING)
def test_header_is_read_after_any_white_space(before: bytes) -> None:
    assert read_header(before + WHOLE) == read_header(WHOLE)
    assert not has_root_of_retenciones(before + WHOLE)
    assert has_root_of_retenciones(before + examples.retencion().encode())


@pytest.mark.parametrize("end", [b"</cfdi:Comprobante>", b"<cfdi:Conceptos>", b"</cfdi:Conceptos>"])
def test_read_header_reads_truncated_document(end: bytes) -> None:
    assert read_header(WHOLE[: WHOLE.index(end)]) == read_header(WHOLE)


def test_read_header_ignores_elements_after_conceptos() -> None:
    text = b'<a><Conceptos/><Emisor Rfc="EKU9003173C9"/></a>'

    assert read_header(text) == DocumentHeader()


def test_read_header_uses_the_first_of_several_elements() -> None:
    text = b'<Comprobante Folio="1"><Comprobante Folio="2"/></Comprobante>'

    assert read_header(text).folio == "1"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no xml",
        b"\xff\xfe\x00",
        b'<!DOCTYPE a [<!ENTITY b "c">]><Comprobante Folio="&b;"/>',
        '<!DOCTYPE a [<!ENTITY b "c">]><Comprobante Folio="&b;"/>'.encode("utf-16"),
        '<!DOCTYPE a [<!ATTLIST a Folio CDATA "c">]><Comprobante Folio="1"/>'.encode("utf-16-le"),
        b'<Comprobante><Emisor Rfc="no-es-rfc"/></Comprobante>',
        b"<!--" + b"x" * MAX_HEADER_BYTES + b'--><Comprobante Folio="1"/>',
    ],
)
def test_read_header_is_empty_for_unreadable_input(text: bytes) -> None:
    assert read_header(text) == DocumentHeader()


def test_read_header_truncates_long_numbers() -> None:
    assert len(read_header(b'<Comprobante Folio="' + b"9" * 1000 + b'"/>').folio) == 50


@pytest.mark.parametrize("prefix", [b"cfdi:", b"a:b:"])
def test_read_header_reads_document_with_undeclared_prefix(prefix: bytes) -> None:
    text = b'<%sComprobante Serie="A" x:y="1"><%sEmisor Rfc="EKU9003173C9"/></%sComprobante>' % (prefix, prefix, prefix)

    assert read_header(text) == DocumentHeader("EKU9003173C9", "", "A", "")


@given(st.data())
def test_read_header_raises_nothing_for_damaged_document(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(WHOLE)))
    length = data.draw(st.integers(0, 60))
    read_header(WHOLE[:at] + data.draw(st.binary(max_size=20)) + WHOLE[at + length :])


@pytest.mark.parametrize("version", ["2", "1"])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b'<?xml version="1.0" encoding="UTF-8"?><!-- x -->'])
def test_has_root_of_retenciones_accepts_any_version(version: str, before: bytes) -> None:
    root = f'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/{version}"><r:Emisor>'.encode()
    assert has_root_of_retenciones(before + root)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{}",
        b"<Retenciones>",
        b"<r:Retenciones>",
        b"\xff\xfe<\0",
        b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/4"><c:Retenciones/>',
    ],
)
def test_has_root_of_retenciones_is_false_for_other_content(document: bytes) -> None:
    assert not has_root_of_retenciones(document)

"""Splicing: only the named bytes change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.splice import DECLARATION, insert_complement, set_root_attributes
from timbra.examples import ingreso

PARSER = DocumentParser()
NAMESPACE = "http://www.sat.gob.mx/cfd/4"
STAMP = b"<t:T xmlns:t='urn:t'/>"


def document(text: str) -> Document:
    return PARSER.parse(text.encode())


def test_present_attributes_are_replaced_and_absent_ones_added_after_the_last() -> None:
    opening = f"<c:X xmlns:c='{NAMESPACE}'\n  Sello = ''\tFolio='&#10;ñ' >"
    source = f"<?xml version='1.0'?>\n<!-- <c:X Sello='no'> -->{opening}<c:Y Sello='no'/></c:X>"
    changed = set_root_attributes(document(source), {"Sello": "AA==", "NoCertificado": "12"})
    expected = source.replace("Sello = ''", 'Sello = "AA=="').replace("&#10;ñ' >", '&#10;ñ\' NoCertificado="12" >')
    assert changed.source.decode() == expected
    assert changed.root.get("Sello") == "AA=="
    assert etree.tostring(changed.root, method="c14n") == etree.tostring(
        PARSER.parse(changed.source).root, method="c14n"
    )


def test_a_value_that_would_need_escaping_is_a_bug() -> None:
    with pytest.raises(ValueError, match="escaping"):
        set_root_attributes(document("<a/>"), {"Sello": '"'})


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<c:Y/>", "<c:Y/><c:Complemento>STAMP</c:Complemento>"),
        ("<c:Complemento/>", "<c:Complemento>STAMP</c:Complemento>"),
        ("<c:Complemento  />", "<c:Complemento  >STAMP</c:Complemento>"),
        ("<c:Complemento></c:Complemento>", "<c:Complemento>STAMP</c:Complemento>"),
        ("<c:Complemento><c:p/></c:Complemento>", "<c:Complemento><c:p/>STAMP</c:Complemento>"),
        ("<c:Complemento>\n </c:Complemento >", "<c:Complemento>\n STAMP</c:Complemento >"),
        (
            "<c:Addenda><c:Complemento/></c:Addenda>",
            "<c:Complemento>STAMP</c:Complemento><c:Addenda><c:Complemento/></c:Addenda>",
        ),
        ("<c:Y/><!--<c:Complemento/>-->", "<c:Y/><!--<c:Complemento/>--><c:Complemento>STAMP</c:Complemento>"),
        (
            "<c:Y><c:Complemento/></c:Y><c:Complemento><![CDATA[</c:Complemento>]]></c:Complemento><c:Addenda/>",
            "<c:Y><c:Complemento/></c:Y><c:Complemento><![CDATA[</c:Complemento>]]>STAMP</c:Complemento><c:Addenda/>",
        ),
    ],
)
def test_the_stamp_becomes_the_last_child_of_the_complement(inside: str, expected: str) -> None:
    opening = f'<c:X xmlns:c="{NAMESPACE}">'
    stamped = insert_complement(document(f"{opening}{inside}</c:X>"), STAMP)
    assert stamped == DECLARATION + f"{opening}{expected}</c:X>".encode().replace(b"STAMP", STAMP)


def test_a_default_namespace_gets_an_unprefixed_complement() -> None:
    stamped = insert_complement(document(f'<X xmlns="{NAMESPACE}"><Y/></X>'), STAMP)
    assert b"<Y/><Complemento>" + STAMP + b"</Complemento></X>" in stamped


def test_a_declaration_is_kept_as_written() -> None:
    declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
    stamped = insert_complement(document(f'{declaration}<X xmlns="{NAMESPACE}"></X>'), STAMP)
    assert stamped.startswith(declaration.encode() + b"<X ")


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="<>&]￾￿"), max_size=20)


@given(addenda=TEXT, comment=TEXT.filter(lambda text: "--" not in text and not text.endswith("-")))
def test_taking_the_stamp_out_again_gives_the_bytes_back(addenda: str, comment: str) -> None:
    body = ingreso().replace(
        "</cfdi:Comprobante>", f"<!--{comment}--><cfdi:Addenda>{addenda}</cfdi:Addenda></cfdi:Comprobante>"
    )
    parsed = document(body)
    stamped = insert_complement(parsed, STAMP)
    opened = b"<cfdi:Complemento>" + STAMP + b"</cfdi:Complemento>"
    assert stamped.count(opened) == 1
    assert stamped.replace(opened, b"").removeprefix(DECLARATION) == parsed.source.removeprefix(DECLARATION)

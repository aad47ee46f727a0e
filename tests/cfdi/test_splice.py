"""Splicing: only the named bytes change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.splice import DECLARATION, _insert_by_reading, insert_complement, set_root_attributes
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


NAMES = ("Sello", "NoCertificado", "Certificado", "Folio", "x:Sello", "CondicionesDePago")
VALUES = st.sampled_from(["", "A1", "&quot;", "&#10;ñ", " Sello=", "x NoCertificado=", ">", "/>", "&lt;"])
TAILS = ("/>", " />", '><Y Sello="no"/></X>', '\n><Y Sello="no"/></X>')
BLANK = st.sampled_from([" ", "\n  ", "\t"])


@st.composite
def attributes(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Attributes as (name, text): any order, quotes and blanks, and values that look like attributes."""
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        quote = draw(st.sampled_from("\"'"))
        other = "'" if quote == '"' else '"'
        value = draw(VALUES) + draw(st.sampled_from(["", f" Sello={other}"]))
        found.append((name, f"{draw(BLANK)}{name}{draw(st.sampled_from(['=', ' = ']))}{quote}{value}{quote}"))
    return found


@given(given_=attributes(), wanted=st.sets(st.sampled_from(NAMES[:3])), tail=st.sampled_from(TAILS))
def test_attributes_are_spliced_as_the_tree_has_them_and_nothing_else_changes(
    given_: list[tuple[str, str]], wanted: set[str], tail: str
) -> None:
    head = '<?xml version="1.0"?><!-- Sello="no" --><X xmlns:x="urn:x"'
    parsed = document(head + "".join(text for _, text in given_) + tail)
    values: dict[str, str] = dict.fromkeys(wanted, "AA==")
    expected = dict(parsed.root.items()) | values
    changed = set_root_attributes(parsed, values)
    assert dict(PARSER.parse(changed.source).root.items()) == dict(changed.root.items()) == expected
    text = changed.source.decode()
    assert text.startswith(head)
    assert text.endswith(tail)
    assert all(piece in text for name, piece in given_ if name not in wanted)
    if not wanted:
        assert changed.source == parsed.source


CHILDREN = st.lists(
    st.sampled_from(
        [
            "<c:Y a='>'/>",
            "<c:Y><c:Complemento>x</c:Complemento></c:Y>",
            "<c:Complemento/>",
            "<c:Complemento ></c:Complemento\n>",
            "<c:Complemento><c:p/><!--</c:Complemento>--></c:Complemento>",
            "<c:Addenda><c:Complemento></c:Complemento></c:Addenda>",
            "<c:Addenda/>",
            "<!--</c:Complemento>-->",
            "<![CDATA[</c:Complemento>]]>",
            "<?p </c:Complemento>?>",
            "\n  ",
            "text",
        ]
    ),
    max_size=4,
)
AFTER = st.sampled_from(["", "\n", "<!-- </c:X> -->", "<?p </c:X>?>", " <!---->\r\n"])


@given(children=CHILDREN, after=AFTER, blank=st.sampled_from(["", " ", "\n"]))
def test_the_short_way_leads_where_a_walk_through_the_document_leads(
    children: list[str], after: str, blank: str
) -> None:
    parsed = document(f'<c:X xmlns:c="{NAMESPACE}">{"".join(children)}</c:X{blank}>{after}')
    assert insert_complement(parsed, STAMP) == _insert_by_reading(parsed, STAMP)


@pytest.mark.parametrize("inside", ["<Y/>", "<Complemento></Complemento>", '<c:Complemento xmlns:c="urn:c"/>'])
def test_the_short_way_with_a_default_namespace(inside: str) -> None:
    parsed = document(f'<X xmlns="{NAMESPACE}">{inside}</X>')
    assert insert_complement(parsed, STAMP) == _insert_by_reading(parsed, STAMP)

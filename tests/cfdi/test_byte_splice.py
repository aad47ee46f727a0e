"""Splicing: only the named bytes change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from timbra.cfdi.byte_splice import _insert_by_parsing, insert_complement, set_root_attributes
from timbra.cfdi.document import Document, DocumentParser
from timbra.examples import ingreso

DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'

PARSER = DocumentParser()
NAMESPACE = "http://www.sat.gob.mx/cfd/4"
STAMP = b"<t:T xmlns:t='urn:t'/>"


def document(text: str) -> Document:
    return PARSER.parse(text.encode())


def test_set_root_attributes_replaces_or_appends() -> None:
    opening = f"<c:X xmlns:c='{NAMESPACE}'\n  Sello = ''\tFolio='&#10;ñ' >"
    source = f"<?xml version='1.0'?>\n<!-- <c:X Sello='no'> -->{opening}<c:Y Sello='no'/></c:X>"
    changed = set_root_attributes(document(source), {"Sello": "AA==", "NoCertificado": "12"})
    expected = source.replace("Sello = ''", 'Sello = "AA=="').replace("&#10;ñ' >", '&#10;ñ\' NoCertificado="12" >')
    assert changed.source.decode() == expected
    assert changed.root.get("Sello") == "AA=="
    assert etree.tostring(changed.root, method="c14n") == etree.tostring(
        PARSER.parse(changed.source).root, method="c14n"
    )


def test_set_root_attributes_rejects_value_that_needs_escaping() -> None:
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
def test_insert_complement_appends_to_complemento(inside: str, expected: str) -> None:
    opening = f'<c:X xmlns:c="{NAMESPACE}">'
    stamped = insert_complement(document(f"{opening}{inside}</c:X>"), STAMP)
    assert stamped == DECLARATION + f"{opening}{expected}</c:X>".encode().replace(b"STAMP", STAMP)


def test_insert_complement_uses_default_namespace() -> None:
    stamped = insert_complement(document(f'<X xmlns="{NAMESPACE}"><Y/></X>'), STAMP)
    assert b"<Y/><Complemento>" + STAMP + b"</Complemento></X>" in stamped


def test_insert_complement_keeps_the_declaration() -> None:
    declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
    stamped = insert_complement(document(f'{declaration}<X xmlns="{NAMESPACE}"></X>'), STAMP)
    assert stamped.startswith(declaration.encode() + b"<X ")


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r", "\r\n", "  \t"])
def test_insert_complement_keeps_a_declaration_when_any_blank_follows_its_name(blank: str) -> None:
    declaration = f"<?xml{blank}version='1.0'{blank}encoding='UTF-8'{blank}?>"
    stamped = insert_complement(document(f'{declaration}<X xmlns="{NAMESPACE}"></X>'), STAMP)
    assert stamped.startswith(declaration.encode() + b"<X ")
    assert stamped.count(b"<?xml") == 1


@pytest.mark.parametrize("instruction", ["<?xml-stylesheet href='a'?>", "<?xmlx ?>", "<!-- <?xml version='1.0'?> -->"])
def test_insert_complement_adds_a_declaration_when_the_first_markup_is_another(instruction: str) -> None:
    stamped = insert_complement(document(f'{instruction}<X xmlns="{NAMESPACE}"></X>'), STAMP)
    assert stamped.startswith(DECLARATION + instruction.encode() + b"<X ")


def test_insert_complement_names_utf8_by_its_standard_name_when_the_document_used_an_alias() -> None:
    for alias in ("utf8", "UTF8"):
        source = f"<?xml version='1.0' encoding='{alias}'?>\n<X xmlns=\"{NAMESPACE}\"></X>"
        assert insert_complement(document(source), STAMP).startswith(DECLARATION + b"\n<X ")


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="<>&]￾￿"), max_size=20)


@given(addenda=TEXT, comment=TEXT.filter(lambda text: "--" not in text and not text.endswith("-")))
def test_insert_complement_preserves_all_other_bytes(addenda: str, comment: str) -> None:
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
    """Return attributes as (name, text): any order, quotes and spaces, and values that look like attributes."""
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        quote = draw(st.sampled_from("\"'"))
        other = "'" if quote == '"' else '"'
        value = draw(VALUES) + draw(st.sampled_from(["", f" Sello={other}"]))
        found.append((name, f"{draw(BLANK)}{name}{draw(st.sampled_from(['=', ' = ']))}{quote}{value}{quote}"))
    return found


@given(given_=attributes(), wanted=st.sets(st.sampled_from(NAMES[:3])), tail=st.sampled_from(TAILS))
def test_set_root_attributes_preserves_all_other_bytes(
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
def test_insert_complement_fast_path_equals_parsing(children: list[str], after: str, blank: str) -> None:
    parsed = document(f'<c:X xmlns:c="{NAMESPACE}">{"".join(children)}</c:X{blank}>{after}')
    assert insert_complement(parsed, STAMP) == _insert_by_parsing(parsed, STAMP)


@pytest.mark.parametrize("inside", ["<Y/>", "<Complemento></Complemento>", '<c:Complemento xmlns:c="urn:c"/>'])
def test_insert_complement_fast_path_with_default_namespace(inside: str) -> None:
    parsed = document(f'<X xmlns="{NAMESPACE}">{inside}</X>')
    assert insert_complement(parsed, STAMP) == _insert_by_parsing(parsed, STAMP)

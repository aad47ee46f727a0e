"""The hardened parser: documents that it accepts, and bytes that it rejects with 301."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.leading_space import BOM, LEADING

from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.core.errors import ServiceError
from timbra.examples import ingreso

CFD4 = "http://www.sat.gob.mx/cfd/4"

PARSER = DocumentParser()


def rejection(data: bytes, parser: DocumentParser = PARSER) -> str:
    with pytest.raises(ServiceError) as caught:
        parser.parse(data)
    assert caught.value.code == "301"
    assert caught.value.detail is not None
    return caught.value.detail


def test_parse_reads_the_version() -> None:
    document = PARSER.parse(ingreso().encode())
    assert document.version == "4.0"
    assert document.source == ingreso().encode()


def test_parse_drops_the_byte_order_mark() -> None:
    document = PARSER.parse(b"\xef\xbb\xbf" + ingreso().encode())
    assert document.source == ingreso().encode()


@pytest.mark.parametrize(
    ("source", "version"),
    [
        (b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/3" Version="3.3"/>', "3.3"),
        (b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/3" version="3.2"/>', "3.2"),
        (b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/4" Version="4.1"/>', ""),
        (b'<c:Comprobante xmlns:c="http://www.sat.gob.mx/cfd/3" Version="4.0"/>', ""),
        (b'<Comprobante Version="4.0"/>', ""),
        (b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/2" Version="2.0"/>', "2.0"),
        (b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.0"/>', "1.0"),
        (b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="2.0"/>', ""),
        (b"<html/>", ""),
    ],
)
def test_parse_derives_version_from_namespace_and_attribute(source: bytes, version: str) -> None:
    assert PARSER.parse(source).version == version


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "Root element is missing. Línea 1, posición 1."),
        (b"   ", "Root element is missing."),
        (b"PD94bWwgdmVyc2lvbj0i", "Root element is missing."),
        (b"<a>", "Premature end of data in tag a line 1. Línea 1, posición 4."),
        (b"<a/>\n<b/>", "Extra content at the end of the document. Línea 2, posición 1."),
        (b"<a>x</a>stray &", "Extra content"),
        (b"<a>1 < 2</a>", "Línea 1"),
        (b"<a xmlns:b='x, line 3'/>", "El valor de xmlns:b no es una URI: 'x, line 3'. Línea 1, posición"),
        (b"<a>\x00</a>", "Invalid character"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "No se admite DTD."),
        (b'<!-- --> <?p?>\n<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>', "No se admite DTD."),
        (b"<a>&undefined;</a>", "Entity 'undefined' not defined"),
        ("<a>ñ</a>".encode("latin-1"), "no es UTF-8"),
        ("<?xml version='1.0' encoding='utf-8'?><a>ñ</a>".encode("latin-1"), "no es UTF-8"),
        ("<a>ñ</a>".encode("utf-16"), "no es UTF-8"),
        (b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "La codificación declarada es ISO-8859-1."),
        (b"<a>" * 10_000, "El anidamiento pasa de 100 niveles. Línea 1, posición"),
        (b"\x30\x82\x05\xb4\x30\x82", "no es UTF-8"),
    ],
    ids=range(18),
)
def test_parse_rejects_other_bytes_with_the_message_of_the_parser(data: bytes, part: str) -> None:
    detail = rejection(data)
    assert detail.startswith("Error al leer el documento XML. La estructura del documento no es un Xml valido")
    assert part in detail


def test_parse_rejects_billion_laughs_before_expansion() -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    assert "DTD" in rejection(f'<!DOCTYPE l [<!ENTITY l0 "ha">{entities}]><l>&l9;</l>'.encode())


BLANKS = [each for each in LEADING if each.strip(BOM)]
ENTITY = b"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"
DEFAULT = b"<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]><a/>"


@pytest.mark.parametrize("before", [BOM * 2, BOM * 3, b" " + BOM, b"\x00", b"x", b"\x0b", "\u200b".encode()])
@pytest.mark.parametrize("document", [b"<a/>", b"<?xml version='1.0'?><a/>", ENTITY])
def test_parse_rejects_what_precedes_the_first_markup_and_is_not_white_space(before: bytes, document: bytes) -> None:
    assert "Antes del" in rejection(before + document) or "declaración" in rejection(before + document)


@pytest.mark.parametrize("before", BLANKS)
@pytest.mark.parametrize("declaration", [b"<?xml version='1.0'?>", b"<?xml\nversion='1.0' encoding='UTF-8'?>\n"])
def test_parse_rejects_white_space_before_a_declaration(before: bytes, declaration: bytes) -> None:
    assert "Antes de la declaración XML" in rejection(before + declaration + b"<a/>")


@pytest.mark.parametrize("before", BLANKS)
@pytest.mark.parametrize("document", [b"<a/>", b"<!-- c --><a/>", b"<?p?>\n<a/>\n"])
def test_parse_omits_white_space_before_a_document_without_declaration(before: bytes, document: bytes) -> None:
    parsed = DocumentParser().parse(before + document)
    assert parsed.source == document
    assert etree.tostring(parsed.root, method="c14n") == etree.tostring(etree.fromstring(document), method="c14n")


@pytest.mark.parametrize("before", BLANKS)
def test_parse_rejects_a_dtd_behind_white_space(before: bytes) -> None:
    assert "No se admite DTD." in rejection(before + ENTITY)


@pytest.mark.parametrize(
    "before", [b"", b"<!-- -->", b"<?p?>\n", b"<?xml\tversion='1.0'?>", b"<?xml version='1.0'?>\r\n"]
)
@pytest.mark.parametrize("document", [ENTITY, DEFAULT, b"<!DOCTYPE a><a/>", b"<!DOCTYPE a SYSTEM 'a.dtd'><a/>"])
def test_parse_rejects_every_dtd(before: bytes, document: bytes) -> None:
    assert "No se admite DTD." in rejection(before + document)


def test_parse_rejects_the_dtd_that_libxml2_parsed_when_the_bytes_do_not_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("timbra.cfdi.document.PROLOG", re.compile(rb"(?!)"))
    assert "No se admite DTD." in rejection(ENTITY)


@pytest.mark.parametrize("version", ["1.1", "1.", "1.10"])
def test_parse_rejects_other_versions_of_xml(version: str) -> None:
    assert f"La versión de XML declarada es {version}" in rejection(f"<?xml version='{version}'?><a/>".encode())


def test_parse_reads_beyond_the_limit_when_room_is_given() -> None:
    parser = DocumentParser(ParserLimits(max_bytes=10))
    document = b"<a>12345</a>"
    assert "10 bytes" in rejection(document, parser)
    assert parser.parse(document, room=2).source == document
    assert parser.max_bytes == 10


def test_parse_does_not_follow_xinclude() -> None:
    source = b'<a xmlns:i="http://www.w3.org/2001/XInclude"><i:include href="file:///etc/hostname" parse="text"/></a>'
    assert PARSER.parse(source).root[0].tag == "{http://www.w3.org/2001/XInclude}include"


def nested(levels: int) -> bytes:
    return b"<a>" * levels + b"</a>" * levels


def attributed(count: int) -> bytes:
    return b"<a><b " + b" ".join(b'a%d=""' % n for n in range(count)) + b"/></a>"


def test_parse_accepts_values_at_the_limits() -> None:
    parser = DocumentParser(ParserLimits(max_bytes=200, max_depth=5, max_attributes=3))
    assert parser.parse(nested(5)).root is not None
    assert "5 niveles" in rejection(nested(6), parser)
    assert "5 niveles" in rejection(b"<a>" * 5 + b"<a/>" + b"</a>" * 5, parser)
    assert parser.parse(b"<a>" + b"<b></b>" * 9 + b"</a>").root is not None
    assert parser.parse(attributed(3)).root is not None
    assert "3 atributos" in rejection(attributed(4), parser)
    assert parser.parse(b"<a x='===='>=<b y='='/></a>").root is not None
    assert parser.parse(b"<a>" + b"x" * 193 + b"</a>").root is not None
    assert "200 bytes" in rejection(b"<a>" + b"x" * 194 + b"</a>", parser)


def code_of(data: bytes) -> str:
    try:
        PARSER.parse(data)
    except ServiceError as error:
        return error.code
    return ""


@given(st.binary(max_size=300))
def test_parse_raises_only_301_for_any_bytes(data: bytes) -> None:
    assert code_of(data) in ("", "301")


@given(st.data())
def test_parse_raises_only_301_for_damaged_invoice(data: st.DataObject) -> None:
    source = bytearray(ingreso().encode())
    for _ in range(data.draw(st.integers(1, 4))):
        source[data.draw(st.integers(0, len(source) - 1))] = data.draw(st.integers(0, 255))
    assert code_of(bytes(source[: data.draw(st.integers(0, len(source)))])) in ("", "301")


@pytest.mark.parametrize(("data", "prefix"), [(b"<cfdi:Comprobante/>", "cfdi"), (b"<a><b xsi:c='1'/></a>", "xsi")])
def test_parse_names_a_prefix_that_is_not_declared(data: bytes, prefix: str) -> None:
    assert f"No está declarado el prefijo {prefix}: falta xmlns:{prefix}. Línea 1, posición" in rejection(data)


LONG = 10_000_001
LIMIT = "Un texto, un comentario o el valor de un atributo pasa de 10 MB, el máximo que se admite."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"<a>", b"</a>"),
        (b'<a b="', b'"/>'),
        (b"<a><![CDATA[", b"]]></a>"),
        (b"<a><!--", b"--></a>"),
        (b"<a><?p ", b"?></a>"),
    ],
)
def test_parse_rejects_a_text_over_10_mb_in_spanish(before: bytes, after: bytes) -> None:
    detail = rejection(before + b"x" * LONG + after)
    assert f" {LIMIT} Línea 1, posición " in detail
    assert not re.search("HUGE|limit|too|found", detail)


def test_parse_accepts_a_text_of_10_mb() -> None:
    assert PARSER.parse(b"<a>" + b"x" * 9_999_999 + b"</a>").root.tag == "a"


def test_parse_rejects_a_long_name_in_spanish() -> None:
    detail = rejection(b"<" + b"a" * 60_000 + b"/>")
    assert " Un nombre pasa de 50,000 bytes. Línea 1" in detail


def test_parse_rejects_nesting_beyond_the_limit_of_libxml2_in_spanish() -> None:
    assert " El anidamiento pasa de 100 niveles." in rejection(b"<a>" * 300 + b"</a>" * 300)


@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("blank", [" ", "\n  ", "&#10;"])
@pytest.mark.parametrize("xsi", ["", ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'])
def test_parse_explains_schema_location_with_the_prefix_xmlns(quote: str, blank: str, xsi: str) -> None:
    pair = f"{CFD4}{blank}http://www.sat.gob.mx/sitio_internet/cfd/4/cfdv40.xsd"
    xml = f'<cfdi:Comprobante xmlns:cfdi="{CFD4}"{xsi} xmlns:schemaLocation={quote}{pair}{quote} Version="4.0"/>'
    detail = rejection(xml.encode())
    assert (
        " xmlns:schemaLocation declara un prefijo, no la dirección de los esquemas: escriba xsi:schemaLocation y "
        'declare xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance". Línea '
    ) in detail
    assert "valid URI" not in detail


@pytest.mark.parametrize("name", ["xmlns", "xmlns:b"])
def test_parse_explains_a_namespace_that_is_not_a_uri(name: str) -> None:
    detail = rejection(f'<a {name}="x y"/>'.encode())
    assert f" El valor de {name} no es una URI: 'x y'. Línea 1, posición " in detail


def without_a_character(source: str, name: str) -> bytes:
    """Return a document in which a name lost a letter, as a Latin-1 file that was decoded as UTF-8."""
    return source.replace(name, f"{name[:-1]}\ufffd").encode()


@pytest.mark.parametrize("name", ["cfdi:Emisor", "Rfc", "cfdi", "Version", "cfdi:Concepto", "TipoDeComprobante"])
def test_parse_rejects_a_name_with_a_lost_character(name: str) -> None:
    with pytest.raises(ServiceError) as rejected:
        DocumentParser().parse(without_a_character(ingreso(), name))
    assert rejected.value.code == "301"
    assert (rejected.value.detail or "").startswith(
        "Error al leer el documento XML. La estructura del documento no es un Xml valido y/o la codificación del "
        "documento no es UTF8."
    )


def test_parse_accepts_the_same_character_in_values_and_texts() -> None:
    source = ingreso().replace("ESCUELA", "ESCUE\ufffdA", 1)
    assert DocumentParser().parse(source.encode()).version == "4.0"
    assert DocumentParser().parse("<a b='\ufffd'>\ufffd<!-- \ufffd --></a>".encode()).version == ""


def test_parse_without_memory_rejects_no_document(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(*_: object) -> None:
        raise etree.XMLSyntaxError("unknown error", 2, 0, 0)  # type: ignore[call-arg, arg-type]

    monkeypatch.setattr(etree, "fromstring", without_memory)
    with pytest.raises(MemoryError):
        DocumentParser().parse(b"<Comprobante/>")

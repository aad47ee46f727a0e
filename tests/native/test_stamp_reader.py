"""Reading back of plain stamped documents: what the native reader accepts, expat reads in the same way."""

from __future__ import annotations

import random
from collections.abc import Callable
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.native.pairs import native_module

from timbra._native import stamp_reader_python
from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.document import Document, version_of
from timbra.cfdi.read_back import _find_mismatch_by_expat
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.examples import carta_porte, exportacion, ingreso, nomina, pago, retencion

TFD = "http://www.sat.gob.mx/TimbreFiscalDigital"

CFD4 = "http://www.sat.gob.mx/cfd/4"
STAMP = TimbreFiscalDigital(
    "0b7a6a5c-3f56-4f6e-9df5-0e8a7d1f2c3b", "2026-11-17T12:00:00", "TIM010101SB9", "AA/+==", "1" * 20
)
TIMBRE = STAMP.to_xml()
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'
PIECES = (
    '"', "'", "<", ">", "&", "&amp;", "&#65;", "&lt", ";", "/", "/>", "=", " ", "\n", "\x00", "\x01", "]]>", "<!-- -->",
    "<?a?>", "<![CDATA[x]]>", "<!DOCTYPE a>", ' xmlns=""', ' xmlns="urn:a"', ' xmlns:b="urn:b"', ' xmlns:c=""',
    " x:y='1'",
    ' xml:lang="es"', ' xmlns:xml="http://www.w3.org/XML/1998/namespace"', ' Sello="AA/+=="', "<a>", "</a>", "<a/>",
    "<b:a/>", "é", "\ufffe", "\U0001f600", TIMBRE, f'<tfd:TimbreFiscalDigital xmlns:tfd="{TFD}"/>', "xmlns", "c:", ":",
)  # fmt: skip


def document(inside: str = "", complement: str = TIMBRE, head: str = "", declaration: str = DECLARATION) -> bytes:
    return (
        f'{declaration}<c:Comprobante xmlns:c="{CFD4}" Version="4.0" Sello="AA/+=="{head}>{inside}'
        f"<c:Complemento>{complement}</c:Complemento></c:Comprobante>"
    ).encode()


def accepts(xml: bytes, namespace: str = CFD4, local: str = "Comprobante") -> bool:
    arguments = (namespace.encode(), local.encode(), STAMP.sello_cfd.encode(), STAMP.uuid.encode())
    accepted: bool = native_module("stamp_reader").is_plainly_stamped(xml, *arguments)
    return accepted


def mismatch(xml: bytes, namespace: str = CFD4, local: str = "Comprobante") -> str | None:
    return _find_mismatch_by_expat(xml, STAMP, namespace, local)


@pytest.mark.parametrize(
    "xml",
    [
        document(),
        document(declaration=DECLARATION.replace("utf", "UTF") + "\r\n"),
        document('<c:Emisor Nombre="A &amp; B &quot;é&quot; \'&apos;" Rfc = "x"/>'.replace(" = ", "=")),
        document("<c:Emisor Nombre='\"'></c:Emisor >\n text &lt;"),
        document(head=f' xmlns:x="urn:x" x:y="1" xmlns:tfd="{TFD}"'),
        document() + b"\n\t ",
        document(declaration='<?xml version="1.0" encoding="UTF-8"?>\n'),
        document(declaration="<?xml version='1.0' encoding='utf-8'?>\n"),
        document(declaration="<?xml version='1.0' encoding='UTF-8'?>"),
        document(complement=f"<d:a xmlns:d='urn:d'>{TIMBRE}</d:a>{TIMBRE}"),
    ],
    ids=range(10),
)
def test_reader_accepts_plain_documents(xml: bytes) -> None:
    assert accepts(xml)
    assert mismatch(xml) is None


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        document()[:-1],
        document() + b"x",
        document() + document(),
        document(declaration=""),
        document(declaration='<?xml version="1.1" encoding="utf-8"?>'),
        document(declaration="<?xml version='1.0' encoding=\"utf-8'?>"),
        document(complement=""),
        document(complement=TIMBRE * 2),
        document(complement=TIMBRE.replace("0b7a", "0b7b")),
        document(complement=TIMBRE.replace("AA/+", "AA/-")),
        document(complement=TIMBRE.replace(TFD, f"{TFD}2")),
        document(complement=f"<c:a>{TIMBRE}</c:a>"),
        document(head=' Sello="AA/+=="'),
        document(head=' xmlns:x="urn:x" xmlns:y="urn:x" x:a="1" y:a="1"'),
        document(head=' x:a="1"'),
        document("<x:a/>"),
        document('<a xmlns:x="urn:x"/><x:a/>'),
        document("<a></b>"),
        document("<a b='<'/>"),
        document("<a b='1'c='2'/>"),
        document("]]>"),
        document("&e;"),
        document("\x01"),
        document("\ufffe"),
        document().replace(b"Version", b"\xff\xfe"),
        document("<a>" * 200 + "</a>" * 200),
        document(head="".join(f' a{number}="1"' for number in range(70))),
    ],
    ids=range(28),
)
def test_reader_accepts_nothing_else(xml: bytes) -> None:
    assert not accepts(xml)


URIS = ("http://www.sat.gob.mx/cfd/4", "https://example.mx/a?b=c", "urn:x", "x", "")


@given(
    st.sampled_from(URIS),
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from([chr(code) for code in range(0x20, 0x7F)])), max_size=3),
)
def test_reader_accepts_no_namespace_that_a_parser_rejects(uri: str, insertions: list[tuple[int, str]]) -> None:
    for place, character in insertions:
        uri = uri[:place] + character + uri[place:]
    xml = document(f"<a xmlns:n={quoteattr(uri)}/>")
    if accepts(xml):
        parser = etree.XMLParser()
        etree.fromstring(xml, parser)
        assert len(parser.error_log) == 0


@pytest.mark.parametrize(
    "uri",
    ["http://a.mx/{b}", "http://a.mx/a|b", "http://a.mx:x", "http://a.mx/%zz", "a b", "1:b", "http://", "`", "urn:"],
)
def test_reader_does_not_accept_what_is_no_uri(uri: str) -> None:
    assert not accepts(document(f'<a xmlns:n="{uri}"/>'))


@pytest.mark.parametrize("make", [ingreso, nomina, pago, carta_porte, exportacion, retencion])
def test_reader_accepts_stamped_examples(make: Callable[[], str]) -> None:
    root = etree.fromstring(make().encode())
    root.set("Sello", STAMP.sello_cfd)
    source = etree.tostring(root, encoding="utf-8", xml_declaration=False)
    stamped = insert_complement(Document(source, root, version_of(root)), TIMBRE.encode())
    namespace, _, local = str(root.tag)[1:].partition("}")
    assert accepts(stamped, namespace, local)
    assert mismatch(stamped, namespace, local) is None


@given(places=st.lists(st.tuples(st.integers(0, 900), st.sampled_from(PIECES), st.integers(0, 3)), max_size=3))
def test_reader_agrees_with_expat_on_damaged_documents(places: list[tuple[int, str, int]]) -> None:
    xml = document('<c:Emisor Nombre="a"><x xmlns="urn:x" y="&amp;">t</x></c:Emisor>')
    for at, piece, removed in places:
        at %= len(xml)
        xml = xml[:at] + piece.encode() + xml[at + removed :]
    assert not accepts(xml) or mismatch(xml) is None


@pytest.mark.parametrize("seed", range(20))
def test_reader_agrees_with_expat_on_changed_bytes(seed: int) -> None:
    choose = random.Random(seed)
    xml = document('<c:Emisor Nombre="ñ" xmlns:x="urn:x" x:y="&amp;">t</c:Emisor>')
    for _ in range(300):
        changed = bytearray(xml)
        for _ in range(choose.randint(1, 2)):
            changed[choose.randrange(len(changed))] = choose.choice((*b"<>&\"'=/: \n]!?-ax\x00", 0x80, 0xFF))
        assert not accepts(bytes(changed)) or mismatch(bytes(changed)) is None


def test_reader_without_native_code_accepts_nothing() -> None:
    assert not stamp_reader_python.is_plainly_stamped(document(), b"", b"", b"", b"")


@pytest.mark.parametrize("argument", [None, "text", bytearray(b"<a/>")])
def test_reader_rejects_what_is_no_bytes(argument: object) -> None:
    with pytest.raises(TypeError):
        native_module("stamp_reader").is_plainly_stamped(argument, b"", b"", b"", b"")

"""Base64 or plain, UTF-8 or Latin-1."""

from __future__ import annotations

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.api_rejections import outcome

from timbra.core.errors import ServiceError
from timbra.web.parsing.decoding import decode_text, xml_bytes

BOM = b"\xef\xbb\xbf"

XML = "<a b='ñ'/>".encode()
ENCODED = b64encode(XML)


@pytest.mark.parametrize("content", [XML, BOM + XML, b"\r\n  " + XML, BOM + b"\n" + XML])
def test_xml_bytes_returns_plain_xml_unchanged(content: bytes) -> None:
    assert xml_bytes(content, base64=False) == content


@pytest.mark.parametrize("content", [ENCODED, ENCODED[:8] + b"\r\n" + ENCODED[8:], BOM + ENCODED, ENCODED + b"\n"])
@pytest.mark.parametrize("base64", [True, False])
def test_xml_bytes_decodes_base64_with_and_without_the_suffix(content: bytes, base64: bool) -> None:
    assert xml_bytes(content, base64=base64) == XML


@pytest.mark.parametrize("content", [XML, ENCODED[:-1], ENCODED + b"!", b"\x00\x01", XML.decode().encode("utf-16")])
def test_xml_bytes_rejects_other_content_with_the_suffix(content: bytes) -> None:
    with pytest.raises(ServiceError) as rejected:
        xml_bytes(content, base64=True)
    assert rejected.value.code == "301"
    assert rejected.value.detail is not None
    assert rejected.value.detail.startswith("Error al leer el documento XML. La estructura del documento no es un Xml")


@pytest.mark.parametrize("content", [b"no xml", b"\x00<a/>", XML.decode().encode("utf-16")])
def test_xml_bytes_returns_other_content_without_the_suffix(content: bytes) -> None:
    assert xml_bytes(content, base64=False) == content


@pytest.mark.parametrize("content", [b"", b" \r\n", BOM, b64encode(b" \n")])
@pytest.mark.parametrize("base64", [True, False])
def test_xml_bytes_rejects_blank_content_as_missing(content: bytes, base64: bool) -> None:
    with pytest.raises(ServiceError) as rejected:
        xml_bytes(content, base64=base64)
    assert rejected.value.code == "xml-missing"


@given(st.binary(max_size=200), st.booleans())
def test_xml_bytes_returns_content_or_rejects_any_bytes(content: bytes, base64: bool) -> None:
    result, code = outcome(lambda: xml_bytes(content, base64=base64))
    assert code in {"301", "xml-missing"} or (result and code is None)


@given(st.binary(min_size=1).filter(lambda content: content.strip(b" \t\r\n")))
def test_xml_bytes_decodes_any_encoded_content(content: bytes) -> None:
    assert xml_bytes(b64encode(content), base64=True) == content


@pytest.mark.parametrize(
    ("content", "text"),
    [("páss".encode(), "páss"), (b"\xef\xbb\xbfa", "a"), (b"p\xe1ss", "páss"), (b"", "")],
)
def test_decode_text_reads_utf8_and_latin1(content: bytes, text: str) -> None:
    assert decode_text(content) == text

"""Reading finished bytes again: differences from the intended document are named."""

from __future__ import annotations

import pytest

from timbra.cfdi.byte_splice import insert_complement
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.read_back import find_mismatch, find_syntax_error
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.examples import ingreso

TFD = "http://www.sat.gob.mx/TimbreFiscalDigital"

PARSER = DocumentParser()
COMPROBANTE = "{http://www.sat.gob.mx/cfd/4}Comprobante"
STAMP = TimbreFiscalDigital(
    "0b7a6a5c-3f56-4f6e-9df5-0e8a7d1f2c3b", "2026-11-17T12:00:00", "TIM010101SB9", "AAAA", "1" * 20
)
SOURCE = ingreso().replace('Sello=""', 'Sello="AAAA"')
END = "</cfdi:Comprobante>"
INSIDE = STAMP.to_xml().encode()


def stamped(text: str = SOURCE) -> bytes:
    return insert_complement(PARSER.parse(text.encode()), INSIDE)


@pytest.mark.parametrize(
    "text",
    [
        SOURCE,
        SOURCE.replace("<?xml", "<?xml\n", 1),
        SOURCE.replace(END, f"<cfdi:Addenda><x/></cfdi:Addenda>{END}"),
        SOURCE.replace(END, f"<cfdi:Complemento/>{END}"),
        SOURCE.replace("<cfdi:Comprobante ", f'<cfdi:Comprobante xmlns:tfd="{TFD}" ', 1),
        SOURCE.replace('Sello="AAAA"', 'Sello=" AAAA\n"'),
        SOURCE.replace(END, f"<cfdi:Addenda>{STAMP.to_xml() * 2}</cfdi:Addenda>{END}"),
        SOURCE.replace(END, f"<cfdi:Addenda><cfdi:Complemento>{STAMP.to_xml()}</cfdi:Complemento></cfdi:Addenda>{END}"),
    ],
    ids=range(8),
)
def test_find_mismatch_is_none_for_stamped_document(text: str) -> None:
    assert find_mismatch(stamped(text), STAMP, COMPROBANTE) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<?xml", b"\xef\xbb\xbf<?xml"),
        (b"<?xml", b"\xef\xbb\xbf\xef\xbb\xbf<?xml"),
        (b"<?xml", b"<?xml version='1.0'?><?xml"),
        (b'version="1.0"', b'version="1.1"'),
        (b'encoding="UTF-8"', b'encoding="utf8"'),
        (b'encoding="UTF-8"', b'encoding="no-such-encoding"'),
        (b'encoding="UTF-8"', b'encoding="utf-16"'),
        (b"<cfdi:Comprobante ", b"<!DOCTYPE a><cfdi:Comprobante "),
        (b'Sello="AAAA"', b'Sello="AAAB"'),
        (b'xmlns:cfdi="http://www.sat.gob.mx/cfd/4"', b'xmlns:cfdi="http://www.sat.gob.mx/cfd/3"'),
        (b'UUID="0b', b'UUID="1b'),
        (b'SelloCFD="AAAA"', b'SelloCFD="AAAB"'),
        (INSIDE, b""),
        (INSIDE, INSIDE * 2),
        (INSIDE, b"<!--" + INSIDE + b"-->"),
        (INSIDE, b"<![CDATA[" + INSIDE + b"]]>"),
        (INSIDE, b"<x>" + INSIDE + b"</x>"),
        (b"Complemento>", b"Addenda>"),
        (b"</cfdi:Comprobante>", b""),
        (b"</cfdi:Comprobante>", b"</cfdi:Comprobante>x"),
        (b"</cfdi:Comprobante>", b"&amp</cfdi:Comprobante>"),
    ],
    ids=range(21),
)
def test_find_mismatch_names_the_change(old: bytes, new: bytes) -> None:
    changed = stamped().replace(old, new)
    assert changed != stamped()
    assert find_mismatch(changed, STAMP, COMPROBANTE)


def test_find_mismatch_rejects_empty_bytes_and_missing_declaration() -> None:
    assert find_mismatch(b"", STAMP, COMPROBANTE)
    undeclared = stamped()[stamped().index(b"?>") + 2 :]
    assert find_mismatch(undeclared, STAMP, COMPROBANTE) == "No empieza con una sola declaración XML 1.0."


def test_find_syntax_error_reads_the_bytes_as_utf8() -> None:
    assert find_syntax_error(b"<?xml version='1.0' encoding='utf8'?><a/>") is None
    assert "Línea 1, posición 4" in (find_syntax_error(b"<a>") or "")
    assert find_syntax_error("<\u0370/>".encode()) is not None

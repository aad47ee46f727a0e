"""What stands at the head of a document, however wrong the rest."""

from __future__ import annotations

import pytest

from timbra import examples
from timbra.cfdi.head import MOST_BYTES, Head, read_head

WHOLE = examples.ingreso({"@Serie": "A", "@Folio": "7"}).encode()


def test_a_whole_document_tells_all() -> None:
    head = read_head(WHOLE)

    assert (head.serie, head.folio, head.issuer_rfc) == ("A", "7", examples.KEMPER.rfc)
    assert head.receiver_rfc != ""


@pytest.mark.parametrize("end", [b"</cfdi:Comprobante>", b"<cfdi:Conceptos>", b"</cfdi:Conceptos>"])
def test_one_that_is_cut_off_tells_as_much(end: bytes) -> None:
    assert read_head(WHOLE[: WHOLE.index(end)]) == read_head(WHOLE)


def test_what_stands_after_the_concepts_is_of_others() -> None:
    text = b'<a><Conceptos/><Emisor Rfc="EKU9003173C9"/></a>'

    assert read_head(text) == Head()


def test_the_first_of_several_counts() -> None:
    text = b'<Comprobante Folio="1"><Comprobante Folio="2"/></Comprobante>'

    assert read_head(text).folio == "1"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no xml",
        b"\xff\xfe\x00",
        b'<!DOCTYPE a [<!ENTITY b "c">]><Comprobante Folio="&b;"/>',
        b'<Comprobante><Emisor Rfc="no-es-rfc"/></Comprobante>',
        b"<!--" + b"x" * MOST_BYTES + b'--><Comprobante Folio="1"/>',
    ],
)
def test_what_cannot_be_read_is_empty(text: bytes) -> None:
    assert read_head(text) == Head()


def test_long_numbers_are_cut() -> None:
    assert len(read_head(b'<Comprobante Folio="' + b"9" * 1000 + b'"/>').folio) == 50

"""The words of a document: those of its start tags are those of its tree."""

from __future__ import annotations

from decimal import Decimal
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.search_words import search_words
from timbra.documents import words
from timbra.examples import DOCUMENTS as EXAMPLE_DOCUMENTS
from timbra.examples import ROBOTICA
from timbra.examples.cfdi33 import ingreso33
from timbra.examples.cfdi40 import ingreso

PARSER = DocumentParser()
PLAIN = ingreso(concepts=7).encode()
DOCUMENTS = {
    "4.0": PLAIN,
    "3.3": ingreso33().encode(),
    "one concept": ingreso(concepts=1).encode(),
    "other prefix": PLAIN.replace(b"cfdi:", b"x:").replace(b"xmlns:cfdi", b"xmlns:x"),
    "comment": PLAIN.replace(b"<cfdi:Conceptos>", b'<!-- <cfdi:Concepto Descripcion="Nada"/> --><cfdi:Conceptos>'),
    "instruction": PLAIN.replace(b"<cfdi:Conceptos>", b"<?p <cfdi:Concepto Descripcion='Nada'/> ?><cfdi:Conceptos>"),
    "apostrophes": PLAIN.replace(b'"', b"'"),
    "lines": PLAIN.replace(b" Descripcion=", b"\n\tDescripcion = ").replace(b" Nombre=", b"\nNombre="),
}


def make(name: str) -> bytes:
    document = EXAMPLE_DOCUMENTS[name]
    return document.make(None, "2021-05-05T12:00:00" if name == "pagos10" else "2026-11-17T12:00:00").encode()


def words_of_tree(cfdi: bytes) -> list[str]:
    root = PARSER.parse(cfdi).root
    return search_words((*words._numbers_and_names(root), *words._descriptions(root)), words.MAX_WORDS)


@pytest.mark.parametrize("cfdi", DOCUMENTS.values(), ids=DOCUMENTS)
def test_document_words_equal_those_of_the_tree(cfdi: bytes) -> None:
    found = words.document_words(PARSER, cfdi)

    assert found == words_of_tree(cfdi)
    assert len(found) > 5


@pytest.mark.parametrize("kind", ["4.0", "3.3", "one concept", "other prefix", "lines"])
def test_plain_texts_need_no_parser_for_usual_documents(kind: str) -> None:
    assert words._plain_texts(DOCUMENTS[kind]) is not None


@given(st.text(alphabet="<>&\"'/= \n-_aéÑ", max_size=40))
def test_document_words_equal_those_of_the_tree_for_any_name(name: str) -> None:
    cfdi = PLAIN.replace(quoteattr(ROBOTICA.name).encode(), quoteattr(name).encode())

    assert words.document_words(PARSER, cfdi) == words_of_tree(cfdi)


@pytest.mark.parametrize(
    ("cfdi", "currency", "paid"),
    [
        (PLAIN, "MXN", None),
        (PLAIN.replace(b'Moneda="MXN"', b'Moneda="USD"'), "USD", None),
        (PLAIN.replace(b'"', b"'").replace(b"Moneda='MXN'", b"Moneda='USD'"), "USD", None),
        (make("retencion"), "MXN", None),
        (make("pagos20"), "MXN", Decimal("232.00")),
        (make("pagos10"), "MXN", Decimal("232.00")),
        (make("pagos10").replace(b'MonedaP="MXN"', b'MonedaP="USD" TipoCambioP="20.0001"'), "MXN", Decimal("4640.02")),
        (PLAIN[:-5], "", None),
        (b"", "", None),
    ],
)
def test_indexed_document_has_currency_and_what_a_payment_paid(
    cfdi: bytes, currency: str, paid: Decimal | None
) -> None:
    found = words.indexed_document(PARSER, cfdi)
    assert (found.currency, found.paid) == (currency, paid)

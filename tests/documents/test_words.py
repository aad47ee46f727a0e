"""The words of a document: those of its start tags are those of its tree."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.search_words import search_words
from timbra.documents import words
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

"""What the index of stamped documents has of one: words, currency, and what a payment paid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from timbra.cfdi.document import DocumentParser
from timbra.cfdi.header_reader import read_header
from timbra.cfdi.search_words import search_words
from timbra.cfdi.start_tags import plain_attributes, root_start_tag
from timbra.core.errors import ServiceError
from timbra.stamps.document_index import IndexedDocument

if TYPE_CHECKING:
    from lxml import etree

MAX_WORDS = 24
"""Words of a document: first those of its number and of its parties' names."""
NAMES = ("Nombre", "NomDenRazSocR", "NomDenRazSocE")
"""Attributes with a name, in CFDI and Retenciones of all versions."""
RECEIVERS = ("{*}Receptor", "{*}Receptor/{*}Nacional", "{*}Receptor/{*}Extranjero")
ISSUERS = ("{*}Emisor",)
MAX_CONCEPTS = 5
"""Concepts whose descriptions are searched."""
MAX_PARSED_BYTES = 512 * 1024
"""The descriptions of larger documents are not searched."""
MXN, PAYMENT = "MXN", b"P"
CENT = Decimal("0.01")
END_OF_ROOT = (b"Comprobante>", b"Retenciones>")
PLAIN_VERSIONS = (b"4.0", b"3.3")
_ROOT = re.compile(rb"<((?:[\w.-]++:)?)Comprobante\s")


def indexed_document(parser: DocumentParser, cfdi: bytes) -> IndexedDocument:
    """Read a stored document.

    Args:
        parser: A parser for threads.
        cfdi: The stamped document.
    """
    currency, paid = _amount(parser, cfdi)
    return IndexedDocument(document_words(parser, cfdi), currency, paid)


def _amount(parser: DocumentParser, cfdi: bytes) -> tuple[str, Decimal | None]:
    """Return the currency of the amount, empty for a damaged document, and what a payment paid, in MXN."""
    tag = root_start_tag(cfdi)
    head = plain_attributes(tag) if tag is not None else None
    if head is not None and head.get(b"TipoDeComprobante") != PAYMENT and cfdi.rstrip().endswith(END_OF_ROOT):
        return head.get(b"Moneda", b"").decode() or MXN, None
    try:
        root = parser.parse(cfdi).root
    except ServiceError:
        return "", None
    paid = paid_amount(root)
    return (root.get("Moneda") or MXN, None) if paid is None else (MXN, paid)


def paid_amount(root: etree._Element) -> Decimal | None:
    """Return what the payments of a document paid, in MXN: MontoTotalPagos, or of version 1.0 the sum.

    None for a document that is no payment.
    """
    if root.get("TipoDeComprobante") != PAYMENT.decode():
        return None
    totals = root.find("{*}Complemento/{*}Pagos/{*}Totales")
    if totals is not None:
        return _number(totals.get("MontoTotalPagos"))
    payments = root.iterfind("{*}Complemento/{*}Pagos/{*}Pago")
    paid = (_number(each.get("Monto")) * _number(each.get("TipoCambioP"), "1") for each in payments)
    return sum(paid, Decimal()).quantize(CENT, ROUND_HALF_UP)


def _number(text: str | None, default: str = "0") -> Decimal:
    try:
        number = Decimal(text or default)
    except InvalidOperation:
        return Decimal()
    return number if number.is_finite() else Decimal()


def document_words(parser: DocumentParser, cfdi: bytes) -> list[str]:
    """Return the words of serie, folio, names and descriptions.

    Args:
        parser: A parser for threads.
        cfdi: The stamped document.
    """
    plain = _plain_texts(cfdi)
    if plain is not None:
        return search_words(plain, MAX_WORDS)
    root = _root(parser, cfdi)
    if root is None:
        header = read_header(cfdi)
        return search_words((header.serie, header.folio, header.receiver_name, header.issuer_name), MAX_WORDS)
    return search_words((*_numbers_and_names(root), *_descriptions(root)), MAX_WORDS)


def _plain_texts(cfdi: bytes) -> Sequence[str] | None:
    """Return the texts of a CFDI from its start tags.

    Returns:
        The same texts as with a parser, but for white space; None for a document that needs one, because of a
        comment, a reference in a value, an apostrophe, a party without a name or its version.
    """
    tag = root_start_tag(cfdi)
    if tag is None or (root := _ROOT.match(tag)) is None or len(cfdi) > MAX_PARSED_BYTES:
        return None
    begin, prefix = cfdi.index(tag) + len(tag), root[1]
    end = cfdi.find(b"</%bConceptos" % prefix, begin)
    head = plain_attributes(tag)
    if end < 0 or head is None or head.get(b"Version") not in PLAIN_VERSIONS:
        return None
    if any(cfdi.find(mark, begin, end) >= 0 for mark in (b"'", b"<!", b"<?")):
        return None
    found = [match.groups() for match in islice(_named(prefix).finditer(cfdi, begin, end), MAX_CONCEPTS + 2)]
    if [name for name, _ in found[:3]] != [b"Emisor", b"Receptor", b"Concepto"]:
        return None
    (_, issuer), (_, receiver), *concepts = found
    texts = (head.get(b"Serie", b""), head.get(b"Folio", b""), receiver, issuer, *(text for _, text in concepts))
    values = b"\n".join(texts)
    return None if b"&" in values else values.decode().split("\n")


@lru_cache(maxsize=16)
def _named(prefix: bytes) -> re.Pattern[bytes]:
    """Return a pattern of parties and concepts up to their name or description, which concepts always have."""
    before = rb'(?:\s++[\w:.-]++\s*+=\s*+"[^"]*+")*?'
    named = rb'\s++(?:Nombre|Descripcion)\s*+=\s*+"([^"]*+)"'
    return re.compile(rb"<%b(Emisor|Receptor|Concepto)%b%b" % (re.escape(prefix), before, named))


def _root(parser: DocumentParser, cfdi: bytes) -> etree._Element | None:
    """Return the root of a document; None for a large or damaged one, which is found by its header."""
    if len(cfdi) > MAX_PARSED_BYTES:
        return None
    try:
        return parser.parse(cfdi).root
    except ServiceError:
        return None


def _numbers_and_names(root: etree._Element) -> Iterator[str]:
    """Yield serie and folio, then the name of the receiver, which of a retención is below it, and of the issuer."""
    yield root.get("Serie") or ""
    yield root.get("Folio") or root.get("FolioInt") or ""
    yield from names_at(root, (*RECEIVERS, *ISSUERS))


def names_at(root: etree._Element, places: Iterable[str]) -> Iterator[str]:
    """Yield the names of the parties at some places, `RECEIVERS` or `ISSUERS`."""
    for place in places:
        element = root.find(place)
        yield from () if element is None else filter(None, map(element.get, NAMES))


def _descriptions(root: etree._Element) -> Iterator[str]:
    for number, concept in enumerate(root.iterfind("{*}Conceptos/{*}Concepto")):
        if number >= MAX_CONCEPTS:
            return
        yield concept.get("Descripcion") or concept.get("descripcion") or ""

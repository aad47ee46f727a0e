"""What a document mentions, read before its evaluation: the types of related CFDI, and rows of stored lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from lxml import etree

from timbra._native import ElementSearch
from timbra.cfdi.nodes import Comprobante, FiscalDocument
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.structure.check import iter_complements
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.pools import RunInThread
from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData

MOST_RELATED = 20_000
"""Largest number of distinct folios of one document that are looked up."""
TOO_MANY = f"CFDI relacionados (son más de {MOST_RELATED:,}; no se consultaron)"
_PARTIES = ElementSearch(("Emisor", "Receptor", "Conceptos/Concepto/ACuentaTerceros"), any_namespace=True)
_OF_RETENCIONES = ElementSearch(("Receptor/Nacional",), any_namespace=True)
_NAMES = (("Rfc", "Nombre"), ("RfcR", "NomDenRazSocR"), ("RfcACuentaTerceros", "NombreACuentaTerceros"))


def mentions_documents(root: etree._Element) -> bool:
    """Whether a document relates to others or has a key of confirmation, about which the database is read."""
    return root.get("Confirmacion") is not None or next(root.iterchildren("{*}CfdiRelacionados"), None) is not None


class Documents(Protocol):
    """A source of documents."""

    def types_of(self, folios: Collection[str], /) -> Mapping[str, str]:
        """Return the TipoDeComprobante of the documents that the source has, by folio in lower case."""
        ...


class KnownDocuments:
    """Documents that this server stamped, and documents of the authority.

    Args:
        stamps: the stamps of this server.
        filed: documents of the simulated authority; None where there is none.
    """

    def __init__(self, stamps: Documents, filed: Documents | None) -> None:
        self._stamps = stamps
        self._filed = filed

    def with_related(self, reference_data: ReferenceData, document: FiscalDocument) -> ReferenceData:
        """Return the reference data with the types of all CFDI that the document relates to; no rule of retenciones
        reads the types.

        Reads the database once for each source, and not at all for a document without relations. Beyond `MOST_RELATED`
        folios nothing is read, and the rules about them are not evaluated.
        """
        if not isinstance(document, Comprobante):
            return reference_data
        folios = (canonical_uuid(folio) for node in document.relacionados for folio in node.folios)
        requested = list(dict.fromkeys(folio for folio in folios if folio is not None))
        if not requested:
            return reference_data
        if len(requested) > MOST_RELATED:
            return replace(reference_data, related=InMemoryRelatedDocuments(), related_missing=TOO_MANY)
        return replace(reference_data, related=InMemoryRelatedDocuments(self.types_of(requested)))

    def types_of(self, folios: Collection[str]) -> Mapping[str, str]:
        """Return the types by folio from both sources, as `Documents.types_of`."""
        stamped = self._stamps.types_of(folios)
        others = [folio for folio in folios if folio not in stamped]
        return {**stamped, **self._filed.types_of(others)} if others and self._filed is not None else stamped


async def read_mentioned(root: etree._Element, reference_data: ReferenceData, run_in_thread: RunInThread) -> None:
    """Read the rows of stored lists that the evaluation of a document looks up, in a thread; nothing when it has them.

    Args:
        root: the document.
        reference_data: with which the document is evaluated.
    """
    stored = reference_data.stored
    if stored is None:
        return
    parties = [*_PARTIES.find(root), *_OF_RETENCIONES.find(root)]
    inside = [element for complement in iter_complements(root) for element in complement.iter(etree.Element)]
    rfcs, named = _rfcs_of([*parties, *inside]), _names_of(parties)
    if stored.needs_reading(rfcs, named):
        await run_in_thread(stored.gather, rfcs, named)


def _rfcs_of(elements: Iterable[etree._Element]) -> frozenset[str]:
    """Return the attribute values that have the form of an RFC."""
    return frozenset(filter(is_rfc, [str(value) for element in elements for value in element.values()]))


def _names_of(parties: Iterable[etree._Element]) -> list[tuple[str, str]]:
    """Return RFC and name of issuer, receiver and third parties, of those that have a name."""
    return [(party.get(rfc) or "", name) for party in parties for rfc, key in _NAMES if (name := party.get(key))]

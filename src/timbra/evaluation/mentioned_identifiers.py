"""The RFC and names that a document contains, whose rows of stored lists are read before the evaluation."""

from __future__ import annotations

from collections.abc import Iterable

from lxml import etree

from timbra._native import ElementSearch
from timbra.cfdi.rfc import is_rfc
from timbra.cfdi.structure.check import iter_complements
from timbra.pools import RunInThread
from timbra.rules.engine.ports import ReferenceData

_PARTIES = ElementSearch(("Emisor", "Receptor", "Conceptos/Concepto/ACuentaTerceros"), any_namespace=True)
_OF_RETENCIONES = ElementSearch(("Receptor/Nacional",), any_namespace=True)
_NAMES = (("Rfc", "Nombre"), ("RfcR", "NomDenRazSocR"), ("RfcACuentaTerceros", "NombreACuentaTerceros"))


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

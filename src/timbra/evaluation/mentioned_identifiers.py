"""The RFC and names that a document contains, whose rows of stored lists are read before the evaluation."""

from __future__ import annotations

from typing import cast

from lxml import etree

from timbra._native import ElementSearch
from timbra.cfdi.rfc import is_rfc
from timbra.pools import RunInThread
from timbra.rules.engine.ports import ReferenceData

_CANDIDATES = etree.XPath("//@*[string-length() = 12 or string-length() = 13]", smart_strings=False)
_PARTIES = ElementSearch(
    ("Emisor", "Receptor", "Receptor/Nacional", "Conceptos/Concepto/ACuentaTerceros"), any_namespace=True
)
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
    rfcs, parties = rfcs_in(root), _parties_in(root)
    if stored.is_missing_any(rfcs, parties):
        await run_in_thread(stored.gather, rfcs, parties)


def rfcs_in(root: etree._Element) -> frozenset[str]:
    """Return the attribute values that have the form of an RFC."""
    values = cast("list[str]", _CANDIDATES(root))
    return frozenset([value for value in values if is_rfc(value)])


def _parties_in(root: etree._Element) -> list[tuple[str, str]]:
    """Return RFC and name of issuer, receiver and third parties, of those that have a name."""
    parties = _PARTIES.find(root)
    return [(party.get(rfc) or "", name) for party in parties for rfc, key in _NAMES if (name := party.get(key))]

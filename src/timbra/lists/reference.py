"""The reference data of production and of programs: the SAT's catalogs and the lists in force."""

from __future__ import annotations

from datetime import date, datetime

from timbra.lists.published import ListSnapshot
from timbra.lists.sources.part_names import ListKind
from timbra.rules.engine.ports import CFDI140228_SINCE, Catalogs, InMemoryRelatedDocuments, ReferenceData, dated_lists


def published_reference_data(
    lists: ListSnapshot, catalogs: Catalogs, now: datetime, cfdi140228_since: date = CFDI140228_SINCE
) -> ReferenceData:
    """Return the data that one request is evaluated against; for the last argument see `ReferenceData`.

    Args:
        lists: the lists in force; rules that need an absent one are not evaluated.
        now: fiscal instant of the request, UTC.
    """
    return ReferenceData(
        now=now,
        catalogs=catalogs,
        taxpayers=lists.taxpayers,
        obligations=lists.obligations,
        names=lists.names,
        marks=lists.marks,
        coordinated=lists.coordinated,
        exchange_rates=lists.rates,
        permits=lists.permits,
        presumed=lists.presumptions,
        lists_version=lists.version,
        related=InMemoryRelatedDocuments(),
        dated=dated_lists(lists.begun(ListKind.LRFC), lists.begun(ListKind.LCO)),
        cfdi140228_since=cfdi140228_since,
    )

"""What the simulated authority knows of one CFDI, and what happened to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from timbra.authority.sandbox.cancellation import cancelable
from timbra.authority.sandbox.filing import children, parents
from timbra.cfdi.folio import canonical_uuid
from timbra.errors import ServiceError
from timbra.portal.invoice import HistoryLine, line_of
from timbra.portal.page import Access, Page
from timbra.portal.visit import Visit

if TYPE_CHECKING:
    from timbra.wiring import House

PLACE = "/portal/ambiente/cfdi"
ORIGINS = {"delivered": "timbrado aquí", "imported": "importado"}


@dataclass(frozen=True, slots=True)
class Filed:
    """row: of `sandbox_document`. named, naming: folios of the CFDI that it names, and of those that name it."""

    row: Any
    origin: str
    cancelable: str
    named: Sequence[str]
    naming: Sequence[str]
    history: Sequence[HistoryLine]


async def show(visit: Visit) -> Response:
    wanted = visit.query("folio")
    values: dict[str, object] = {"wanted": wanted, "filed": None}
    if not wanted:
        return visit.show("sandbox/ledger.html", values)
    try:
        values["filed"] = await asyncio.to_thread(filed, visit.house, wanted)
    except ServiceError as error:
        return visit.show_error("sandbox/ledger.html", error, values)
    return visit.show("sandbox/ledger.html", values)


def filed(house: House, folio: str) -> Filed:
    """A CFDI on file as it is at this fiscal instant. ServiceError("document-unknown").

    Faults on demand are for clients: this look takes none.
    """
    ledger, uuid = house.ledger, canonical_uuid(folio)
    now = ledger.bring_up()
    row = None if uuid is None else ledger.filing.known(uuid)
    if row is None:
        raise ServiceError("document-unknown", "La autoridad simulada no tiene ese CFDI.")
    with house.database.read() as connection:
        return Filed(
            row=row,
            origin=ORIGINS[row.origin],
            cancelable=cancelable(ledger.case(connection, row, now)),
            named=[other.uuid for other in parents(connection, row.uuid)],
            naming=[other.uuid for other in children(connection, row.uuid)],
            history=[line_of(event) for event in ledger.proceedings.history(row.uuid)],
        )


PAGES = (Page("GET", PLACE, show, Access.SANDBOX),)

"""Client of the SAT's page for retenciones, whose HTML has the fiscal status: there is no web service for it.

The page has labels (`th`) and values (`td`) in the element `tbl_resultado`, or an element of the class `noresultados`.
Public programs read it in the same way.
"""

from __future__ import annotations

from urllib.parse import urlencode

from lxml import etree

from timbra.core.retry import RetryPolicy
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import FOUND, MISSING, FiscalStatus, StatusQuery
from timbra.sat.status import MAX_VALUE_LENGTH, StatusClient
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import SUCCESS, Transport, down

MAX_PAGE_BYTES = 256 * 1024
STATUS_LABEL = "Estado CFDI Retención"


class SatRetencionesStatus(StatusClient):
    """The status of retenciones from the SAT's page.

    Args:
        url: address of the page.
        transport: sends the queries.
        cache, breaker, retry: as `StatusClient`.
    """

    def __init__(
        self, url: str, transport: Transport, cache: StatusCache, breaker: CircuitBreaker, retry: RetryPolicy
    ) -> None:
        super().__init__(cache, breaker, retry)
        self._url = url
        self._transport = transport

    def _request(self, query: StatusQuery, seconds: float) -> FiscalStatus:
        names = {"folio": query.uuid, "rfcEmisor": query.issuer_rfc, "rfcReceptor": query.receiver_rfc}
        response = self._transport.exchange(
            "GET", f"{self._url}?{urlencode(names)}", seconds=seconds, max_bytes=MAX_PAGE_BYTES
        )
        if response.status != SUCCESS:
            raise down(f"Respondió con el estado HTTP {response.status}.")
        return read_page(response.body)


def read_page(html: bytes) -> FiscalStatus:
    """Read the status in the page.

    Raises:
        ServiceError: "authority-down" for a page that has neither a status nor the class of an unknown retención.
    """
    try:
        # A parser of its own: libxml2 parsers are not shared between threads.
        root = etree.fromstring(html, etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False))
    except (etree.XMLSyntaxError, ValueError) as cause:
        raise down("La página no es HTML que se pueda leer.") from cause
    if root is None:
        raise down("La página está vacía.")
    if any("noresultados" in (node.get("class") or "").split() for node in root.iter(etree.Element)):
        return MISSING
    table, efos_node = root.find(".//*[@id='tbl_resultado']"), root.find(".//*[@id='efosEstatus']")
    values = {} if table is None else dict(zip(_texts(table, "th"), _texts(table, "td"), strict=False))
    status, efos = values.get(STATUS_LABEL, ""), "" if efos_node is None else efos_node.get("value") or ""
    if not status or len(status) > MAX_VALUE_LENGTH or len(efos) > MAX_VALUE_LENGTH:
        raise down("La página no trae el estado de la retención.")
    return FiscalStatus(status, FOUND, None, "", efos)


def _texts(table: etree._Element, name: str) -> list[str]:
    return [" ".join("".join(map(str, cell.itertext())).split()) for cell in table.iter(name)]

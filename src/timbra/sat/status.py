"""Clients of the SAT's services for the fiscal status: ConsultaCFDIService for CFDI, a page for retenciones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from xml.sax.saxutils import escape

from lxml import etree

from timbra.cfdi.qr import printed_total
from timbra.core import money
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import FiscalStatus, StatusQuery, StatusService
from timbra.sat.soap import SoapService
from timbra.sat.status_cache import StatusCache
from timbra.sat.transport import down

SERVICE = "http://tempuri.org/"
ACTION = "http://tempuri.org/IConsultaCFDIService/Consulta"
MAX_VALUE_LENGTH = 200


def printed_expression(query: StatusQuery) -> str:
    """Return `?re=...&rr=...&tt=...&id=...&fe=...`, both RFC escaped as in XML, the total without superfluous zeros.

    A total that is not a number is passed as written; the service rejects it.
    """
    total = money.parse(query.total)
    return (
        f"?re={escape(query.issuer_rfc)}&rr={escape(query.receiver_rfc)}"
        f"&tt={query.total if total is None else printed_total(total)}&id={query.uuid}&fe={query.seal_tail}"
    )


class StatusClient(ABC):
    """A `StatusService` over a service of the SAT; one instance per process, with circuit breaker and cache."""

    def __init__(self, cache: StatusCache, breaker: CircuitBreaker, retry: RetryPolicy) -> None:
        self._cache = cache
        self._breaker = breaker
        self._retry = retry

    def status(self, query: StatusQuery) -> FiscalStatus:
        """Return the SAT's status.

        Raises:
            ServiceError: "authority-down"; its detail has the last status of the CFDI and its age.
        """
        if not self._breaker.allow():
            raise down(f"Sus últimas consultas fallaron y no se repite todavía. {self._cache.describe(query)}")
        try:
            status = self._retry.call(lambda seconds: self._request(query, seconds))
        except ServiceError as failure:
            self._breaker.record_failure()
            raise down(f"{failure.detail} {self._cache.describe(query)}") from failure
        self._breaker.record_success()
        self._cache.put(query, status)
        return status

    @abstractmethod
    def _request(self, query: StatusQuery, seconds: float) -> FiscalStatus:
        """Query the service once, with this timeout; ServiceError("authority-down") without a status."""


class SatStatus(StatusClient):
    """The status of CFDI from the SAT's ConsultaCFDI."""

    def __init__(self, service: SoapService, cache: StatusCache, breaker: CircuitBreaker, retry: RetryPolicy) -> None:
        super().__init__(cache, breaker, retry)
        self._service = service

    def _request(self, query: StatusQuery, seconds: float) -> FiscalStatus:
        expression = escape(printed_expression(query))
        request = f'<Consulta xmlns="{SERVICE}"><expresionImpresa>{expression}</expresionImpresa></Consulta>'
        return read_status(self._service.call(ACTION, request, seconds))


@dataclass(frozen=True, slots=True)
class StatusByKind:
    """A `StatusService` that queries the service of the document's kind.

    Attributes:
        cfdi: Answers about CFDI.
        retenciones: Answers about retenciones; None when no address is configured.
    """

    cfdi: StatusService
    retenciones: StatusService | None

    def status(self, query: StatusQuery) -> FiscalStatus:
        """Return the SAT's status. ServiceError as the service of the kind; "authority-down" without one."""
        service = self.retenciones if query.is_retencion else self.cfdi
        if service is None:
            raise ServiceError("authority-down", "No está configurada la dirección de la página de retenciones.")
        return service.status(query)


def read_status(response: etree._Element) -> FiscalStatus:
    """Read the status in a ConsultaResponse.

    Raises:
        ServiceError: "authority-down" for another element, or one without CodigoEstatus or Estado.
    """
    result = response.find(f"{{{SERVICE}}}ConsultaResult")
    if response.tag != f"{{{SERVICE}}}ConsultaResponse" or result is None:
        raise down("La respuesta no es de ConsultaCFDI.")
    words = {etree.QName(word).localname: (word.text or "").strip() for word in result.iterchildren(etree.Element)}
    code, status = words.get("CodigoEstatus", ""), words.get("Estado", "")
    if not code or not status or any(len(word) > MAX_VALUE_LENGTH for word in words.values()):
        raise down("La respuesta de ConsultaCFDI no trae CodigoEstatus y Estado.")
    return FiscalStatus(
        status=status,
        code=code,
        cancelable=words.get("EsCancelable") or None,
        cancellation=words.get("EstatusCancelacion", ""),
        efos=words.get("ValidacionEFOS", ""),
    )

"""Client of the SAT's ConsultaCFDIService, which returns the fiscal status of a CFDI."""

from __future__ import annotations

from xml.sax.saxutils import escape

from lxml import etree

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sat.circuit_breaker import CircuitBreaker
from timbra.authority.sat.expression import printed_expression
from timbra.authority.sat.retry import RetryPolicy
from timbra.authority.sat.soap import SoapService
from timbra.authority.sat.status_cache import StatusCache
from timbra.authority.sat.transport import down
from timbra.errors import ServiceError

SERVICE = "http://tempuri.org/"
ACTION = "http://tempuri.org/IConsultaCFDIService/Consulta"
MAX_VALUE_LENGTH = 200


class SatStatus:
    """A `StatusService` over the SAT's ConsultaCFDI; one instance per process, with circuit breaker and cache."""

    def __init__(self, service: SoapService, cache: StatusCache, breaker: CircuitBreaker, retry: RetryPolicy) -> None:
        self._service = service
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

    def _request(self, query: StatusQuery, seconds: float) -> FiscalStatus:
        expression = escape(printed_expression(query))
        request = f'<Consulta xmlns="{SERVICE}"><expresionImpresa>{expression}</expresionImpresa></Consulta>'
        return read_status(self._service.call(ACTION, request, seconds))


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

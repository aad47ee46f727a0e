"""The status of a CFDI as the SAT's ConsultaCFDIService tells it."""

from __future__ import annotations

from xml.sax.saxutils import escape

from lxml import etree

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sat.answers import LastAnswers
from timbra.authority.sat.breaker import Breaker
from timbra.authority.sat.expression import printed_expression
from timbra.authority.sat.patience import Patience
from timbra.authority.sat.soap import SoapService
from timbra.authority.sat.transport import down
from timbra.errors import ServiceError

SERVICE = "http://tempuri.org/"
ACTION = "http://tempuri.org/IConsultaCFDIService/Consulta"
LONGEST_WORD = 200


class SatStatus:
    """A `StatusService`. One per process: it remembers failures and answers."""

    def __init__(self, service: SoapService, answers: LastAnswers, breaker: Breaker, patience: Patience) -> None:
        self._service = service
        self._answers = answers
        self._breaker = breaker
        self._patience = patience

    def status(self, query: StatusQuery) -> FiscalStatus:
        """What the SAT answers. ServiceError("authority-down"), whose detail tells the last good answer and its age."""
        if not self._breaker.admits():
            raise down(f"Sus últimas consultas fallaron y no se repite todavía. {self._answers.told(query)}")
        try:
            status = self._patience.ask(lambda seconds: self._asked(query, seconds))
        except ServiceError as failure:
            self._breaker.failed()
            raise down(f"{failure.detail} {self._answers.told(query)}") from failure
        self._breaker.succeeded()
        self._answers.keep(query, status)
        return status

    def _asked(self, query: StatusQuery, seconds: float) -> FiscalStatus:
        expression = escape(printed_expression(query))
        request = f'<Consulta xmlns="{SERVICE}"><expresionImpresa>{expression}</expresionImpresa></Consulta>'
        return read_status(self._service.call(ACTION, request, seconds))


def read_status(response: etree._Element) -> FiscalStatus:
    """The answer inside a ConsultaResponse. ServiceError("authority-down") when it lacks CodigoEstatus or Estado."""
    result = response.find(f"{{{SERVICE}}}ConsultaResult")
    if response.tag != f"{{{SERVICE}}}ConsultaResponse" or result is None:
        raise down("La respuesta no es de ConsultaCFDI.")
    words = {etree.QName(word).localname: (word.text or "").strip() for word in result.iterchildren(etree.Element)}
    code, status = words.get("CodigoEstatus", ""), words.get("Estado", "")
    if not code or not status or any(len(word) > LONGEST_WORD for word in words.values()):
        raise down("La respuesta de ConsultaCFDI no trae CodigoEstatus y Estado.")
    return FiscalStatus(
        status=status,
        code=code,
        cancelable=words.get("EsCancelable") or None,
        cancellation=words.get("EstatusCancelacion", ""),
        efos=words.get("ValidacionEFOS", ""),
    )

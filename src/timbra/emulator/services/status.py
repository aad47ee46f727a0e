"""ConsultaCFDIService: the public query of the fiscal status of a CFDI, without a token.

Source: measurements of the SAT's service. A query without `tt` or `id` is answered with 601; a query whose values match
no CFDI, or are malformed, with 602.
"""

from __future__ import annotations

import re
from html import unescape
from xml.sax.saxutils import escape

from timbra.core.errors import ServiceError
from timbra.core.soap import envelope
from timbra.emulator.simulated_sat import SimulatedSat
from timbra.emulator.soap import SoapEndpoint, SoapFault, SoapOperation, SoapRequest
from timbra.sat.port import FiscalStatus, StatusQuery

NAMESPACE = "http://tempuri.org/"
ACTION = "http://tempuri.org/IConsultaCFDIService/Consulta"
CONTRACT = "http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio"
_SEPARATOR = re.compile(r"&(?!amp;)")
_NIL = ' i:nil="true" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'


class StatusQueries:
    """The service over the ledger."""

    def __init__(self, sat: SimulatedSat) -> None:
        self._sat = sat

    def endpoint(self) -> SoapEndpoint:
        return SoapEndpoint(SoapOperation(ACTION, f"{{{NAMESPACE}}}Consulta", self._query))

    def status(self, expression: str) -> FiscalStatus:
        """Return the status that a printed expression asks for.

        Raises:
            SoapFault: The simulated SAT does not respond.
        """
        values = parse_expression(expression)
        uuid, issuer, receiver, total, tail = (values.get(name, "") for name in ("id", "re", "rr", "tt", "fe"))
        query = StatusQuery(uuid, issuer, receiver, total, tail)
        try:
            return self._sat.ledger.status(query)
        except ServiceError as error:
            raise SoapFault("InternalServiceFault", error.detail or error.code) from error

    def _query(self, request: SoapRequest) -> bytes:
        found = self.status(request.body.findtext(f"{{{NAMESPACE}}}expresionImpresa") or "")
        members = (
            ("CodigoEstatus", found.code),
            ("EsCancelable", found.cancelable or ""),
            ("Estado", found.status),
            ("EstatusCancelacion", found.cancellation),
            ("ValidacionEFOS", found.efos),
        )
        content = "".join(
            f"<a:{name}>{escape(text)}</a:{name}>" if text else f"<a:{name}{_NIL}/>" for name, text in members
        )
        return envelope(
            f'<ConsultaResponse xmlns="{NAMESPACE}"><ConsultaResult xmlns:a="{CONTRACT}">{content}</ConsultaResult>'
            "</ConsultaResponse>"
        )


def parse_expression(text: str) -> dict[str, str]:
    """Return the values of a printed expression by name; the first one of a name counts.

    The order of the values is free, and the question mark is optional. An ampersand inside a value is written as in
    XML.
    """
    values: dict[str, str] = {}
    for pair in _SEPARATOR.split(text.strip().removeprefix("?")):
        name, _, value = pair.partition("=")
        values.setdefault(name.strip().lower(), unescape(value).strip())
    return values

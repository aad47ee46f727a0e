"""SOAP 1.1 by hand, as far as the SAT's one-operation services need it."""

from __future__ import annotations

from lxml import etree

from timbra.authority.sat.transport import SUCCESS, Transport, down
from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.errors import ServiceError

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
LARGEST_ANSWER = 64 * 1024
LIMITS = ParserLimits(max_bytes=LARGEST_ANSWER, max_depth=20, max_attributes=20)


class SoapService:
    """One service at one address."""

    def __init__(self, url: str, transport: Transport, limits: ParserLimits = LIMITS) -> None:
        self._url = url
        self._transport = transport
        self._largest = limits.max_bytes
        self._parser = DocumentParser(limits)

    def call(self, action: str, request: str, seconds: float, authorization: str = "") -> etree._Element:
        """The element inside the Body of the answer. request: the XML of the one inside the Body of the question.

        authorization: the header of that name, none when empty.

        ServiceError("authority-down") for everything that is no such answer: a fault, another status, no XML.
        """
        question = f'<s:Envelope xmlns:s="{ENVELOPE}"><s:Body>{request}</s:Body></s:Envelope>'
        headers = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": f'"{action}"'}
        if authorization:
            headers["Authorization"] = authorization
        answer = self._transport.exchange(
            "POST", self._url, seconds=seconds, largest=self._largest, content=question.encode(), headers=headers
        )
        if answer.status != SUCCESS:
            raise down(f"Respondió con el estado HTTP {answer.status}.")
        return self._content(answer.body)

    def _content(self, body: bytes) -> etree._Element:
        try:
            envelope = self._parser.parse(body.lstrip()).root
        except ServiceError as cause:
            raise down("La respuesta no es XML que se pueda leer.") from cause
        content = envelope.find(f"{{{ENVELOPE}}}Body/*")
        if envelope.tag != f"{{{ENVELOPE}}}Envelope" or content is None:
            raise down("La respuesta no es un sobre SOAP.")
        if content.tag == f"{{{ENVELOPE}}}Fault":
            raise down("Respondió con una falla SOAP.")
        return content

"""A minimal client of SOAP 1.1, for the SAT's services."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.core.errors import ServiceError
from timbra.core.soap import CONTENT_TYPE, ENVELOPE, contents, envelope
from timbra.sat.transport import SUCCESS, Transport, down

MAX_RESPONSE_BYTES = 64 * 1024
MAX_FAULT_TEXT = 300
LIMITS = ParserLimits(max_bytes=MAX_RESPONSE_BYTES, max_depth=20, max_attributes=20)


SECURITY_FAULTS = frozenset({"FailedAuthentication", "InvalidSecurity", "InvalidSecurityToken", "FailedCheck"})
"""Codes of faults with which a service rejects a token or a signed login.

Source: OASIS Web Services Security 1.1, section 12.
"""


@dataclass(frozen=True, slots=True)
class FaultDetail:
    """A fault of a service, in `ServiceError.data`.

    Attributes:
        code: faultcode, without its prefix.
        text: faultstring.
    """

    code: str
    text: str


def is_security_fault(error: ServiceError) -> bool:
    """Whether a service rejected the token of a call."""
    return isinstance(error.data, FaultDetail) and error.data.code in SECURITY_FAULTS


class SoapService:
    """The service at one address."""

    def __init__(self, url: str, transport: Transport, limits: ParserLimits = LIMITS) -> None:
        self._url = url
        self._transport = transport
        self._max_bytes = limits.max_bytes
        self._parser = DocumentParser(limits)

    def call(
        self, action: str, request: str, seconds: float, authorization: str = "", header: str = ""
    ) -> etree._Element:
        """Call an operation.

        Args:
            action: The value of the header SOAPAction.
            request: The XML of the element inside the Body of the request.
            seconds: The timeout.
            authorization: The value of the header Authorization; empty for none.
            header: The XML of the element inside the Header of the request; empty for none.

        Returns:
            The element inside the Body of the response.

        Raises:
            ServiceError: "authority-down" for any other response: a fault, another HTTP status, no XML.
        """
        headers = {"Content-Type": CONTENT_TYPE, "SOAPAction": f'"{action}"'}
        if authorization:
            headers["Authorization"] = authorization
        response = self._transport.exchange(
            "POST",
            self._url,
            seconds=seconds,
            max_bytes=self._max_bytes,
            content=envelope(request, header),
            headers=headers,
        )
        if response.status != SUCCESS:
            fault = self._fault(response.body)
            text = f" {fault.text}" if fault.text else ""
            raise down(f"Respondió con el estado HTTP {response.status}.{text}", fault)
        return self._content(response.body)

    def _fault(self, body: bytes) -> FaultDetail:
        """Return the fault of a response; empty texts for another response."""
        try:
            root = self._parser.parse(body.lstrip()).root
        except ServiceError:
            return FaultDetail("", "")
        code, text = ((root.findtext(f".//{name}") or "").strip() for name in ("faultcode", "faultstring"))
        return FaultDetail(code.rpartition(":")[2][:MAX_FAULT_TEXT], text[:MAX_FAULT_TEXT])

    def _content(self, body: bytes) -> etree._Element:
        try:
            root = self._parser.parse(body.lstrip()).root
        except ServiceError as cause:
            raise down("La respuesta no es XML que se pueda leer.") from cause
        content = next(iter(contents(root)), None)
        if content is None:
            raise down("La respuesta no es un sobre SOAP.")
        if content.tag == f"{{{ENVELOPE}}}Fault":
            raise down("Respondió con una falla SOAP.")
        return content

"""The server side of SOAP 1.1, as WCF services speak it: envelopes, actions and faults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.core.errors import ServiceError
from timbra.core.soap import ENVELOPE, contents, fault
from timbra.emulator.faults import NO_FAULTS, ScriptedFaults

ADDRESSING = "http://schemas.microsoft.com/ws/2005/05/addressing/none"
DISPATCHER = "http://schemas.microsoft.com/net/2005/12/windowscommunicationfoundation/dispatcher"
MAX_REQUEST_BYTES = 4 * 1024 * 1024
MAX_NAMESPACES = 64
_PARSER_LIMITS = ParserLimits(MAX_REQUEST_BYTES, max_depth=32, max_attributes=32)
_ADDRESSING_HEADERS = (f"{{{ADDRESSING}}}To", f"{{{ADDRESSING}}}Action")
_UNKNOWN_ACTION = (
    "The message with Action '{action}' cannot be processed at the receiver, due to a ContractFilter mismatch at the "
    "EndpointDispatcher. This may be because of either a contract mismatch (mismatched Actions between sender and "
    "receiver) or a binding/security mismatch between the sender and the receiver.  Check that sender and receiver "
    "have the same contract and the same binding (including security requirements, e.g. Message, Transport, None)."
)
_TRUE = frozenset({"1", "true"})


class SoapFault(Exception):  # noqa: N818 - SOAP's own term
    """A SOAP fault, which the service returns with HTTP status 500."""

    def __init__(self, code: str, text: str, namespace: str = "", *, language: str = "es-MX") -> None:
        """Create a fault.

        Args:
            code: The local name of the faultcode.
            text: The faultstring.
            namespace: The namespace of the faultcode; that of the envelope when empty.
            language: The language of the faultstring.
        """
        super().__init__(text)
        self.code = code
        self.text = text
        self.namespace = namespace
        self.language = language

    def to_xml(self) -> bytes:
        """Serialize the envelope with the fault."""
        return fault(self.code, self.text, namespace=self.namespace, language=self.language)


@dataclass(frozen=True, slots=True)
class SoapRequest:
    """A SOAP message.

    Attributes:
        root: The envelope.
        body: The element inside the Body.
        authorization: The HTTP header Authorization; empty without one.
        faults: The scripted faults of this request.
        message: The envelope, as received.
    """

    root: etree._Element
    body: etree._Element
    authorization: str = field(repr=False)
    faults: ScriptedFaults = NO_FAULTS
    message: bytes = field(default=b"", repr=False)

    def headers(self, tag: str) -> list[etree._Element]:
        """Return the header elements with a qualified name."""
        return self.root.findall(f"{{{ENVELOPE}}}Header/{tag}")


@dataclass(frozen=True, slots=True)
class SoapStream:
    """A response that is made while it is sent.

    Attributes:
        pieces: Returns the parts of the envelope.
        size: The bytes of all of them.
    """

    pieces: Callable[[], Iterator[bytes]]
    size: int


@dataclass(frozen=True, slots=True)
class SoapOperation:
    """An operation of a service.

    Attributes:
        action: The value of the HTTP header SOAPAction.
        element: The qualified name of the element inside the Body.
        handle: Returns the response, or raises SoapFault.
        understood: The qualified names of the headers that the operation understands.
    """

    action: str
    element: str
    handle: Callable[[SoapRequest], bytes | SoapStream]
    understood: Collection[str] = ()


class SoapEndpoint:
    """The operations at one address."""

    def __init__(self, *operations: SoapOperation, is_wcf: bool = False) -> None:
        """Serve operations.

        Args:
            operations: The operations.
            is_wcf: Whether unknown actions are answered with WCF's own text, and headers of addressing are understood.
        """
        self._operations = operations
        self._is_wcf = is_wcf
        self._parser = DocumentParser(_PARSER_LIMITS)

    def respond(
        self, headers: Mapping[str, str], body: bytes, faults: ScriptedFaults = NO_FAULTS
    ) -> bytes | SoapStream:
        """Return the response to an HTTP request.

        Args:
            headers: The HTTP headers, names in lower case.
            faults: The scripted faults of this request.

        Raises:
            SoapFault: For any request that is not answered otherwise.
        """
        root, content = self._read(body)
        action = headers.get("soapaction", "").strip().strip('"')
        operation = next((known for known in self._operations if known.action == action), None)
        if operation is None:
            raise self._unknown_action(action)
        if content.tag != operation.element:
            expected = etree.QName(operation.element)
            raise SoapFault("Client", f"Body debe llevar {expected.localname} de {expected.namespace}.")
        _require_understood(root, {*operation.understood, *(_ADDRESSING_HEADERS if self._is_wcf else ())})
        return operation.handle(SoapRequest(root, content, headers.get("authorization", ""), faults, body))

    def _unknown_action(self, action: str) -> SoapFault:
        if not self._is_wcf:
            return SoapFault("ActionNotSupported", f"La acción {action!r} no es de este servicio.", ADDRESSING)
        return SoapFault("ActionNotSupported", _UNKNOWN_ACTION.format(action=action), ADDRESSING, language="en-US")

    def _read(self, body: bytes) -> tuple[etree._Element, etree._Element]:
        if body.count(b"xmlns") > MAX_NAMESPACES:
            raise SoapFault("Client", f"El mensaje declara más de {MAX_NAMESPACES} espacios de nombres.")
        try:
            root = self._parser.parse(body.lstrip()).root
        except ServiceError as cause:
            raise SoapFault("Client", cause.detail or cause.code) from cause
        found = contents(root)
        if len(found) != 1:
            raise SoapFault("Client", "El mensaje debe ser un sobre SOAP 1.1 con un Body de un elemento.")
        return root, found[0]


def _require_understood(root: etree._Element, understood: Collection[str]) -> None:
    for element in root.iterfind(f"{{{ENVELOPE}}}Header/*"):
        if element.get(f"{{{ENVELOPE}}}mustUnderstand") in _TRUE and element.tag not in understood:
            raise SoapFault("MustUnderstand", f"El encabezado {etree.QName(element).localname} no se entiende aquí.")

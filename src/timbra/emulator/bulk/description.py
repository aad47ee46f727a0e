"""The WSDL of the services of the bulk download, for clients that read it before they call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from timbra.emulator.bulk.contract import (
    AUTHENTICATION_ACTION,
    AUTHENTICATION_NAMESPACE,
    AUTHENTICATION_PATH,
    DOWNLOAD,
    DOWNLOAD_ACTION,
    DOWNLOAD_PATH,
    NAMESPACE,
    REQUEST_PATH,
    VERIFICATION,
    VERIFICATION_ACTION,
    VERIFICATION_PATH,
    RequestOperation,
)

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>'
_SIGNED = '<xs:any namespace="##other" processContents="skip" minOccurs="0"/>'
_RECEIVERS = (
    '<xs:element name="RfcReceptores" minOccurs="0"><xs:complexType><xs:sequence><xs:element name="RfcReceptor" '
    'type="xs:string" minOccurs="0" maxOccurs="5"/></xs:sequence></xs:complexType></xs:element>'
)
_PACKAGES = '<xs:element name="IdsPaquetes" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>'
_PERIOD = ("FechaInicial", "FechaFinal", "RfcEmisor", "RfcReceptor", "RfcSolicitante", "TipoSolicitud")
_FILTERS = ("TipoComprobante", "EstadoComprobante", "RfcACuentaTerceros", "Complemento")
_ANSWER = ("IdSolicitud", "RfcSolicitante", "CodEstatus", "Mensaje")
_PROGRESS = ("CodEstatus", "EstadoSolicitud", "CodigoEstadoSolicitud", "NumeroCFDIs", "Mensaje")


@dataclass(frozen=True, slots=True)
class _Operation:
    """An operation: its name and action, the elements of both messages, and their declarations."""

    name: str
    action: str
    request: str
    response: str
    declarations: str


def description(path: str, address: str) -> bytes:
    """Return the WSDL of a service. `path`: One of `PATHS`. `address`: URL of the service."""
    name = path.rpartition("/")[2].removesuffix(".svc")
    namespace = AUTHENTICATION_NAMESPACE if path == AUTHENTICATION_PATH else NAMESPACE
    operations = [*_operations(path)]
    messages = "".join(
        f'<wsdl:message name="{each.name}{way}"><wsdl:part name="parameters" element="t:{element}"/></wsdl:message>'
        for each in operations
        for way, element in (("In", each.request), ("Out", each.response))
    )
    port = "".join(
        f'<wsdl:operation name="{each.name}"><wsdl:input message="t:{each.name}In"/>'
        f'<wsdl:output message="t:{each.name}Out"/></wsdl:operation>'
        for each in operations
    )
    bound = "".join(
        f'<wsdl:operation name="{each.name}"><soap:operation soapAction="{each.action}" style="document"/>'
        '<wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>'
        "</wsdl:operation>"
        for each in operations
    )
    types = "".join(each.declarations for each in operations)
    text = (
        f'{DECLARATION}<wsdl:definitions name="{name}" targetNamespace="{namespace}" xmlns:t="{namespace}" '
        'xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" '
        f'xmlns:xs="http://www.w3.org/2001/XMLSchema"><wsdl:types><xs:schema elementFormDefault="qualified" '
        f'targetNamespace="{namespace}">{types}</xs:schema></wsdl:types>{messages}'
        f'<wsdl:portType name="I{name}">{port}</wsdl:portType><wsdl:binding name="Soap11" type="t:I{name}">'
        f'<soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>{bound}</wsdl:binding>'
        f'<wsdl:service name="{name}"><wsdl:port name="Soap11" binding="t:Soap11"><soap:address '
        f"location={quoteattr(address)}/></wsdl:port></wsdl:service></wsdl:definitions>"
    )
    return text.encode()


def _operations(path: str) -> Iterator[_Operation]:
    if path == AUTHENTICATION_PATH:
        result = '<xs:element name="AutenticaResult" type="xs:string" minOccurs="0"/>'
        types = _element("Autentica") + _element("AutenticaResponse", result)
        yield _Operation("Autentica", AUTHENTICATION_ACTION, "Autentica", "AutenticaResponse", types)
    elif path == REQUEST_PATH:
        for operation in RequestOperation:
            of_period = (
                (*_PERIOD, *_FILTERS) if operation is not RequestOperation.FOLIO else ("Folio", "RfcSolicitante")
            )
            children = _RECEIVERS if operation is RequestOperation.ISSUED else ""
            request = _inner("solicitud", of_period, children + _SIGNED)
            yield _answered(operation, operation.action, request, _ANSWER)
    elif path == VERIFICATION_PATH:
        request = _inner("solicitud", ("IdSolicitud", "RfcSolicitante"), _SIGNED)
        yield _answered(VERIFICATION, VERIFICATION_ACTION, request, _PROGRESS, _PACKAGES)
    elif path == DOWNLOAD_PATH:
        request = _inner("peticionDescarga", ("IdPaquete", "RfcSolicitante"), _SIGNED)
        response = "RespuestaDescargaMasivaTercerosSalida"
        package = '<xs:element name="Paquete" type="xs:base64Binary" minOccurs="0"/>'
        types = _element(DOWNLOAD, request) + _element(response, package)
        yield _Operation("Descargar", DOWNLOAD_ACTION, DOWNLOAD, response, types)


def _answered(name: str, action: str, request: str, attributes: Sequence[str], children: str = "") -> _Operation:
    """Return an operation whose answer has an element with attributes."""
    types = _element(name, request) + _element(f"{name}Response", _inner(f"{name}Result", attributes, children))
    return _Operation(name, action, name, f"{name}Response", types)


def _element(name: str, children: str = "") -> str:
    return (
        f'<xs:element name="{name}"><xs:complexType><xs:sequence>{children}</xs:sequence></xs:complexType></xs:element>'
    )


def _inner(name: str, attributes: Sequence[str], children: str) -> str:
    declared = "".join(f'<xs:attribute name="{each}" type="xs:string"/>' for each in attributes)
    return (
        f'<xs:element name="{name}" minOccurs="0"><xs:complexType><xs:sequence>{children}</xs:sequence>{declared}'
        "</xs:complexType></xs:element>"
    )

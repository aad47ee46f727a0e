"""The SOAP service ConsultaCFDIService of the simulated authority: SOAP 1.1, one operation.

A request is `Consulta` with an `expresionImpresa`: `?re=EMISOR&rr=RECEPTOR&tt=TOTAL&id=UUID&fe=END-OF-SEAL`. Clients
write it escaped once, twice, or as CDATA; RFCs may be escaped once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr, unescape

from lxml import etree

from timbra.cfdi.document import DocumentParser, ParserLimits
from timbra.core.errors import ServiceError
from timbra.core.soap import contents, envelope, fault
from timbra.rules.reference.messages import sentence
from timbra.sandbox.authority.ledger.ledger import INVALID_EXPRESSION
from timbra.sat.port import FiscalStatus, StatusQuery

SERVICE = "http://tempuri.org/"
ANSWER = "http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio"
LARGEST_QUESTION = 64 * 1024
LONGEST_EXPRESSION = 400
_PARSER = DocumentParser(ParserLimits(max_bytes=LARGEST_QUESTION, max_depth=20, max_attributes=20))
_SEPARATOR = re.compile(r"[?&](?:amp;)?(re|rr|tt|id|fe)=", re.IGNORECASE)
_QUOTES = {"&quot;": '"', "&apos;": "'"}


@dataclass(frozen=True, slots=True)
class SoapAnswer:
    """A SOAP response.

    Attributes:
        xml: the envelope.
        is_fault: whether the HTTP status must be an error too.
    """

    xml: bytes
    is_fault: bool = False


def answer_to(question: bytes, status: Callable[[StatusQuery], FiscalStatus]) -> SoapAnswer:
    """Answer a request.

    Args:
        question: body of the HTTP request.
        status: returns the status of a CFDI.

    Returns:
        The answer; a fault for a body that is not a valid request, and when `status` raises "authority-down".
    """
    try:
        expression = _expression(question)
    except ServiceError:
        return SoapAnswer(
            fault("Client", "La petición no es un sobre SOAP 1.1 con la operación Consulta."), is_fault=True
        )
    query = read_expression(expression)
    try:
        return _answer(INVALID_EXPRESSION if query is None else status(query))
    except ServiceError as error:
        if error.code != "authority-down":
            raise
        return SoapAnswer(fault("Server", sentence(error.code)), is_fault=True)


def read_expression(expression: str) -> StatusQuery | None:
    """Parse a printed expression. `fe` may be missing, as in a CFDI 3.2.

    Returns:
        The query; None for a malformed expression.
    """
    text = expression.strip()
    if len(text) > LONGEST_EXPRESSION or not text.startswith("?"):
        return None
    before, *pieces = _SEPARATOR.split(text)
    names = [name.lower() for name in pieces[::2]]
    values = dict(zip(names, (unescape(value, _QUOTES) for value in pieces[1::2]), strict=True))
    if before or len(values) < len(names) or not {"re", "rr", "tt", "id"} <= values.keys():
        return None
    return StatusQuery(values["id"], values["re"], values["rr"], values["tt"], values.get("fe", ""))


def description(address: str) -> bytes:
    return _DESCRIPTION.replace("ADDRESS", quoteattr(address)).encode()


def _expression(question: bytes) -> str:
    """Return the expression of a request; ServiceError for a body that is not a valid request."""
    for content in contents(_PARSER.parse(question.lstrip()).root):
        if content.tag == f"{{{SERVICE}}}Consulta":
            return content.findtext(f"{{{SERVICE}}}expresionImpresa") or ""
    raise ServiceError("request-unreadable")


def _answer(status: FiscalStatus) -> SoapAnswer:
    # The stubs know no default namespace.
    response = etree.Element(f"{{{SERVICE}}}ConsultaResponse", nsmap={None: SERVICE})  # type: ignore[dict-item]
    result = etree.SubElement(response, f"{{{SERVICE}}}ConsultaResult", nsmap={"a": ANSWER})
    words = {
        "CodigoEstatus": status.code,
        "EsCancelable": status.cancelable,
        "Estado": status.status,
        "EstatusCancelacion": status.cancellation,
        "ValidacionEFOS": status.efos,
    }
    for name, word in words.items():
        etree.SubElement(result, f"{{{ANSWER}}}{name}").text = word or None
    return SoapAnswer(envelope(etree.tostring(response, encoding="unicode")))


_DESCRIPTION = f"""<?xml version="1.0" encoding="utf-8"?>
<definitions name="ConsultaCFDIService" targetNamespace="{SERVICE}" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:t="{SERVICE}" xmlns:a="{ANSWER}">
  <types>
    <xs:schema elementFormDefault="qualified" targetNamespace="{ANSWER}">
      <xs:complexType name="Acuse">
        <xs:sequence>
          <xs:element name="CodigoEstatus" type="xs:string" nillable="true" minOccurs="0"/>
          <xs:element name="EsCancelable" type="xs:string" nillable="true" minOccurs="0"/>
          <xs:element name="Estado" type="xs:string" nillable="true" minOccurs="0"/>
          <xs:element name="EstatusCancelacion" type="xs:string" nillable="true" minOccurs="0"/>
          <xs:element name="ValidacionEFOS" type="xs:string" nillable="true" minOccurs="0"/>
        </xs:sequence>
      </xs:complexType>
    </xs:schema>
    <xs:schema elementFormDefault="qualified" targetNamespace="{SERVICE}">
      <xs:import namespace="{ANSWER}"/>
      <xs:element name="Consulta">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="expresionImpresa" type="xs:string" nillable="true" minOccurs="0"/>
          </xs:sequence>
        </xs:complexType>
      </xs:element>
      <xs:element name="ConsultaResponse">
        <xs:complexType>
          <xs:sequence><xs:element name="ConsultaResult" type="a:Acuse" nillable="true" minOccurs="0"/></xs:sequence>
        </xs:complexType>
      </xs:element>
    </xs:schema>
  </types>
  <message name="Question"><part name="parameters" element="t:Consulta"/></message>
  <message name="Answer"><part name="parameters" element="t:ConsultaResponse"/></message>
  <portType name="IConsultaCFDIService">
    <operation name="Consulta"><input message="t:Question"/><output message="t:Answer"/></operation>
  </portType>
  <binding name="Soap11" type="t:IConsultaCFDIService">
    <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Consulta">
      <soap:operation soapAction="{SERVICE}IConsultaCFDIService/Consulta" style="document"/>
      <input><soap:body use="literal"/></input>
      <output><soap:body use="literal"/></output>
    </operation>
  </binding>
  <service name="ConsultaCFDIService">
    <port name="Soap11" binding="t:Soap11"><soap:address location=ADDRESS/></port>
  </service>
</definitions>
"""

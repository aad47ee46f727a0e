"""Messages of the SAT's bulk download (descarga masiva) 1.5: signed requests, and what their answers state.

Source: the SAT's documents of the services, version 1.5 of May 2025. Where they differ from what the services accept,
the messages are those of published clients that work.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO, Final
from xml.parsers import expat

from lxml import etree

from timbra.sat.soap import FaultDetail
from timbra.sat.transport import down
from timbra.seals.certificates.certificate import Certificate
from timbra.seals.signers.port import Signer
from timbra.seals.xml_signatures.xmldsig import EXCLUSIVE, sign

LOGIN_SERVICE: Final = "http://DescargaMasivaTerceros.gob.mx"
SERVICE: Final = "http://DescargaMasivaTerceros.sat.gob.mx"
VERIFICATION: Final = "VerificaSolicitudDescarga"
DOWNLOAD: Final = "PeticionDescargaMasivaTercerosEntrada"
DOWNLOAD_ACTION: Final = f"{SERVICE}/IDescargaMasivaTercerosService/Descargar"
VERIFICATION_ACTION: Final = f"{SERVICE}/IVerificaSolicitudDescargaService/{VERIFICATION}"
ACCEPTED, BAD_TOKEN = "5000", "300"
MAX_TEXT = 300
_TIME = "%Y-%m-%dT%H:%M:%S"


@dataclass(frozen=True, slots=True)
class BulkQuery:
    """A question to the request service.

    Attributes:
        rfc: The taxpayer, whose e.firma signs.
        is_issued: Whether the documents that it issued are wanted; those that it received otherwise.
        is_metadata: Whether metadata is wanted; XML otherwise, of documents that are in force.
        starts, ends: Bounds of the issue date, local, both inclusive.
    """

    rfc: str
    is_issued: bool
    is_metadata: bool
    starts: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class QueryReceipt:
    """The answer of the request service.

    Attributes:
        code: CodEstatus; only "5000" is an accepted request.
        request_id: IdSolicitud; it may come with an error, and no other service has such a request then.
    """

    code: str
    request_id: str
    message: str


@dataclass(frozen=True, slots=True)
class QueryProgress:
    """The answer of the verification service.

    Attributes:
        code: CodEstatus, of the call.
        state: EstadoSolicitud, 1 to 6; 0 with another code than "5000".
        request_code: CodigoEstadoSolicitud, of the request; empty without one.
        documents: NumeroCFDIs; it may be 0 although there are packages.
        packages: IdsPaquetes.
    """

    code: str
    state: int
    request_code: str
    documents: int
    message: str
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PackageReceipt:
    """The answer of the download service, without the package. `size`: Bytes of the package."""

    code: str
    message: str
    size: int


def query_message(query: BulkQuery, certificate: Certificate, signer: Signer) -> tuple[str, str]:
    """Return the action and the signed element of a request.

    Documents that were received are asked for as `Vigente`: the service rejects any other state for their XML.
    """
    operation = "SolicitaDescargaEmitidos" if query.is_issued else "SolicitaDescargaRecibidos"
    attributes = {
        "EstadoComprobante": "Todos" if query.is_metadata else "Vigente",
        "FechaFinal": query.ends.strftime(_TIME),
        "FechaInicial": query.starts.strftime(_TIME),
        "RfcEmisor" if query.is_issued else "RfcReceptor": query.rfc,
        "RfcSolicitante": query.rfc,
        "TipoSolicitud": "Metadata" if query.is_metadata else "CFDI",
    }
    body = _signed(operation, "solicitud", attributes, certificate, signer)
    return f"{SERVICE}/ISolicitaDescargaService/{operation}", body


def verification_message(rfc: str, request_id: str, certificate: Certificate, signer: Signer) -> str:
    """Return the signed element of a verification."""
    attributes = {"IdSolicitud": request_id, "RfcSolicitante": rfc}
    return _signed(VERIFICATION, "solicitud", attributes, certificate, signer)


def download_message(rfc: str, package_id: str, certificate: Certificate, signer: Signer) -> str:
    """Return the signed element of the download of a package."""
    attributes = {"IdPaquete": package_id, "RfcSolicitante": rfc}
    return _signed(DOWNLOAD, "peticionDescarga", attributes, certificate, signer)


def read_receipt(response: etree._Element) -> QueryReceipt:
    """Read the answer of the request service. ServiceError: "authority-down" for another element."""
    result = _result(response, "SolicitaDescarga")
    return QueryReceipt(_text(result, "CodEstatus"), _text(result, "IdSolicitud"), _text(result, "Mensaje"))


def read_progress(response: etree._Element) -> QueryProgress:
    """Read the answer of the verification service. ServiceError: "authority-down" for another element."""
    result = _result(response, VERIFICATION)
    found = [(node.text or "").strip() for node in result.iterchildren(f"{{{SERVICE}}}IdsPaquetes")]
    return QueryProgress(
        _text(result, "CodEstatus"),
        _number(result, "EstadoSolicitud"),
        _text(result, "CodigoEstadoSolicitud"),
        _number(result, "NumeroCFDIs"),
        _text(result, "Mensaje"),
        tuple(dict.fromkeys(package for package in found if package)),
    )


class PackageReader:
    """Reads the answer of the download service while it arrives, and writes the package to a file.

    A package has hundreds of megabytes: neither the answer nor the package is ever in memory. The answer must not have
    a document type; the element of the package has text only.
    """

    def __init__(self, target: BinaryIO) -> None:
        self.size = 0
        self._target = target
        self._texts = {"faultcode": "", "faultstring": ""}
        self._status: dict[str, str] | None = None
        self._has_package = False
        self._path: list[str] = []
        self._base64 = bytearray()
        self._parser = parser = expat.ParserCreate("utf-8", namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype

    def write(self, piece: bytes) -> int:
        """Read a piece of the answer. ServiceError: "authority-down" for anything that is not such an answer."""
        try:
            self._parser.Parse(piece)
        except expat.ExpatError as cause:
            raise down("La respuesta de la descarga no es XML que se pueda leer.") from cause
        return len(piece)

    def finish(self) -> PackageReceipt:
        """Return what the answer states. ServiceError: "authority-down" for one that is cut or has no status."""
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as cause:
            raise down("La respuesta de la descarga llegó incompleta.") from cause
        self._decode(is_end=True)
        if self._status is None:
            raise down("La respuesta no es de la descarga masiva.", self.fault())
        return PackageReceipt(self._status.get("CodEstatus", ""), self._status.get("Mensaje", "")[:MAX_TEXT], self.size)

    def fault(self) -> FaultDetail:
        """Return the fault of the answer; empty texts without one."""
        code = self._texts["faultcode"].strip().rpartition(":")[2]
        return FaultDetail(code[:MAX_TEXT], self._texts["faultstring"].strip()[:MAX_TEXT])

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.rpartition("}")[2])
        if name == f"{SERVICE}}}respuesta" and self._status is None:
            self._status = attributes

    def _end(self, _name: str) -> None:
        self._path.pop()

    def _characters(self, text: str) -> None:
        name = self._path[-1]
        if name == "Paquete":
            self._base64 += text.encode("ascii", "replace").translate(None, b" \t\r\n")
            self._decode()
        elif name in self._texts and len(self._texts[name]) < MAX_TEXT:
            self._texts[name] += text

    def _decode(self, *, is_end: bool = False) -> None:
        whole = len(self._base64) if is_end else len(self._base64) // 4 * 4
        try:
            content = b64decode(self._base64[:whole], validate=True)
        except Base64Error as cause:
            raise down("El paquete no es base64, o llegó incompleto.") from cause
        del self._base64[:whole]
        self.size += len(content)
        self._target.write(content)

    def _doctype(self, *_: object) -> None:
        raise down("La respuesta de la descarga trae un DTD.")


def _signed(operation: str, name: str, attributes: dict[str, str], certificate: Certificate, signer: Signer) -> str:
    root = etree.Element(f"{{{SERVICE}}}{operation}", nsmap={"des": SERVICE})
    inner = etree.SubElement(root, f"{{{SERVICE}}}{name}", attributes)
    sign(root, certificate, signer, canonical=EXCLUSIVE, place=inner)
    return etree.tostring(root, encoding="unicode")


def _result(response: etree._Element, beginning: str) -> etree._Element:
    result = next(response.iterchildren(etree.Element), None)
    name = etree.QName(response)
    if result is None or name.namespace != SERVICE or not name.localname.startswith(beginning):
        raise down("La respuesta no es de la descarga masiva.")
    return result


def _text(node: etree._Element, name: str) -> str:
    return (node.get(name) or "").strip()[:MAX_TEXT]


def _number(node: etree._Element, name: str) -> int:
    text = _text(node, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0

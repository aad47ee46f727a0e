"""A bulk download of the SAT in memory: accepts questions, finds documents by their issue date, makes packages."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import BinaryIO
from uuid import uuid4

from timbra.cfdi.document import Document, DocumentParser
from timbra.sat.bulk_download import BulkQuery, PackageReceipt, QueryProgress, QueryReceipt
from timbra.sat.transport import down
from timbra.validation.metadata_files import HEADINGS
from timbra.validation.models import ExaminedReport, ValidationReport

TAXPAYER, SUPPLIER = "BBB010101BB1", "AAA010101AAA"
TFD = (
    '<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4" Version="4.0" Fecha="{fecha}" Total="{total}" '
    'Moneda="MXN" TipoDeComprobante="I" Sello="abcdefgh12345678"><cfdi:Emisor Rfc="{issuer}" Nombre="A"/>'
    '<cfdi:Receptor Rfc="{receiver}" Nombre="B"/><cfdi:Complemento><tfd:TimbreFiscalDigital '
    'xmlns:tfd="http://www.sat.gob.mx/TimbreFiscalDigital" Version="1.1" UUID="{uuid}" FechaTimbrado="{fecha}" '
    'RfcProvCertif="SPR190613I52"/></cfdi:Complemento></cfdi:Comprobante>'
)


@dataclass(frozen=True)
class SatDocument:
    """A document of the register."""

    uuid: str
    fecha: str
    total: str = "116.00"
    issuer: str = SUPPLIER
    receiver: str = TAXPAYER
    status: str = "1"
    cancelled_at: str = ""

    def xml(self) -> bytes:
        values = {name: getattr(self, name) for name in ("fecha", "total", "issuer", "receiver")}
        return TFD.format(uuid=self.uuid.upper(), **values).encode()

    def line(self) -> str:
        at = self.fecha.replace("T", " ")
        times = (at, at, self.total, "I", self.status, self.cancelled_at)
        return "~".join((self.uuid.upper(), self.issuer, "A", self.receiver, "B", "SPR190613I52", *times))


def document(day: str, **changes: str) -> SatDocument:
    return replace(SatDocument(str(uuid4()), f"{day}T10:00:00"), **changes)


@dataclass
class FakeSat:
    """The services. Each list of `script` has functions that replace the next answers of a service by another one.

    Attributes:
        register: Documents by UUID.
        accepted: Questions by IdSolicitud.
        questions: Accepted questions with their number.
        package_size: Documents of a package.
        most: Documents of a request.
    """

    register: dict[str, SatDocument] = field(default_factory=dict)
    questions: Counter[tuple[object, ...]] = field(default_factory=Counter)
    asked: list[BulkQuery] = field(default_factory=list)
    downloads: Counter[str] = field(default_factory=Counter)
    package_size: int = 3
    most: int = 1000
    logins: list[Callable[[], None]] = field(default_factory=list)
    requests: list[Callable[[QueryReceipt], QueryReceipt]] = field(default_factory=list)
    verifications: list[Callable[[QueryProgress], QueryProgress]] = field(default_factory=list)
    packages: list[Callable[[bytes], tuple[str, bytes]]] = field(default_factory=list)
    accepted: dict[str, BulkQuery] = field(default_factory=dict)

    def add(self, *documents: SatDocument) -> None:
        self.register.update((one.uuid, one) for one in documents)

    def authenticate(self) -> None:
        if self.logins:
            self.logins.pop(0)()

    def request(self, query: BulkQuery) -> QueryReceipt:
        self.asked.append(query)
        self.questions[query.is_issued, query.rfc, query.starts, query.ends] += 1
        number = str(uuid4())
        self.accepted[number] = query
        receipt = QueryReceipt("5000", number, "Solicitud Aceptada")
        return self.requests.pop(0)(receipt) if self.requests else receipt

    def verify(self, _rfc: str, request_id: str) -> QueryProgress:
        found = self.found(self.accepted[request_id])
        progress = QueryProgress("5000", 3, "5000", len(found), "Solicitud Aceptada", ())
        if not found:
            progress = replace(progress, state=5, request_code="5004")
        elif len(found) > self.most:
            progress = replace(progress, state=5, request_code="5003")
        else:
            count = -(-len(found) // self.package_size)
            names = tuple(f"{request_id}_{number:02}".upper() for number in range(1, count + 1))
            progress = replace(progress, packages=names)
        return self.verifications.pop(0)(progress) if self.verifications else progress

    def download(self, _rfc: str, package_id: str, target: BinaryIO) -> PackageReceipt:
        self.downloads[package_id] += 1
        request_id, _, number = package_id.lower().rpartition("_")
        query, first = self.accepted[request_id], (int(number) - 1) * self.package_size
        part = self.found(query)[first : first + self.package_size]
        code, content = "5000", package(query, part, package_id)
        if self.packages:
            code, content = self.packages.pop(0)(content)
        target.write(content)
        return PackageReceipt(code, "", len(content))

    def found(self, query: BulkQuery) -> list[SatDocument]:
        starts, ends = query.starts.isoformat(), query.ends.isoformat()
        return [
            one
            for one in self.register.values()
            if starts <= one.fecha <= ends
            and (one.issuer if query.is_issued else one.receiver) == query.rfc
            and (query.is_metadata or one.status == "1")
        ]


def package(query: BulkQuery, documents: list[SatDocument], name: str) -> bytes:
    """Return a ZIP file with metadata or XML."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        if query.is_metadata:
            lines = ["~".join(HEADINGS), *(one.line() for one in documents)]
            archive.writestr(f"{name}.txt", "\r\n".join(lines))
            archive.writestr(f"{name}_tercero.txt", "Uuid~RfcACuentaTerceros~NombreACuentaTerceros\r\n")
        for one in () if query.is_metadata else documents:
            archive.writestr(f"{one.uuid}.xml", one.xml())
    return content.getvalue()


def unanswered(*_: object) -> None:
    raise down("No respondió a tiempo.")


class ParsedOnly:
    """A validation without rules."""

    def __init__(self) -> None:
        self.parsed = 0
        self._parser = DocumentParser()

    async def examine_document(self, xml: bytes, _account: str, **_: object) -> tuple[Document, ExaminedReport]:
        self.parsed += 1
        document = self._parser.parse(xml)
        return document, ExaminedReport((), None, document.version, None, None, None, "", None)

    async def with_status(self, examined: ExaminedReport, _with_status: bool, _account: str) -> ValidationReport:
        return ValidationReport((), examined.version)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text)

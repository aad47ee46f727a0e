"""The index entry of a stamped CFDI (4.0, 3.3, 3.2) in the ledger, read from the document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple, NoReturn

from lxml import etree

from timbra.cfdi.document import Document, DocumentParser
from timbra.cfdi.rfc import FOREIGN
from timbra.cfdi.start_tags import root_start_tag
from timbra.cfdi.tfd import TimbreFiscalDigital, read_stamps
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core import money
from timbra.core.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.core.errors import ServiceError
from timbra.sandbox.store.models import RETENCION
from timbra.stamps.port import StampRecord

SEAL_TAIL = 8
PAYMENT = "pago"
# Keys of c_ClaveProdServ and c_ClaveProdServCP: diesel, gasoline below 91 octane, gasoline of 91 octane or more.
FUELS = frozenset({"15101505", "15101514", "15101515"})
# The complement of a concept for any hydrocarbon.
_HYDROCARBON = "{*}ComplementoConcepto/{http://www.sat.gob.mx/hidrocarburospetroliferos}*"
# A document without these neither names others (CfdiRelacionado, DoctoRelacionado) nor has fuel; "&#" may encode them.
_MARKERS = (b"Relacionado", b"151015", b"hidrocarburospetroliferos", b"&#")
_PLAIN_VERSIONS = frozenset({"4.0", "3.3"})
MAX_PLAIN_DIGITS = 40
# Attributes with values that the parser returns as they are written. A value that ends like the name of an attribute is
# none of them: white space follows its quotation mark.
_PLAIN_ATTRIBUTE = re.compile(rb' (Sello|Total|Moneda|TipoCambio|Fecha)="([A-Za-z0-9+/=.:-]*+)"')
_REQUIRED = frozenset({b"Sello", b"Total", b"Moneda", b"Fecha"})
_PESOS = frozenset({b"MXN", b"XXX"})
_YEARS = range(2004, 2101)
_YEAR = re.compile(r"[0-9]{4}-")
_IN_PESOS = frozenset({"", "MXN", "XXX"})


@dataclass(frozen=True, slots=True)
class DocumentIndexEntry:
    """The index entry of a CFDI, or of a retención.

    Attributes:
        uuid: The folio, in lower case.
        kind: TipoDeComprobante (I, E ...); R of a retención.
        total: Total, or MontoTotOperacion, as written.
        total_mxn: Total in pesos.
        seal_tail: The last 8 characters of the issuer's seal.
        issued_at: FechaTimbrado.
        year: The year of Fecha, or of FechaExp.
        fuel: Whether the CFDI sells hydrocarbons or fuel, or transports fuel.
        relations: (UUID, TipoRelacion or "pago") of the documents that it names.
    """

    uuid: str
    version: str
    kind: str
    issuer_rfc: str
    receiver_rfc: str
    total: str
    total_mxn: Decimal
    seal_tail: str
    issued_at: datetime
    year: int
    fuel: bool
    relations: frozenset[tuple[str, str]]


class _Values(NamedTuple):
    """Values of a document that its stamp does not have, see `DocumentIndexEntry`."""

    total: str
    total_mxn: Decimal
    seal_tail: str
    year: int
    fuel: bool
    relations: frozenset[tuple[str, str]]


def index_stamp(record: StampRecord, parser: DocumentParser) -> DocumentIndexEntry:
    """Return the index entry of a stamp of this server, equal to `index_document` of its document.

    The whole document is parsed only when it may have relations or fuel; otherwise the root element is, and for plain
    attributes its start tag is only divided.

    Raises:
        ServiceError: The stored document cannot be read.
    """
    whole = record.kind == RETENCION or any(word in record.cfdi for word in _MARKERS)
    values = None if whole or record.version not in _PLAIN_VERSIONS else _plain_values(record)
    if values is None:
        document = parser.parse(record.cfdi if whole else _root_alone(record.cfdi))
        values = _parsed_values(document, record.kind, record.stamped_at)
    return DocumentIndexEntry(
        record.uuid,
        record.version,
        record.kind,
        record.issuer_rfc,
        record.receiver_rfc,
        values.total,
        values.total_mxn,
        values.seal_tail,
        record.stamped_at,
        values.year,
        values.fuel,
        values.relations,
    )


def index_document(document: Document) -> DocumentIndexEntry:
    """Return the index entry of a stamped CFDI or retención.

    Raises:
        ServiceError: "document-invalid" unless the document has a known version, one stamp and numeric totals.
    """
    root = document.root
    stamp = _stamp(document)
    kind = RETENCION if document.is_retenciones else _get(root, "TipoDeComprobante")[:1].upper()
    issued_at = _issued_at(stamp)
    values = _parsed_values(document, kind, issued_at)
    return DocumentIndexEntry(
        canonical_uuid(stamp.uuid) or _reject("El folio del timbre está mal formado."),
        document.version,
        kind,
        _party(document, "Emisor"),
        _party(document, "Receptor"),
        values.total,
        values.total_mxn,
        values.seal_tail,
        issued_at,
        values.year,
        values.fuel,
        values.relations,
    )


def _parsed_values(document: Document, kind: str, issued_at: datetime) -> _Values:
    root = document.root
    total, total_mxn = _total(document)
    seal_tail = _get(root, "Sello")[-SEAL_TAIL:]
    year = _year(_get(root, "Fecha") or _get(root, "FechaExp"), issued_at)
    return _Values(total, total_mxn, seal_tail, year, _fuel(root, kind), frozenset(_relations(root)))


def _plain_values(record: StampRecord) -> _Values | None:
    """Return the values of a document without relations and fuel, from the attributes of its root.

    Returns:
        The values; None for a start tag that only the parser reads, and for values that it may reject.
    """
    tag = root_start_tag(record.cfdi)
    if tag is None or b"'" in tag:
        return None
    found = dict(_PLAIN_ATTRIBUTE.findall(tag))
    if not found.keys() >= _REQUIRED:
        return None
    written, rate = found[b"Total"].decode(), found.get(b"TipoCambio", b"").decode()
    total, pesos = money.parse(written), Decimal(1) if found[b"Moneda"] in _PESOS else money.parse(rate)
    if total is None or pesos is None or len(written) + len(rate) > MAX_PLAIN_DIGITS:
        return None
    seal_tail = found[b"Sello"][-SEAL_TAIL:].decode()
    year = _year(found[b"Fecha"].decode(), record.stamped_at)
    return _Values(written, money.half_up(total * pesos, 6), seal_tail, year, False, frozenset())


def _stamp(document: Document) -> TimbreFiscalDigital:
    stamps = read_stamps(document.root) if document.version in ("4.0", "3.3", "3.2", "2.0") else []
    if len(stamps) != 1:
        _reject("Debe ser un CFDI con un timbre.")
    return stamps[0]


def _issued_at(stamp: TimbreFiscalDigital) -> datetime:
    try:
        local = datetime.strptime(stamp.fecha_timbrado, LOCAL_FORMAT).replace(tzinfo=CENTRAL_MEXICO)
    except ValueError:
        return _reject("La FechaTimbrado está mal formada.")
    return local.astimezone(UTC) if local.year in _YEARS else _reject("La FechaTimbrado está fuera de lo posible.")


def _year(fecha: str, issued_at: datetime) -> int:
    """Return the year of Fecha; that of the stamp when Fecha has none."""
    year = int(fecha[:4]) if _YEAR.match(fecha) else 0
    return year if year in _YEARS else issued_at.astimezone(CENTRAL_MEXICO).year


def _fuel(root: etree._Element, kind: str) -> bool:
    if kind == "T":
        return any(node.get("BienesTransp") in FUELS for node in root.iterfind("{*}Complemento//{*}Mercancia"))
    return any(
        node.get("ClaveProdServ") in FUELS or node.find(_HYDROCARBON) is not None
        for node in root.iterfind("{*}Conceptos/{*}Concepto")
    )


def _root_alone(xml: bytes) -> bytes:
    """Return the root as an empty element; the whole XML when its start tag is not found."""
    tag = root_start_tag(xml)
    return xml if tag is None else tag + b"/>"


def _total(document: Document) -> tuple[str, Decimal]:
    root = document.root
    totals = root.find("{*}Totales") if document.is_retenciones else None
    written = _get(root, "Total") if totals is None else _get(totals, "MontoTotOperacion")
    number = money.parse(written)
    # Moneda of 3.2 is free text, and its TipoCambio may be absent for any currency.
    absent = "1" if document.version == "3.2" else ""
    in_pesos = _get(root, "Moneda") in _IN_PESOS
    rate = Decimal(1) if in_pesos else money.parse(_get(root, "TipoCambio") or absent)
    if number is None or rate is None:
        return _reject("El Total o el TipoCambio no es un número.")
    try:
        return written, money.half_up(number * rate, 6)
    except ArithmeticError:
        return _reject("El Total es demasiado grande.")


def _party(document: Document, name: str) -> str:
    root = document.root
    node = root.find(f"{{*}}{name}")
    if node is not None and document.is_retenciones:
        national = node.find("{*}Nacional")
        return node.get("RfcE") or (FOREIGN if national is None else _get(national, "RfcR"))
    return _get(node, "Rfc") if node is not None else _reject(f"Falta el {name}.")


def _relations(root: etree._Element) -> list[tuple[str, str]]:
    found = [
        (related.get("UUID") or "", group.get("TipoRelacion") or "")
        for group in root.iterchildren("{*}CfdiRelacionados")
        for related in group.iterchildren("{*}CfdiRelacionado")
    ]
    retenciones = root.iterchildren("{*}CfdiRetenRelacionados")
    found += [(node.get("UUID") or "", node.get("TipoRelacion") or "") for node in retenciones]
    paid = [(node.get("IdDocumento") or "", PAYMENT) for node in root.iterfind("{*}Complemento//{*}DoctoRelacionado")]
    named = [(canonical_uuid(folio), relation) for folio, relation in found + paid]
    return [(folio, relation) for folio, relation in named if folio is not None]


def _get(node: etree._Element, name: str) -> str:
    """Return an attribute by its name in 3.3 and 4.0, or by that in 3.2, which begins in lower case."""
    return node.get(name) or node.get(name[0].lower() + name[1:]) or ""


def _reject(detail: str) -> NoReturn:
    raise ServiceError("document-invalid", detail)

"""What the authority files of a stamped CFDI (4.0, 3.3, 3.2), read from the document alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import NoReturn

from lxml import etree

from timbra import money
from timbra.cfdi.document import PROLOG, Document, DocumentParser
from timbra.cfdi.tfd import TimbreFiscalDigital, stamps_in
from timbra.clock import CENTRAL_MEXICO, LOCAL_FORMAT
from timbra.errors import ServiceError
from timbra.store.port import StampRecord

SEAL_TAIL = 8
PAYMENT = "pago"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_START_TAG = re.compile(rb"""<[^<>"'/]++(?:"[^"]*+"|'[^']*+'|[^<>"'/]++)*+(?=/?>)""")
# No document names others but in elements of these names.
_NAMING = (b"CfdiRelacionado", b"DoctoRelacionado")
_IN_PESOS = frozenset({"", "MXN", "XXX"})


@dataclass(frozen=True, slots=True)
class Filed:
    """A CFDI in the authority's files. total: as written; total_mxn: in pesos; kind: TipoDeComprobante (I, E ...).

    seal_tail: the last 8 characters of the issuer's seal. issued_at: FechaTimbrado. relations: (UUID, TipoRelacion or
    "pago") of the documents that it names.
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
    relations: frozenset[tuple[str, str]]


def canonical_uuid(text: str) -> str | None:
    """The folio in lower case, None when the text has not the form of one."""
    folded = text.lower()
    return folded if _UUID.match(folded) else None


def filed_stamp(record: StampRecord, parser: DocumentParser) -> Filed:
    """A stamp of this server: equal to `filed` of its document, which is read whole only when it may name others."""
    relations: frozenset[tuple[str, str]] = frozenset()
    if any(name in record.cfdi for name in _NAMING):
        document = parser.parse(record.cfdi)
        relations = frozenset(_relations(document.root))
    else:
        document = parser.parse(_root_alone(record.cfdi))
    total, total_mxn = _total(document)
    return Filed(
        uuid=record.uuid,
        version=record.version,
        kind=record.kind,
        issuer_rfc=record.issuer_rfc,
        receiver_rfc=record.receiver_rfc,
        total=total,
        total_mxn=total_mxn,
        seal_tail=_seal_tail(document.root),
        issued_at=record.stamped_at,
        relations=relations,
    )


def filed(document: Document) -> Filed:
    """ServiceError("document-invalid") for anything but a CFDI with one stamp, totals that are no numbers included."""
    root = document.root
    stamp = _stamp(document)
    total, total_mxn = _total(document)
    return Filed(
        uuid=canonical_uuid(stamp.uuid) or _refuse("El folio del timbre está mal formado."),
        version=document.version,
        kind=_get(root, "TipoDeComprobante")[:1].upper(),
        issuer_rfc=_party(root, "Emisor"),
        receiver_rfc=_party(root, "Receptor"),
        total=total,
        total_mxn=total_mxn,
        seal_tail=_seal_tail(root),
        issued_at=_issued_at(stamp),
        relations=frozenset(_relations(root)),
    )


def _stamp(document: Document) -> TimbreFiscalDigital:
    stamps = stamps_in(document.root) if document.version in ("4.0", "3.3", "3.2") else []
    if len(stamps) != 1:
        _refuse("Debe ser un CFDI con un timbre.")
    return stamps[0]


def _issued_at(stamp: TimbreFiscalDigital) -> datetime:
    try:
        local = datetime.strptime(stamp.fecha_timbrado, LOCAL_FORMAT).replace(tzinfo=CENTRAL_MEXICO)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return _refuse("La FechaTimbrado está mal formada.")


def _root_alone(xml: bytes) -> bytes:
    """The root as an empty element: its start tag without what follows; the whole XML where that has no such form."""
    prolog = PROLOG.match(xml)
    tag = _START_TAG.match(xml, prolog.end()) if prolog else None
    return xml if tag is None else tag[0] + b"/>"


def _seal_tail(root: etree._Element) -> str:
    return _get(root, "Sello")[-SEAL_TAIL:]


def _total(document: Document) -> tuple[str, Decimal]:
    root = document.root
    written = _get(root, "Total")
    number = money.parse(written)
    # Moneda of 3.2 is free text, and its TipoCambio may be absent whatever it says.
    absent = "1" if document.version == "3.2" else ""
    in_pesos = _get(root, "Moneda") in _IN_PESOS
    rate = Decimal(1) if in_pesos else money.parse(_get(root, "TipoCambio") or absent)
    if number is None or rate is None:
        return _refuse("El Total o el TipoCambio no es un número.")
    try:
        return written, money.half_up(number * rate, 6)
    except ArithmeticError:
        return _refuse("El Total es demasiado grande.")


def _party(root: etree._Element, name: str) -> str:
    node = root.find(f"{{*}}{name}")
    return _get(node, "Rfc") if node is not None else _refuse(f"Falta el {name}.")


def _relations(root: etree._Element) -> list[tuple[str, str]]:
    found = [
        (related.get("UUID") or "", group.get("TipoRelacion") or "")
        for group in root.iterchildren("{*}CfdiRelacionados")
        for related in group.iterchildren("{*}CfdiRelacionado")
    ]
    paid = [(node.get("IdDocumento") or "", PAYMENT) for node in root.iterfind("{*}Complemento//{*}DoctoRelacionado")]
    named = [(canonical_uuid(folio), relation) for folio, relation in found + paid]
    return [(folio, relation) for folio, relation in named if folio is not None]


def _get(node: etree._Element, name: str) -> str:
    """An attribute, by the name of 3.3 and 4.0 or by that of 3.2, which begins in lower case."""
    return node.get(name) or node.get(name[0].lower() + name[1:]) or ""


def _refuse(detail: str) -> NoReturn:
    raise ServiceError("document-invalid", detail)

"""Validation results as rows of tables: the columns that datasets, reports and lists of documents share.

The tables are versioned: `SCHEMA_VERSION` changes with a name, a type or a meaning. Rows are dictionaries by column
name, with values of the column's type or None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from timbra.cfdi.tfd import TFD_TAG, read_stamps
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.money import half_up, parse
from timbra.rules.registry import RULE_SETS
from timbra.rules.rulesets.certificates.evaluation import ISSUER
from timbra.service.validation.article_69b import CODES as ARTICLE_69B
from timbra.service.validation.models import STAMP, ReportEntry, ReportEntryKind, SectionKind, ValidationReport

if TYPE_CHECKING:
    from lxml import etree

    from timbra.errors import ServiceError

SCHEMA_VERSION = 1
AMOUNT_DECIMALS = 6
"""Decimals of a column of type AMOUNT; it has 32 digits before the point."""
_MAX_AMOUNT = Decimal(10) ** 32

Row = dict[str, Any]


class ColumnType(StrEnum):
    """Types of columns.

    Attributes:
        TEXT: str.
        TEXTS: list of str.
        INTEGER: int of 64 bits.
        AMOUNT: Decimal with at most 32 digits and 6 decimals.
        LOCAL_TIME: datetime without zone, as the document writes it.
        INSTANT: aware datetime in UTC.
    """

    TEXT = "text"
    TEXTS = "texts"
    INTEGER = "integer"
    AMOUNT = "amount"
    LOCAL_TIME = "local time"
    INSTANT = "instant"


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        meaning: one English sentence for the reference page.
        is_joined: whether a dataset stores it in another table, from which the view of this table takes it.
    """

    name: str
    type: ColumnType
    meaning: str
    is_joined: bool = False


class ReportOutcome(StrEnum):
    """Result of a document: without findings, with warnings only, with errors, or not readable as CFDI."""

    VALID = "valid"
    WARNED = "warned"
    INVALID = "invalid"
    UNREADABLE = "unreadable"


class SealResult(StrEnum):
    """Result of the seal or the stamp."""

    VALID = "valid"
    INVALID = "invalid"
    ABSENT = "absent"
    NOT_EVALUATED = "not evaluated"


_TEXT, _TEXTS, _INTEGER, _AMOUNT = ColumnType.TEXT, ColumnType.TEXTS, ColumnType.INTEGER, ColumnType.AMOUNT
_LOCAL, _INSTANT = ColumnType.LOCAL_TIME, ColumnType.INSTANT

DOCUMENTS = (
    Column("document_id", _INTEGER, "Position of the document in the plan of the run, from 0."),
    Column("source", _TEXT, "Path or URL of the file; `archive.zip!member.xml` for a member of an archive."),
    Column("sha256", _TEXT, "SHA-256 of the document in hexadecimal digits."),
    Column("bytes", _INTEGER, "Size of the document in bytes."),
    Column("uuid", _TEXT, "UUID of the stamp, in lower case."),
    Column("kind", _TEXT, "`cfdi` or `retenciones`."),
    Column("version", _TEXT, "Version of the document: 4.0, 3.3, 2.0 or 1.0."),
    Column("tipo_de_comprobante", _TEXT, "TipoDeComprobante: I, E, T, N or P."),
    Column("serie", _TEXT, "Serie."),
    Column("folio", _TEXT, "Folio, or FolioInt of a retención."),
    Column("issuer_rfc", _TEXT, "RFC of the issuer."),
    Column("issuer_name", _TEXT, "Name of the issuer."),
    Column("receiver_rfc", _TEXT, "RFC of the receiver."),
    Column("receiver_name", _TEXT, "Name of the receiver."),
    Column("fecha", _LOCAL, "Fecha, or FechaExp of a retención."),
    Column("fecha_timbrado", _LOCAL, "FechaTimbrado of the stamp."),
    Column("moneda", _TEXT, "Moneda."),
    Column("total", _AMOUNT, "Total, or the total of operations of a retención."),
    Column("complements", _TEXTS, "Local names of the complements, without the stamp, in document order."),
    Column("result", _TEXT, "`valid`, `warned` (warnings only), `invalid` (errors) or `unreadable` (no report)."),
    Column("rejection_code", _TEXT, "Code of the reason why there is no report."),
    Column("errors", _INTEGER, "Number of errors, those that follow from others not counted."),
    Column("warnings", _INTEGER, "Number of warnings, those that follow from others not counted."),
    Column("not_evaluated", _INTEGER, "Number of rules that were not evaluated for lack of data."),
    Column("seal", _TEXT, "Issuer's certificate and seal: `valid`, `invalid`, `absent` or `not evaluated`."),
    Column("stamp", _TEXT, "Stamp: `valid`, `invalid`, `absent` or `not evaluated`."),
    Column("provider_rfc", _TEXT, "RfcProvCertif of the stamp."),
    Column("seal_tail", _TEXT, "Last 8 characters of the issuer's seal, which the query of the status has."),
    Column("article_69b", _TEXT, "`Definitivo` or `Presunto` when a party is in the list of article 69-B of the CFF."),
    Column("data_version", _TEXT, "Version of the SAT data that the document was evaluated with."),
    Column("status", _TEXT, "Status at the authority: `Vigente`, `Cancelado` or `No Encontrado`.", is_joined=True),
    Column("cancelable", _TEXT, "EsCancelable of the authority.", is_joined=True),
    Column("cancellation", _TEXT, "EstatusCancelacion of the authority.", is_joined=True),
    Column("status_time", _INSTANT, "Instant of the authority's answer.", is_joined=True),
    Column("duplicate_of", _INTEGER, "document_id of the first document with the same UUID.", is_joined=True),
)

FINDINGS = (
    Column("document_id", _INTEGER, "The document."),
    Column("uuid", _TEXT, "UUID of the document's stamp, in lower case."),
    Column("position", _INTEGER, "Position of the finding in the report of the document, from 0."),
    Column("section", _TEXT, "Section of the report: structure, invoice, complement or article-69b."),
    Column("severity", _TEXT, "`error` or `warning`."),
    Column("code", _TEXT, "Code of the rule; null for a finding of no rule."),
    Column("path", _TEXT, "Place in the document."),
    Column("found", _TEXT, "Value as the document writes it."),
    Column("expected", _TEXT, "What was expected, in Spanish."),
    Column("detail", _TEXT, "Description of the finding, in Spanish."),
    Column("rule_set", _TEXT, "Rule set of the code."),
    Column("rule_set_revision", _TEXT, "Revision of the rule set: most are the date of SAT's matrix."),
)

CONCEPTS = (
    Column("document_id", _INTEGER, "The document."),
    Column("uuid", _TEXT, "UUID of the document's stamp, in lower case."),
    Column("position", _INTEGER, "Position of the Concepto, from 0."),
    Column("clave_prod_serv", _TEXT, "ClaveProdServ."),
    Column("no_identificacion", _TEXT, "NoIdentificacion."),
    Column("cantidad", _AMOUNT, "Cantidad."),
    Column("clave_unidad", _TEXT, "ClaveUnidad."),
    Column("descripcion", _TEXT, "Descripcion."),
    Column("valor_unitario", _AMOUNT, "ValorUnitario."),
    Column("importe", _AMOUNT, "Importe."),
    Column("descuento", _AMOUNT, "Descuento."),
    Column("objeto_imp", _TEXT, "ObjetoImp."),
)

PAYMENTS = (
    Column("document_id", _INTEGER, "The document."),
    Column("uuid", _TEXT, "UUID of the document's stamp, in lower case."),
    Column("position", _INTEGER, "Position of the DoctoRelacionado in the document, from 0."),
    Column("fecha_pago", _LOCAL, "FechaPago of the Pago."),
    Column("forma_de_pago", _TEXT, "FormaDePagoP."),
    Column("moneda", _TEXT, "MonedaP."),
    Column("monto", _AMOUNT, "Monto of the whole Pago."),
    Column("id_documento", _TEXT, "IdDocumento: UUID of the paid document, in lower case."),
    Column("moneda_dr", _TEXT, "MonedaDR."),
    Column("num_parcialidad", _TEXT, "NumParcialidad."),
    Column("imp_saldo_ant", _AMOUNT, "ImpSaldoAnt."),
    Column("imp_pagado", _AMOUNT, "ImpPagado."),
    Column("imp_saldo_insoluto", _AMOUNT, "ImpSaldoInsoluto."),
)


def sha256_of(content: bytes) -> str:
    """Return the hash by which tables identify the bytes of a document."""
    return sha256(content).hexdigest()


def unreadable_row(source: str, error: ServiceError) -> Row:
    """Return the row of `documents` of a document without a report; absent columns are null."""
    return {"source": source, "result": ReportOutcome.UNREADABLE.value, "rejection_code": error.code}


def document_row(root: etree._Element, report: ValidationReport) -> Row:
    """Return the row of `documents` of a report, without the columns of the source and the joined ones.

    Args:
        root: The Comprobante or Retenciones.
        report: Its report.
    """
    stamp = next(iter(read_stamps(root)), None)
    entries = report.entries
    errors = sum(entry.kind is ReportEntryKind.ERROR for entry in entries)
    return {
        **_header(root),
        "uuid": None if stamp is None else canonical_uuid(stamp.uuid),
        "version": report.version,
        "fecha_timbrado": None if stamp is None else _time(stamp.fecha_timbrado),
        "provider_rfc": None if stamp is None else stamp.rfc_prov_certif or None,
        "seal_tail": (_first(root, "Sello", "sello") or "")[-8:] or None,
        "complements": _complements(root),
        "result": (ReportOutcome.INVALID if errors else _without_errors(entries)).value,
        "errors": errors,
        "warnings": len(entries) - errors,
        "not_evaluated": len(report.not_evaluated),
        "seal": _seal_result(root, report).value,
        "stamp": _stamp_result(report, is_stamped=stamp is not None).value,
        "article_69b": _article_69b(entries),
        "data_version": report.data_version,
    }


def finding_rows(report: ValidationReport) -> Iterator[Row]:
    """Yield a row of `findings` for each finding and each of its secondary ones, without the columns of the document.

    Args:
        report: The report.
    """
    position = 0
    for section in report.sections:
        for primary in section.entries:
            for entry in (primary, *primary.secondary):
                rule_set, revision = _rule_set(entry.code, report.version)
                yield {
                    "position": position,
                    "section": section.kind.value,
                    "severity": entry.kind.value,
                    "code": entry.code,
                    "path": entry.path,
                    "found": entry.found,
                    "expected": entry.expected,
                    "detail": entry.detail,
                    "rule_set": rule_set,
                    "rule_set_revision": revision,
                }
                position += 1


def concept_rows(root: etree._Element) -> Iterator[Row]:
    """Yield a row of `concepts` for each Concepto, without the columns of the document."""
    for position, node in enumerate(root.iterfind("{*}Conceptos/{*}Concepto")):
        yield {
            "position": position,
            "clave_prod_serv": node.get("ClaveProdServ"),
            "no_identificacion": node.get("NoIdentificacion"),
            "cantidad": _amount(node.get("Cantidad")),
            "clave_unidad": node.get("ClaveUnidad"),
            "descripcion": node.get("Descripcion"),
            "valor_unitario": _amount(node.get("ValorUnitario")),
            "importe": _amount(node.get("Importe")),
            "descuento": _amount(node.get("Descuento")),
            "objeto_imp": node.get("ObjetoImp"),
        }


def payment_rows(root: etree._Element) -> Iterator[Row]:
    """Yield a row of `payments` for each paid document of Pagos 2.0 and 1.0, without the columns of the document."""
    position = 0
    for pago in root.iterfind("{*}Complemento/{*}Pagos/{*}Pago"):
        for node in pago.iterchildren("{*}DoctoRelacionado"):
            yield {
                "position": position,
                "fecha_pago": _time(pago.get("FechaPago")),
                "forma_de_pago": pago.get("FormaDePagoP"),
                "moneda": pago.get("MonedaP"),
                "monto": _amount(pago.get("Monto")),
                "id_documento": (node.get("IdDocumento") or "").lower() or None,
                "moneda_dr": node.get("MonedaDR"),
                "num_parcialidad": node.get("NumParcialidad"),
                "imp_saldo_ant": _amount(node.get("ImpSaldoAnt")),
                "imp_pagado": _amount(node.get("ImpPagado")),
                "imp_saldo_insoluto": _amount(node.get("ImpSaldoInsoluto")),
            }
            position += 1


def status_columns(report: ValidationReport, at: datetime) -> Row:
    """Return the joined columns of the status, for a report that has one.

    Args:
        report: The report.
        at: Instant of the authority's answer.
    """
    if report.status_sat in (None, "No Aplica"):
        return {}
    return {
        "status": report.status_sat,
        "cancelable": report.is_cancelable,
        "cancellation": report.status_cancelation or None,
        "status_time": at,
    }


def _header(root: etree._Element) -> Row:
    """Return kind, parties, number, dates and amounts of a CFDI, a Retenciones 2.0 or a Retenciones 1.0."""
    is_cfdi = str(root.tag).endswith("}Comprobante")
    nodes = {str(child.tag).rpartition("}")[2]: child for child in root.iterchildren(reversed=True)}
    emisor, receptor = nodes.get("Emisor"), nodes.get("Receptor")
    party = receptor
    if not is_cfdi and receptor is not None:
        party = next(receptor.iterchildren("{*}Nacional", "{*}Extranjero"), None)
    totales = root if is_cfdi else nodes.get("Totales")
    return {
        "kind": "cfdi" if is_cfdi else "retenciones",
        "tipo_de_comprobante": root.get("TipoDeComprobante"),
        "serie": root.get("Serie"),
        "folio": _first(root, "Folio", "FolioInt"),
        "issuer_rfc": _first(emisor, "Rfc", "RfcE", "RFCEmisor"),
        "issuer_name": _first(emisor, "Nombre", "NomDenRazSocE"),
        "receiver_rfc": _first(party, "Rfc", "RfcR", "RFCRecep", "NumRegIdTribR", "NumRegIdTrib"),
        "receiver_name": _first(party, "Nombre", "NomDenRazSocR"),
        "fecha": _time(_first(root, "Fecha", "FechaExp")),
        "moneda": root.get("Moneda"),
        "total": _amount(_first(totales, "Total", "MontoTotOperacion", "montoTotOperacion")),
    }


def _complements(root: etree._Element) -> list[str]:
    names = (
        str(child.tag).rpartition("}")[2]
        for complement in root.iterchildren("{*}Complemento")
        for child in complement.iterchildren("*")
        if child.tag != TFD_TAG
    )
    return list(dict.fromkeys(names))


def _without_errors(entries: list[ReportEntry]) -> ReportOutcome:
    return ReportOutcome.WARNED if entries else ReportOutcome.VALID


def _seal_result(root: etree._Element, report: ValidationReport) -> SealResult:
    if not (root.get("Sello") or root.get("sello")):
        return SealResult.ABSENT
    codes = {rule.code for rule in ISSUER[report.version]}
    return _result_of(report, codes, SectionKind.INVOICE)


def _stamp_result(report: ValidationReport, *, is_stamped: bool) -> SealResult:
    if not is_stamped:
        return SealResult.ABSENT
    sections = [section for section in report.sections if section.complement == STAMP]
    if any(section.has_errors for section in sections):
        return SealResult.INVALID
    not_evaluated = not sections or any(section.not_evaluated for section in sections)
    return SealResult.NOT_EVALUATED if not_evaluated else SealResult.VALID


def _result_of(report: ValidationReport, codes: set[str], kind: SectionKind) -> SealResult:
    sections = [section for section in report.sections if section.kind is kind]
    errors = (e for section in sections for e in section.entries if e.kind is ReportEntryKind.ERROR)
    if any(entry.code in codes for entry in errors):
        return SealResult.INVALID
    missing = any(rule.code in codes for section in sections for rule in section.not_evaluated)
    return SealResult.NOT_EVALUATED if missing else SealResult.VALID


def _article_69b(entries: list[ReportEntry]) -> str | None:
    found = {entry.code for entry in entries}
    return next((name for name in ("Definitivo", "Presunto") if ARTICLE_69B[name] in found), None)


@lru_cache(maxsize=4096)
def _rule_set(code: str | None, version: str) -> tuple[str | None, str | None]:
    """Return name and revision of the rule set that has the code, first those of the version."""
    ordered = sorted(RULE_SETS, key=lambda rule_set: version not in rule_set.versions)
    for rule_set in ordered:
        if any(rule.code == code for rule in rule_set.rules):
            return rule_set.name, rule_set.revision
    return None, None


def _first(element: etree._Element | None, *names: str) -> str | None:
    """Return the first attribute that is not empty; versions have different names."""
    if element is None:
        return None
    return next((value for name in names if (value := element.get(name))), None)


def _time(text: str | None) -> datetime | None:
    """Parse a time without zone; a time of Retenciones 1.0 has one, which is dropped. None for other text."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else None
    except ValueError:
        return None


def _amount(text: str | None) -> Decimal | None:
    """Parse an amount, rounded to the decimals of the column; None for other text and for too many digits."""
    value = parse(text) if text else None
    return None if value is None or abs(value) >= _MAX_AMOUNT else half_up(value, AMOUNT_DECIMALS)


TABLES: Mapping[str, tuple[Column, ...]] = {
    "documents": DOCUMENTS,
    "findings": FINDINGS,
    "concepts": CONCEPTS,
    "payments": PAYMENTS,
}
"""Columns by table."""

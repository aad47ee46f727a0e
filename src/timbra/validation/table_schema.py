"""Columns of the tables of validation results, which datasets, reports and lists of documents share.

The tables are versioned: `SCHEMA_VERSION` changes with a name, a type or a meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

SCHEMA_VERSION = 3
AMOUNT_DECIMALS = 6
"""Decimals of a column of type AMOUNT; it has 32 digits before the point."""
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
    Column("tipo_cambio", _AMOUNT, "TipoCambioP."),
)

ACCOUNTING = (
    Column("document_id", _INTEGER, "The document."),
    Column("uuid", _TEXT, "UUID of the document's stamp, in lower case."),
    Column("metodo_de_pago", _TEXT, "MetodoPago: PUE or PPD."),
    Column("forma_de_pago", _TEXT, "FormaPago."),
    Column("tipo_cambio", _AMOUNT, "TipoCambio."),
    Column("subtotal", _AMOUNT, "SubTotal, or the total of operations of a retención."),
    Column("descuento", _AMOUNT, "Descuento."),
    Column("iva", _AMOUNT, "IVA transferred, of the summary of taxes."),
    Column("ieps", _AMOUNT, "IEPS transferred."),
    Column("isr_retenido", _AMOUNT, "ISR withheld."),
    Column("iva_retenido", _AMOUNT, "IVA withheld."),
    Column("ieps_retenido", _AMOUNT, "IEPS withheld."),
    Column("traslados_locales", _AMOUNT, "Local taxes transferred."),
    Column("retenciones_locales", _AMOUNT, "Local taxes withheld."),
)

RELATIONS = (
    Column("document_id", _INTEGER, "The document."),
    Column("uuid", _TEXT, "UUID of the document's stamp, in lower case."),
    Column("position", _INTEGER, "Position of the related document, from 0."),
    Column("tipo_relacion", _TEXT, "TipoRelacion."),
    Column("related_uuid", _TEXT, "UUID of the related document, in lower case."),
)

METADATA = (
    Column("source", ColumnType.TEXT, "Metadata file of the SAT's mass download."),
    Column("uuid", ColumnType.TEXT, "UUID of the document, in lower case."),
    Column("issuer_rfc", ColumnType.TEXT, "RfcEmisor."),
    Column("issuer_name", ColumnType.TEXT, "NombreEmisor."),
    Column("receiver_rfc", ColumnType.TEXT, "RfcReceptor."),
    Column("receiver_name", ColumnType.TEXT, "NombreReceptor."),
    Column("provider_rfc", ColumnType.TEXT, "RfcPac."),
    Column("fecha", ColumnType.LOCAL_TIME, "FechaEmision."),
    Column("fecha_timbrado", ColumnType.LOCAL_TIME, "FechaCertificacionSat."),
    Column("total", ColumnType.AMOUNT, "Monto."),
    Column("tipo_de_comprobante", ColumnType.TEXT, "EfectoComprobante: I, E, T, N or P."),
    Column("status", ColumnType.TEXT, "Estatus as a word: `Vigente` for 1, `Cancelado` for 0."),
    Column("cancelled_at", ColumnType.LOCAL_TIME, "FechaCancelacion."),
)


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """The rows of one document.

    Attributes:
        document: The row of `documents`, without `document_id` and `duplicate_of`.
        findings: The rows of `findings`, without `document_id`.
    """

    document: Row
    findings: list[Row]


TABLES: Mapping[str, tuple[Column, ...]] = {
    "documents": DOCUMENTS,
    "findings": FINDINGS,
    "concepts": CONCEPTS,
    "payments": PAYMENTS,
    "accounting": ACCOUNTING,
    "relations": RELATIONS,
}
"""Columns by table."""

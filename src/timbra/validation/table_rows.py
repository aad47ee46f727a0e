"""Rows of the tables of validation results, from a document and its report.

Rows are dictionaries by column name, with values of the column's type or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from lxml import etree

from timbra._native import ElementSearch
from timbra.cfdi.tfd import TFD_TAG, stamp_elements
from timbra.cfdi.uuid_text import canonical_uuid
from timbra.core.bounds import Bound, BoundKind
from timbra.core.money import half_up, parse
from timbra.core.text import storable
from timbra.rules.registry import RULE_SETS
from timbra.rules.rulesets.certificates.evaluation import ISSUER
from timbra.validation.article_69b import CODES as ARTICLE_69B
from timbra.validation.models import STAMP, ReportEntry, ReportEntryKind, SectionKind, ValidationReport
from timbra.validation.table_schema import AMOUNT_DECIMALS, ReportOutcome, Row, SealResult

if TYPE_CHECKING:
    from timbra.core.errors import ServiceError

_MAX_AMOUNT = Decimal(10) ** 32
_SHORT_AMOUNT = 28
"""Characters of an amount that is surely smaller than `_MAX_AMOUNT`."""
_PARTIES = ElementSearch(("Emisor", "Receptor", "Totales"), any_namespace=True)
_COMPLEMENTS = ElementSearch(("Complemento",), any_namespace=True)
_TAX_NAMES = {"001": "isr", "002": "iva", "003": "ieps", "ISR": "isr", "IVA": "iva", "IEPS": "ieps"}
_TAXES = (
    ("{*}Impuestos/{*}Traslados/{*}Traslado", "{}", "Impuesto", "Importe"),
    ("{*}Impuestos/{*}Retenciones/{*}Retencion", "{}_retenido", "Impuesto", "Importe"),
    ("{*}Totales/{*}ImpRetenidos", "{}_retenido", "ImpuestoRet", "MontoRet"),
)
"""Path, column, and attributes of tax and amount."""
_LOCAL_TAXES = (("traslados_locales", "TotaldeTraslados"), ("retenciones_locales", "TotaldeRetenciones"))
# Reading the value of a member of an enumeration is a call of Python code.
_ABSENT, _INVALID, _VALID = SealResult.ABSENT.value, SealResult.INVALID.value, SealResult.VALID.value
_NOT_EVALUATED = SealResult.NOT_EVALUATED.value
_WITH_ERRORS, _WARNED = ReportOutcome.INVALID.value, ReportOutcome.WARNED.value
_WITHOUT_FINDINGS = ReportOutcome.VALID.value


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
    """
    stamp = next(stamp_elements(root), None)
    sello = _first(root, "Sello", "sello")
    return {
        **header_columns(root),
        "uuid": None if stamp is None else canonical_uuid(stamp.get("UUID") or ""),
        "version": report.version,
        "fecha_timbrado": None if stamp is None else _time(stamp.get("FechaTimbrado")),
        "provider_rfc": None if stamp is None else stamp.get("RfcProvCertif") or None,
        "seal_tail": sello[-8:] if sello else None,
        "complements": _complements(root),
        **outcome_columns(report),
        "not_evaluated": len(report.not_evaluated),
        "seal": _seal_result(report) if sello else _ABSENT,
        "stamp": _ABSENT if stamp is None else _stamp_result(report),
        "article_69b": _article_69b(report.entries),
        "data_version": report.data_version,
    }


def outcome_columns(report: ValidationReport) -> Row:
    """Return the columns that count the findings of a report."""
    entries = report.primary_entries
    errors = sum(entry.kind is ReportEntryKind.ERROR for entry in entries) if entries else 0
    return {
        "result": _WITH_ERRORS if errors else _WARNED if entries else _WITHOUT_FINDINGS,
        "errors": errors,
        "warnings": len(entries) - errors,
    }


def unreadable_finding(error: ServiceError) -> Row:
    """Return the row of `findings` of a document without a report, without the columns of the document."""
    detail = error.detail and storable(error.detail)
    return {"position": 0, "severity": "error", "code": error.code, "detail": detail}


def finding_rows(report: ValidationReport) -> Iterator[Row]:
    """Yield a row of `findings` for each finding, without the columns of the document."""
    position = 0
    for section in report.sections:
        for entry in section.entries:
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
            "no_identificacion": _first(node, "NoIdentificacion", "noIdentificacion"),
            "cantidad": _amount(_first(node, "Cantidad", "cantidad")),
            "clave_unidad": node.get("ClaveUnidad"),
            "descripcion": _first(node, "Descripcion", "descripcion"),
            "valor_unitario": _amount(_first(node, "ValorUnitario", "valorUnitario")),
            "importe": _amount(_first(node, "Importe", "importe")),
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
                "tipo_cambio": _amount(pago.get("TipoCambioP")),
            }
            position += 1


def accounting_rows(root: etree._Element) -> Iterator[Row]:
    """Yield the row of `accounting`, without the columns of the document."""
    totales = root.find("{*}Totales")
    taxes: dict[str, Decimal] = {}
    for paths, name, tax, amount in _TAXES:
        for node in root.iterfind(paths):
            column = name.format(_TAX_NAMES.get(_first(node, tax, tax.lower()) or "", ""))
            value = _amount(_first(node, amount, amount.lower()))
            taxes[column] = taxes.get(column, Decimal(0)) + (value or 0)
    for node in root.iterfind("{*}Complemento/{*}ImpuestosLocales"):
        for column, attribute in _LOCAL_TAXES:
            taxes[column] = taxes.get(column, Decimal(0)) + (_amount(node.get(attribute)) or 0)
    yield {
        **taxes,
        "metodo_de_pago": _first(root, "MetodoPago", "metodoDePago"),
        "forma_de_pago": _first(root, "FormaPago", "formaDePago"),
        "tipo_cambio": _amount(_first(root, "TipoCambio")),
        "subtotal": _amount(_first(root, "SubTotal", "subTotal") or _first(totales, "MontoTotOperacion")),
        "descuento": _amount(_first(root, "Descuento", "descuento")),
    }


def relation_rows(root: etree._Element) -> Iterator[Row]:
    """Yield a row of `relations` for each related document, without the columns of the document."""
    position = 0
    for group in root.iterchildren("{*}CfdiRelacionados", "{*}CfdiRetenRelacionados"):
        for node in (group, *group.iterchildren("{*}CfdiRelacionado")):
            if related := canonical_uuid(node.get("UUID") or ""):
                yield {"position": position, "tipo_relacion": group.get("TipoRelacion"), "related_uuid": related}
                position += 1


def status_columns(report: ValidationReport, at: datetime) -> Row:
    """Return the joined columns of the status, for a report that has one. `at`: Instant of the authority's answer."""
    if report.status_sat in (None, "No Aplica"):
        return {}
    return {
        "status": report.status_sat,
        "cancelable": report.is_cancelable,
        "cancellation": report.status_cancelation or None,
        "status_time": at,
    }


def header_columns(root: etree._Element) -> Row:
    """Return kind, parties, number, dates and amounts of a CFDI, a Retenciones 2.0 or a Retenciones 1.0."""
    is_cfdi = str(root.tag).endswith("}Comprobante")
    nodes: dict[str, etree._Element] = {}
    for child in _PARTIES.find(root):
        nodes.setdefault(str(child.tag).rpartition("}")[2], child)
    emisor, receptor = nodes.get("Emisor"), nodes.get("Receptor")
    party = receptor
    if not is_cfdi and receptor is not None:
        party = next(receptor.iterchildren("{*}Nacional", "{*}Extranjero"), None)
    totales = root if is_cfdi else nodes.get("Totales")
    return {
        "kind": "cfdi" if is_cfdi else "retenciones",
        "tipo_de_comprobante": _first(root, "TipoDeComprobante", "tipoDeComprobante"),
        "serie": _first(root, "Serie", "serie"),
        "folio": _first(root, "Folio", "FolioInt", "folio"),
        "issuer_rfc": _first(emisor, "Rfc", "RfcE", "RFCEmisor", "rfc"),
        "issuer_name": _first(emisor, "Nombre", "NomDenRazSocE", "nombre"),
        "receiver_rfc": _first(party, "Rfc", "RfcR", "RFCRecep", "NumRegIdTribR", "NumRegIdTrib", "rfc"),
        "receiver_name": _first(party, "Nombre", "NomDenRazSocR", "nombre"),
        "fecha": _time(_first(root, "Fecha", "FechaExp", "fecha")),
        "moneda": root.get("Moneda"),
        "total": _amount(_first(totales, "Total", "MontoTotOperacion", "montoTotOperacion", "total")),
    }


def _complements(root: etree._Element) -> list[str]:
    names: dict[str, None] = {}
    for complement in _COMPLEMENTS.find(root):
        for child in complement.iterchildren(etree.Element):
            if child.tag != TFD_TAG:
                names[str(child.tag).rpartition("}")[2]] = None
    return list(names)


def _seal_result(report: ValidationReport) -> str:
    codes = _issuer_codes(report.version)
    is_evaluated = True
    for section in report.sections:
        if section.kind is not SectionKind.INVOICE:
            continue
        for entry in section.entries:
            if entry.kind is ReportEntryKind.ERROR and entry.code in codes:
                return _INVALID
        for rule in section.not_evaluated:
            is_evaluated = is_evaluated and rule.code not in codes
    return _VALID if is_evaluated else _NOT_EVALUATED


def _stamp_result(report: ValidationReport) -> str:
    sections = [section for section in report.sections if section.complement == STAMP]
    is_evaluated = bool(sections)
    for section in sections:
        if section.has_errors:
            return _INVALID
        is_evaluated = is_evaluated and not section.not_evaluated
    return _VALID if is_evaluated else _NOT_EVALUATED


@cache
def _issuer_codes(version: str) -> frozenset[str]:
    """Return the codes of the rules about the issuer's certificate and seal."""
    return frozenset(rule.code for rule in ISSUER[version])


def _article_69b(entries: list[ReportEntry]) -> str | None:
    if not entries:
        return None
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
    if element is not None:
        for name in names:
            if value := element.get(name):
                return value
    return None


def _time(text: str | None) -> datetime | None:
    """Parse a time without zone; a time of Retenciones 1.0 has one, which is dropped. None for other text."""
    try:
        time = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return time if time is None or time.tzinfo is None else time.replace(tzinfo=None)


def _amount(text: str | None) -> Decimal | None:
    """Parse an amount, rounded to the decimals of the column; None for other text and for too many digits."""
    value = parse(text) if text else None
    if value is None or (len(text or "") > _SHORT_AMOUNT and abs(value) >= _MAX_AMOUNT):
        return None
    return half_up(value, AMOUNT_DECIMALS)


BOUNDS = (
    Bound("_issuer_codes", BoundKind.CACHE, "one for each version of a document", "There are no further versions."),
)

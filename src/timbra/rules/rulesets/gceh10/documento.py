"""Invoices behind an expense, share and month: GCEH103 to GCEH107, GCEH115, GCEH116, GCEH132."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado, Erogacion
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.engine.result import RuleResult
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.gceh10.vinculo import only_with, required_by
from timbra.rules.shared.conditions import absent
from timbra.rules.shared.hidrocarburos.vinculados import is_month_of, is_share

EROGACION: Final = "Complemento/GastosHidrocarburos/Erogacion"
AT: Final = f"{EROGACION}/DocumentoRelacionado"
FOLIO: Final = "FolioFiscalVinculado"
FOREIGN: Final = "Extranjero"


@rule("GCEH103", at=f"{AT}/@FolioFiscalVinculado")
def foreign_expense_has_no_invoice(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    if document.OrigenErogacion != FOREIGN:
        return None
    return absent(document.FolioFiscalVinculado, f"con OrigenErogacion {FOREIGN}")


@rule("GCEH104", at=f"{AT}/@RFCProveedor")
def supplier_belongs_to_an_invoice(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return only_with(document.RFCProveedor, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH105", at=f"{AT}/@RFCProveedor")
def invoice_has_its_supplier(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return required_by(document.RFCProveedor, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH106", at=f"{AT}/@MontoTotalIVA")
def iva_belongs_to_an_invoice(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return only_with(document.MontoTotalIVA, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH107", at=f"{AT}/@MontoTotalIVA")
def invoice_has_its_iva(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return required_by(document.MontoTotalIVA, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH115", at=f"{AT}/@Mes")
def month_is_that_of_the_document(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return is_month_of(document.Mes, document.FechaFolioFiscalVinculado)


@rule("GCEH116", at=f"{EROGACION}/@Porcentaje")
def share_is_positive(erogacion: Erogacion, _ctx: EvaluationContext) -> RuleResult:
    return is_share(erogacion.Porcentaje, erogacion.porcentaje)


@rule("GCEH132", at=f"{AT}/@FechaFolioFiscalVinculado")
def invoice_has_its_date(document: DocumentoRelacionado, _ctx: EvaluationContext) -> RuleResult:
    return required_by(document.FechaFolioFiscalVinculado, document.FolioFiscalVinculado, FOLIO)

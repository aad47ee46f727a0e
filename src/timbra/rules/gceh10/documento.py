"""Invoices behind an expense, share and month: GCEH103 to GCEH107, GCEH115, GCEH116, GCEH132."""

from __future__ import annotations

from typing import Final

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado, Erogacion
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Verdict
from timbra.rules.gceh10.vinculo import only_with, required_by
from timbra.rules.hidrocarburos.vinculados import is_month_of, is_share
from timbra.rules.rule import rule

EROGACION: Final = "Complemento/GastosHidrocarburos/Erogacion"
AT: Final = f"{EROGACION}/DocumentoRelacionado"
FOLIO: Final = "FolioFiscalVinculado"
FOREIGN: Final = "Extranjero"


@rule("GCEH103", at=f"{AT}/@FolioFiscalVinculado")
def foreign_expense_has_no_invoice(document: DocumentoRelacionado, _case: Case) -> Verdict:
    if document.OrigenErogacion != FOREIGN:
        return None
    return absent(document.FolioFiscalVinculado, f"con OrigenErogacion {FOREIGN}")


@rule("GCEH104", at=f"{AT}/@RFCProveedor")
def supplier_belongs_to_an_invoice(document: DocumentoRelacionado, _case: Case) -> Verdict:
    return only_with(document.RFCProveedor, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH105", at=f"{AT}/@RFCProveedor")
def invoice_has_its_supplier(document: DocumentoRelacionado, _case: Case) -> Verdict:
    return required_by(document.RFCProveedor, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH106", at=f"{AT}/@MontoTotalIVA")
def iva_belongs_to_an_invoice(document: DocumentoRelacionado, _case: Case) -> Verdict:
    return only_with(document.MontoTotalIVA, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH107", at=f"{AT}/@MontoTotalIVA")
def invoice_has_its_iva(document: DocumentoRelacionado, _case: Case) -> Verdict:
    return required_by(document.MontoTotalIVA, document.FolioFiscalVinculado, FOLIO)


@rule("GCEH115", at=f"{AT}/@Mes")
def month_is_that_of_the_document(document: DocumentoRelacionado, _case: Case) -> Verdict:
    return is_month_of(document.Mes, document.FechaFolioFiscalVinculado)


@rule("GCEH116", at=f"{EROGACION}/@Porcentaje")
def share_is_positive(erogacion: Erogacion, _case: Case) -> Verdict:
    return is_share(erogacion.Porcentaje, erogacion.porcentaje)


@rule("GCEH132", at=f"{AT}/@FechaFolioFiscalVinculado")
def invoice_has_its_date(document: DocumentoRelacionado, _case: Case) -> Verdict:
    return required_by(document.FechaFolioFiscalVinculado, document.FolioFiscalVinculado, FOLIO)

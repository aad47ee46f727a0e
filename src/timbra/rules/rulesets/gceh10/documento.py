"""Invoices of an expense, percentage and month: GCEH103 to GCEH107, GCEH115, GCEH116, GCEH132."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado, Erogacion
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos.vinculados import month_is_of_date_or_previous, percentage_is_positive
from timbra.rules.shared.presence import is_absent_with, is_absent_without, is_present_with

GCEH103 = row(
    "GCEH103",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FolioFiscalVinculado",
    says="Con OrigenErogacion Extranjero, FolioFiscalVinculado no debe existir.",
    check=is_absent_with("FolioFiscalVinculado", "OrigenErogacion", ("Extranjero",)),
)


GCEH104 = row(
    "GCEH104",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor",
    says="Sin FolioFiscalVinculado, RFCProveedor no debe existir.",
    check=is_absent_without("RFCProveedor", "FolioFiscalVinculado"),
)


GCEH105 = row(
    "GCEH105",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor",
    says="Con FolioFiscalVinculado, RFCProveedor debe existir.",
    check=is_present_with("RFCProveedor", "FolioFiscalVinculado"),
)


GCEH106 = row(
    "GCEH106",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA",
    says="Sin FolioFiscalVinculado, MontoTotalIVA no debe existir.",
    check=is_absent_without("MontoTotalIVA", "FolioFiscalVinculado"),
)


GCEH107 = row(
    "GCEH107",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA",
    says="Con FolioFiscalVinculado, MontoTotalIVA debe existir.",
    check=is_present_with("MontoTotalIVA", "FolioFiscalVinculado"),
)


GCEH115 = row(
    "GCEH115",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes",
    says="Mes debe ser el de FechaFolioFiscalVinculado o el anterior.",
    check=month_is_of_date_or_previous,
)


GCEH116 = row(
    "GCEH116",
    Erogacion,
    at="Complemento/GastosHidrocarburos/Erogacion/@Porcentaje",
    says="Porcentaje de una erogación debe ser mayor que cero.",
    check=percentage_is_positive,
)


GCEH132 = row(
    "GCEH132",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FechaFolioFiscalVinculado",
    says="Con FolioFiscalVinculado, FechaFolioFiscalVinculado debe existir.",
    check=is_present_with("FechaFolioFiscalVinculado", "FolioFiscalVinculado"),
)

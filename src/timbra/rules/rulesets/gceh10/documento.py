"""Invoices of an expense, percentage and month: GCEH103 to GCEH107, GCEH115, GCEH116, GCEH132."""

from __future__ import annotations

from timbra.cfdi.nodes.gceh10 import DocumentoRelacionado, Erogacion
from timbra.examples.codes.example import example
from timbra.examples.codes.hidrocarburos10 import abroad, expense_of
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos
from timbra.rules.engine.rule import row
from timbra.rules.shared.hidrocarburos.vinculados import month_is_of_date_or_previous, percentage_is_positive
from timbra.rules.shared.presence import is_absent_with, is_absent_without, is_present_with

GCEH103 = row(
    "GCEH103",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FolioFiscalVinculado",
    says="Con OrigenErogacion Extranjero, FolioFiscalVinculado no debe existir.",
    check=is_absent_with("FolioFiscalVinculado", "OrigenErogacion", ("Extranjero",)),
    fails={"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@OrigenErogacion": "Extranjero"},
)


GCEH104 = row(
    "GCEH104",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor",
    says="Sin FolioFiscalVinculado, RFCProveedor no debe existir.",
    check=is_absent_without("RFCProveedor", "FolioFiscalVinculado"),
    fails=expense_of(abroad(RFCProveedor=ROBOTICA.rfc), abroad()),
)


GCEH105 = row(
    "GCEH105",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor",
    says="Con FolioFiscalVinculado, RFCProveedor debe existir.",
    check=is_present_with("RFCProveedor", "FolioFiscalVinculado"),
    fails={"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@RFCProveedor": None},
)


GCEH106 = row(
    "GCEH106",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA",
    says="Sin FolioFiscalVinculado, MontoTotalIVA no debe existir.",
    check=is_absent_without("MontoTotalIVA", "FolioFiscalVinculado"),
    fails=expense_of(abroad(MontoTotalIVA="32.00"), abroad()),
)


GCEH107 = row(
    "GCEH107",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA",
    says="Con FolioFiscalVinculado, MontoTotalIVA debe existir.",
    check=is_present_with("MontoTotalIVA", "FolioFiscalVinculado"),
    fails={"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@MontoTotalIVA": None},
)


GCEH115 = row(
    "GCEH115",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes",
    says="Mes debe ser el de FechaFolioFiscalVinculado o el anterior.",
    check=month_is_of_date_or_previous,
    fails=example(
        gastos_hidrocarburos,
        {"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes": "09"},
        passes={"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@Mes": "10"},
    ),
)


GCEH116 = row(
    "GCEH116",
    Erogacion,
    at="Complemento/GastosHidrocarburos/Erogacion/@Porcentaje",
    says="Porcentaje de una erogación debe ser mayor que cero.",
    check=percentage_is_positive,
    fails={"Complemento/GastosHidrocarburos/Erogacion/@Porcentaje": "0.000"},
)


GCEH132 = row(
    "GCEH132",
    DocumentoRelacionado,
    at="Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FechaFolioFiscalVinculado",
    says="Con FolioFiscalVinculado, FechaFolioFiscalVinculado debe existir.",
    check=is_present_with("FechaFolioFiscalVinculado", "FolioFiscalVinculado"),
    fails={"Complemento/GastosHidrocarburos/Erogacion/DocumentoRelacionado/@FechaFolioFiscalVinculado": None},
)

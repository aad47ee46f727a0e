"""Sentences of the error matrix of Ingresos de Hidrocarburos 1.0."""

from __future__ import annotations

IEEH10: dict[str, str] = {
    "IEEH102": "Con el complemento Ingresos de Hidrocarburos, TipoDeComprobante debe ser I.",
    "IEEH103": "Mes debe ser el de FechaFolioFiscalVinculado o el anterior.",
    "IEEH104": "Porcentaje del complemento Ingresos de Hidrocarburos debe ser mayor que cero.",
    "IEEH105": "ContraprestacionPagadaOperador debe ser igual al Total del comprobante.",
    "IEEH106": "Con el complemento Ingresos de Hidrocarburos, Exportacion debe ser 01.",
    "IEEH107": "Con el complemento Ingresos de Hidrocarburos, InformacionGlobal no debe existir.",
    "IEEH108": "Con el complemento Ingresos de Hidrocarburos, FacAtrAdquirente no debe existir.",
    "IEEH109": "Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ACuentaTerceros.",
    "IEEH110": "Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar InformacionAduanera.",
    "IEEH111": "Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar CuentaPredial.",
    "IEEH112": "Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar ComplementoConcepto.",
    "IEEH113": "Con el complemento Ingresos de Hidrocarburos, ningún concepto debe llevar Parte.",
    "IEEH999": "El complemento Ingresos de Hidrocarburos no cumple con algo que la matriz no clasifica.",
}

"""Facets of the SAT's schemas that a rule checks; the schema omits them, so that the result has the rule's code.

A facet is owned only if the rule rejects every value that the facet rejects; all other facets remain in the schema
(301). Catalogs are always checked by rules; `catalogs.json` of the snapshot has them.

Source: SAT's error matrices of CFDI 4.0 (2026-03-25) and 3.3, Pagos 2.0 (revision B) and 1.0, Nómina 1.2 (revisions B
and E), Carta Porte 3.1, Gastos and Ingresos de Hidrocarburos 1.0, Hidrocarburos y Petrolíferos 1.0, Retenciones 2.0
(2025-04-09), Plataformas Tecnológicas 1.0 (revision D).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Flag, auto


class OwnedFacet(Flag):
    """The part of a value that the rule checks."""

    TEXT = auto()
    """The whole value: the attribute becomes text."""
    DECIMALS = auto()
    """The number of decimals."""
    BOUNDS = auto()
    """The smallest and the largest value."""
    MINIMUM = auto()
    """Only the smallest value."""
    LENGTH = auto()
    """The number of digits."""


TEXT, DECIMALS, BOUNDS, MINIMUM, LENGTH = (
    OwnedFacet.TEXT,
    OwnedFacet.DECIMALS,
    OwnedFacet.BOUNDS,
    OwnedFacet.MINIMUM,
    OwnedFacet.LENGTH,
)
FacetClaim = tuple[OwnedFacet, str]
"""The owned facets, and the codes of the rules that check them, separated by blanks."""
FacetClaims = Mapping[str, Mapping[str, FacetClaim]]
"""Element path -> attribute -> claim."""

_CONCEPTO = "Comprobante/Conceptos/Concepto"
_PAGO = "Pagos/Pago"
_DOCUMENT = _PAGO + "/DoctoRelacionado"

_CFDI40: FacetClaims = {
    "Comprobante": {
        "Fecha": (TEXT, "CFDI40101"),
        "NoCertificado": (TEXT, "CFDI40106"),
        "SubTotal": (DECIMALS, "CFDI40107"),
        "Descuento": (DECIMALS, "CFDI40112"),
        "TipoCambio": (TEXT, "CFDI40117"),
        "Total": (DECIMALS, "CFDI40119"),
    },
    "Comprobante/InformacionGlobal": {"Año": (BOUNDS, "CFDI40136")},
    _CONCEPTO: {"Descuento": (DECIMALS, "CFDI40168")},
    _CONCEPTO + "/Impuestos/Traslados/Traslado": {
        "Base": (BOUNDS, "CFDI40174"),
        "TasaOCuota": (BOUNDS, "CFDI40179"),
    },
    _CONCEPTO + "/Impuestos/Retenciones/Retencion": {
        "Base": (BOUNDS, "CFDI40181"),
        "TasaOCuota": (BOUNDS, "CFDI40185"),
    },
    _CONCEPTO + "/InformacionAduanera": {"NumeroPedimento": (TEXT, "CFDI40194")},
    _CONCEPTO + "/Parte": {"ValorUnitario": (BOUNDS, "CFDI40197")},
    _CONCEPTO + "/Parte/InformacionAduanera": {"NumeroPedimento": (TEXT, "CFDI40199")},
    "Comprobante/Impuestos": {
        "TotalImpuestosRetenidos": (DECIMALS, "CFDI40202"),
        "TotalImpuestosTrasladados": (DECIMALS, "CFDI40204"),
    },
    "Comprobante/Impuestos/Retenciones/Retencion": {"Importe": (DECIMALS, "CFDI40210")},
    "Comprobante/Impuestos/Traslados/Traslado": {
        "Base": (DECIMALS, "CFDI40214"),
        "TasaOCuota": (BOUNDS, "CFDI40219"),
        "Importe": (DECIMALS, "CFDI40220"),
    },
}

_CFDI33: FacetClaims = {
    "Comprobante": {
        "Fecha": (TEXT, "CFDI33101"),
        "NoCertificado": (TEXT, "CFDI33105"),
        "SubTotal": (DECIMALS, "CFDI33106"),
        "Descuento": (DECIMALS, "CFDI33111"),
        "TipoCambio": (DECIMALS, "CFDI33116"),
    },
    _CONCEPTO: {"Descuento": (DECIMALS, "CFDI33150")},
    _CONCEPTO + "/Impuestos/Traslados/Traslado": {
        "Base": (BOUNDS, "CFDI33154"),
        "TasaOCuota": (BOUNDS, "CFDI33159"),
    },
    _CONCEPTO + "/Impuestos/Retenciones/Retencion": {
        "Base": (BOUNDS, "CFDI33163"),
        "TasaOCuota": (BOUNDS, "CFDI33167"),
    },
    _CONCEPTO + "/InformacionAduanera": {"NumeroPedimento": (TEXT, "CFDI33170")},
    _CONCEPTO + "/Parte": {"ValorUnitario": (BOUNDS, "CFDI33174")},
    _CONCEPTO + "/Parte/InformacionAduanera": {"NumeroPedimento": (TEXT, "CFDI33177")},
    "Comprobante/Impuestos": {
        "TotalImpuestosRetenidos": (DECIMALS, "CFDI33180"),
        "TotalImpuestosTrasladados": (DECIMALS, "CFDI33182"),
    },
    "Comprobante/Impuestos/Traslados/Traslado": {"TasaOCuota": (BOUNDS, "CFDI33193")},
}

_PAGOS20: FacetClaims = {
    _PAGO: {
        "Monto": (BOUNDS | DECIMALS, "CRP20218 CRP20219"),
        "CtaOrdenante": (TEXT, "CRP20224 CRP20225"),
        "CtaBeneficiario": (TEXT, "CRP20226 CRP20228"),
    },
    _DOCUMENT: {
        "ImpSaldoAnt": (BOUNDS | DECIMALS, "CRP20239 CRP20240"),
        "ImpPagado": (BOUNDS | DECIMALS, "CRP20241 CRP20242"),
        "ImpSaldoInsoluto": (BOUNDS | DECIMALS, "CRP20243 CRP20244"),
    },
    _DOCUMENT + "/ImpuestosDR/RetencionesDR/RetencionDR": {
        "BaseDR": (BOUNDS, "CRP20249"),
        "TasaOCuotaDR": (BOUNDS, "CRP20253"),
    },
    _DOCUMENT + "/ImpuestosDR/TrasladosDR/TrasladoDR": {
        "BaseDR": (BOUNDS, "CRP20255"),
        "TasaOCuotaDR": (BOUNDS, "CRP20260"),
    },
    _PAGO + "/ImpuestosP/TrasladosP/TrasladoP": {"TasaOCuotaP": (BOUNDS, "CRP20272")},
}

_PAGOS10: FacetClaims = {
    _PAGO: {
        "Monto": (BOUNDS | DECIMALS, "CRP207 CRP208"),
        "CtaOrdenante": (TEXT, "CRP212 CRP213"),
        "CtaBeneficiario": (TEXT, "CRP215 CRP239"),
    },
    _DOCUMENT: {
        "ImpSaldoAnt": (BOUNDS | DECIMALS, "CRP221 CRP222"),
        "ImpPagado": (BOUNDS | DECIMALS, "CRP223 CRP224"),
        "ImpSaldoInsoluto": (BOUNDS | DECIMALS, "CRP225 CRP226"),
    },
}

_NOMINA12: FacetClaims = {
    "Nomina/Receptor": {"CuentaBancaria": (LENGTH, "NOM62 NOM182")},
    "Nomina/Deducciones/Deduccion": {"Importe": (BOUNDS, "NOM96 NOM216")},
}

_CARTAPORTE31: FacetClaims = {
    "CartaPorte/Mercancias": {
        "PesoBrutoTotal": (BOUNDS | DECIMALS, "CP149 CP150"),
        "NumTotalMercancias": (BOUNDS, "CP154"),
    },
    "CartaPorte/Mercancias/Mercancia/DocumentacionAduanera": {"NumPedimento": (TEXT, "CP174")},
}

_EROGACION = "GastosHidrocarburos/Erogacion"
_GASTOS10: FacetClaims = {
    _EROGACION: {"Porcentaje": (MINIMUM, "GCEH116")},
    _EROGACION + "/DocumentoRelacionado": {"NumeroPedimentoVinculado": (TEXT, "GCEH133")},
    _EROGACION + "/Actividades": {"ActividadRelacionada": (TEXT, "GCEH123")},
    _EROGACION + "/Actividades/SubActividades": {"SubActividadRelacionada": (TEXT, "GCEH124")},
    _EROGACION + "/Actividades/SubActividades/Tareas": {"TareaRelacionada": (TEXT, "GCEH125")},
}

_INGRESOS10: FacetClaims = {
    "IngresosHidrocarburos": {"Porcentaje": (MINIMUM, "IEEH104")},
}

_HIDROYPETRO10: FacetClaims = {
    "HidroYPetro": {"NumeroPermiso": (TEXT, "CCHYP107 CFDI40999")},
}

_COMERCIOEXTERIOR20: FacetClaims = {
    "ComercioExterior": {"TotalUSD": (DECIMALS, "CCE122")},
}

_RETENCIONES20: FacetClaims = {
    "Retenciones": {
        "FechaExp": (TEXT, "Reten20103"),
        "NoCertificado": (TEXT, "Reten20102"),
        "CveRetenc": (TEXT, "Reten20105"),
    },
    "Retenciones/Periodo": {
        "MesIni": (TEXT, "Reten20121"),
        "MesFin": (TEXT, "Reten20123"),
        "Ejercicio": (TEXT, "Reten20126"),
    },
    "Retenciones/Totales/ImpRetenidos": {"TipoPagoRet": (TEXT, "Reten20134")},
}

_PLATAFORMAS = "ServiciosPlataformasTecnologicas"
_SERVICIO = _PLATAFORMAS + "/Servicios/DetallesDelServicio"
_PLATAFORMAS10: FacetClaims = {
    _PLATAFORMAS: {"Periodicidad": (TEXT, "SPT125")},
    _SERVICIO: {
        "FormaPagoServ": (TEXT, "SPT135"),
        "TipoDeServ": (TEXT, "SPT136"),
        "SubTipServ": (TEXT, "SPT138"),
    },
    _SERVICIO + "/ContribucionGubernamental": {"EntidadDondePagaLaContribucion": (TEXT, "SPT144")},
}

_RETENCIONES = "http://www.sat.gob.mx/esquemas/retencionpago/"

OWNED: Mapping[tuple[str, str], FacetClaims] = {
    ("http://www.sat.gob.mx/cfd/4", "4.0"): _CFDI40,
    ("http://www.sat.gob.mx/cfd/3", "3.3"): _CFDI33,
    ("http://www.sat.gob.mx/Pagos20", "2.0"): _PAGOS20,
    ("http://www.sat.gob.mx/Pagos", "1.0"): _PAGOS10,
    ("http://www.sat.gob.mx/nomina12", "1.2"): _NOMINA12,
    ("http://www.sat.gob.mx/ComercioExterior20", "2.0"): _COMERCIOEXTERIOR20,
    ("http://www.sat.gob.mx/CartaPorte31", "3.1"): _CARTAPORTE31,
    ("http://www.sat.gob.mx/GastosHidrocarburos10", "1.0"): _GASTOS10,
    ("http://www.sat.gob.mx/IngresosHidrocarburos10", "1.0"): _INGRESOS10,
    ("http://www.sat.gob.mx/hidrocarburospetroliferos", "1.0"): _HIDROYPETRO10,
    (_RETENCIONES + "2", "2.0"): _RETENCIONES20,
    (_RETENCIONES + "1/PlataformasTecnologicas10", "1.0"): _PLATAFORMAS10,
}

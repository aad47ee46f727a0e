"""The names of complements in requests, and the documents that have one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lxml import etree

_SAT = "http://www.sat.gob.mx/"
_RETENCIONES = f"{_SAT}esquemas/retencionpago/1/"
ANY_DOCUMENT = "comprobante"
"""A name of the SAT's list that is no complement: every document has it."""
_NAMES = MappingProxyType(
    {
        ANY_DOCUMENT: "",
        "acreditamientoieps10": "acreditamiento",
        "aerolineas": "aerolineas",
        "cartaporte10": "CartaPorte",
        "cartaporte20": "CartaPorte20",
        "cartaporte30": "CartaPorte30",
        "cartaporte31": "CartaPorte31",
        "certificadodedestruccion": "certificadodestruccion",
        "cfdiregistrofiscal": "registrofiscal",
        "comercioexterior10": "ComercioExterior",
        "comercioexterior11": "ComercioExterior11",
        "comercioexterior20": "ComercioExterior20",
        "consumodecombustibles": "consumodecombustibles",
        "consumodecombustibles11": "ConsumoDeCombustibles11",
        "detallista": "detallista",
        "divisas": "divisas",
        "donat11": "donat",
        "ecc11": "EstadoDeCuentaCombustible",
        "ecc12": "EstadoDeCuentaCombustible12",
        "gastoshidrocarburos10": "GastosHidrocarburos10",
        "iedu": "iedu",
        "implocal": "implocal",
        "ine11": "ine",
        "ingresoshidrocarburos": "IngresosHidrocarburos10",
        "leyendasfisc": "leyendasFiscales",
        "nomina11": "nomina",
        "nomina12": "nomina12",
        "notariospublicos": "notariospublicos",
        "obrasarteantiguedades": "arteantiguedades",
        "pagoenespecie": "pagoenespecie",
        "pagos10": "Pagos",
        "pagos20": "Pagos20",
        "pfic": "pfic",
        "renovacionysustitucionvehiculos": "renovacionysustitucionvehiculos",
        "servicioparcialconstruccion": "servicioparcialconstruccion",
        "spei": "spei",
        "terceros11": "terceros",
        "turistapasajeroextranjero": "TuristaPasajeroExtranjero",
        "valesdedespensa": "valesdedespensa",
        "vehiculousado": "vehiculousado",
        "ventavehiculos11": "ventavehiculos",
    }
)
COMPLEMENTS: Mapping[str, str] = MappingProxyType({name: f"{_SAT}{end}" for name, end in _NAMES.items()})
"""The namespace of each complement of CFDI, by its name in requests."""
RETENCIONES_COMPLEMENTS: Mapping[str, str] = MappingProxyType(
    {
        **{
            name: f"{_RETENCIONES}{name}"
            for name in (
                "arrendamientoenfideicomiso",
                "dividendos",
                "enajenaciondeacciones",
                "fideicomisonoempresarial",
                "intereses",
                "intereseshipotecarios",
                "operacionesconderivados",
                "pagosaextranjeros",
                "planesderetiro",
                "planesderetiro11",
                "premios",
                "sectorfinanciero",
            )
        },
        "serviciosplataformastecnologicas10": f"{_RETENCIONES}PlataformasTecnologicas10",
    }
)
"""The same of retenciones."""
_PATHS = ("{*}Complemento/*", "{*}Conceptos/{*}Concepto/{*}ComplementoConcepto/*")


def has_complement(root: etree._Element, name: str) -> bool:
    """Whether a document has a complement of the list, by its name in requests."""
    if name == ANY_DOCUMENT:
        return True
    start = f"{{{COMPLEMENTS.get(name) or RETENCIONES_COMPLEMENTS[name]}}}"
    return any(str(node.tag).startswith(start) for path in _PATHS for node in root.iterfind(path))

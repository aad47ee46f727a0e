"""Which matrix this is, and which rows it has."""

from __future__ import annotations

REVISION = "3.1-2024-07-17"
SOURCE = "SAT, matriz de errores de Carta Porte 3.1"
STANDARD = "SAT, estándar de Carta Porte 3.1"

CODED = tuple(f"CP{number}" for number in range(101, 205))

NEEDLESS = tuple(f"CP{number}:Needless" for number in range(159, 164))
"""The half of those rows that a provider does not ask: what must be absent."""

MISPLACED = ("CP112:Concepto",)
"""The half of CP112 about the place of the complement."""

KEYS = (
    "UbicacionPolo",
    "Ubicacion-Pais",
    "UnidadPeso",
    "BienesTransp",
    "ClaveUnidad",
    "FormaFarmaceutica",
    "CondicionesEspTransp",
    "Moneda",
    "FraccionArancelaria",
    "TipoDocumento",
    "UnidadPesoMerc",
    "TipoFigura",
    "ParteTransporte",
    "TiposFigura-Pais",
    "Autotransporte-PermSCT",
    "ConfigVehicular",
    "SubTipoRem",
    "TransporteMaritimo-PermSCT",
    "TipoEmbarcacion",
    "NacionalidadEmbarc",
    "TipoCarga",
    "NumAutorizacionNaviero",
    "TransporteMaritimo-TipoContenedor",
    "SubTipoRemCCP",
    "TransporteAereo-PermSCT",
    "CodigoTransportista",
    "ResidenciaFiscalEmbarc",
    "TipoDeServicio",
    "TipoDeTrafico",
    "TipoDerechoDePaso",
    "TipoCarro",
    "TransporteFerroviario-TipoContenedor",
)
"""Attributes whose keys SAT's schema lists and no code names: the schemas here leave all keys to the rules."""

ROWS = (*CODED, *MISPLACED, *NEEDLESS, *(f"CP999:{name}" for name in KEYS))

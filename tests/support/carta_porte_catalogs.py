"""Catalogs of Carta Porte 3.1 for the in-memory reference data."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str]
DANGER = "material_peligroso"
FREIGHT = ("78101800", "78101900", "31181701")
"""Products of invoices: freight, freight by several ways, parcels."""

_KEYS = {
    "c_ClaveTipoCarga": "CGS",
    "c_ClaveUnidadPeso": "KGM Tu",
    "c_CodigoTransporteAereo": "CA001",
    "c_CondicionesEspeciales": "01",
    "c_ConfigMaritima": "B01",
    "c_Contenedor": "TC01",
    "c_ContenedorMaritimo": "CM001 CM011",
    "c_CveTransporte": "01 02 03 04",
    "c_DerechosDePaso": "CDP114",
    "c_DocumentoAduanero": "01 20",
    "c_FiguraTransporte": "01 02 03",
    "c_FormaFarmaceutica": "01",
    "c_MaterialPeligroso": "0004",
    "c_NumAutorizacionNaviero": "ANC001/2022",
    "c_ParteTransporte": "PT02",
    "c_RegistroISTMO": "01 05",
    "c_SectorCOFEPRIS": "01 02 03 04 05",
    "c_SubTipoRem": "CTR001 CTR004",
    "c_TipoCarro": "TC01 TC05",
    "c_TipoDeTrafico": "TT01",
    "c_TipoEmbalaje": "1A1",
    "c_TipoEstacion": "01 02 03",
    "c_TipoMateria": "01 05",
    "c_TipoPermiso": "TPAF01 TPTM01 TPTA01",
}
"""Keys whose columns no rule reads."""

_STATIONS = {
    "PM001": ("02", "Rosarito"),
    "PM120": ("02", "Extranjera"),
    "EA0417": ("03", "Loreto"),
    "EA0418": ("03", "Los Cabos"),
    "Q0736": ("04", "SANTO NINO"),
    "SC283": ("04", "HUAXTITLA"),
    "JM047": ("04", "HUEHUETOCA"),
}


def carta_porte_catalogs() -> dict[str, dict[str, Row]]:
    """Return the catalogs by the names that rules use."""
    catalogs: dict[str, dict[str, Row]] = {name: {key: {} for key in keys.split()} for name, keys in _KEYS.items()}
    catalogs |= {
        "c_ClaveProdServCP": {
            **{key: {DANGER: "0"} for key in ("50211503", "31181701")},
            "11121900": {DANGER: "0,1"},
            "12131500": {DANGER: "1"},
        },
        "c_ConfigAutotransporte": {
            "C2": {"remolque": "0"},
            "T3S2": {"remolque": "1"},
            "VL": {"remolque": "0,1"},
        },
        "c_Estaciones": {key: {"clave_transporte": way, "descripcion": name} for key, (way, name) in _STATIONS.items()},
        "c_RegimenAduanero": {
            "IMD": {"impoexpo": "Entrada"},
            "EXD": {"impoexpo": "Salida"},
            "DFI": {"impoexpo": "Salida,Entrada"},
        },
        "c_TipoDeServicio": {"TS01": {"contenedor": "0"}, "TS02": {"contenedor": "1"}},
    }
    return {f"cartaporte31:{name}": keys for name, keys in catalogs.items()}

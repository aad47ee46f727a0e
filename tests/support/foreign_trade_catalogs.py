"""Catalogs of foreign trade for the in-memory reference data."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str]


def foreign_trade_catalogs() -> dict[str, dict[str, Row]]:
    """Catalogs of Comercio Exterior 2.0: a few keys of each."""
    keys = {
        "c_ClavePedimento": "A1",
        "c_INCOTERM": "FOB CFR",
        "c_MotivoTraslado": "01 02 03 04 05 99",
        "c_UnidadAduana": "01 06 99",
    }
    lines = {"2402200100": "01", "2402100100": "06", "9801000100": "01"}
    return {
        **{f"comercioexterior20:{name}": {key: {} for key in listed.split()} for name, listed in keys.items()},
        "comercioexterior20:c_FraccionArancelaria": {line: {"unidad": unit} for line, unit in lines.items()},
    }

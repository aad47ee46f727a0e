"""Postal codes and places for the in-memory reference data."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str]
LOCALITIES = ("cartaporte31", "comercioexterior20")
"""The standards with their own municipalities and localities."""


def _postal(estado: str, municipio: str = "", localidad: str = "", estimulo: str = "0") -> Row:
    return {"estado": estado, "municipio": municipio, "localidad": localidad, "estimulo_frontera": estimulo}


def _keys(*keys: str) -> dict[str, Row]:
    return {key: {} for key in keys}


def postal_catalogs() -> dict[str, dict[str, Row]]:
    """Postal codes, and the keys that belong to them."""
    states: dict[str, Row] = {
        **{key: {"pais": "MEX"} for key in ("HID", "TAB", "GUA", "BCN", "ROO")},
        "TX": {"pais": "USA"},
        "ON": {"pais": "CAN"},
    }
    municipios = _keys("015|GUA", "004|BCN", "005|ROO", "003|HID")
    localidades = _keys("31|GUA", "04|BCN", "01|ROO")
    return {
        "c_CodigoPostal": {
            "42501": _postal("HID"),
            "86991": _postal("TAB"),
            "36257": _postal("GUA", "015", "31"),
            "22000": _postal("BCN", "004", "04", "1"),
            "77500": _postal("ROO", "005", "01", "2"),
        },
        "c_Estado": states,
        "comercioexterior20:c_Estado": states,
        "c_Colonia": _keys("0115|36257", "0528|22000"),
        **{f"{standard}:c_Municipio": municipios for standard in LOCALITIES},
        **{f"{standard}:c_Localidad": localidades for standard in LOCALITIES},
    }

"""Catalogs of payrolls for the in-memory reference data."""

from __future__ import annotations

from collections.abc import Mapping

_KEYS = {
    "c_TipoNomina": "O E",
    "c_OrigenRecurso": "IP IF IM",
    "c_TipoContrato": "01 02 03 04 05 06 07 08 09 10 99",
    "c_TipoJornada": "01 02 99",
    "c_TipoRegimen": "02 03 04 05 09 13 99",
    "c_RiesgoPuesto": "1 2 99",
    "c_PeriodicidadPago": "01 04 99",
    "c_Banco": "002 012",
    "c_TipoPercepcion": "001 014 019 022 023 025 038 039 044 045 046 056",
    "c_TipoHoras": "01 02 03",
    "c_TipoDeduccion": "001 002 004 006",
    "c_TipoOtroPago": "001 002 003 004 007 008 999",
    "c_TipoIncapacidad": "01 02 03 04",
}


def payroll_catalogs() -> dict[str, dict[str, Mapping[str, str]]]:
    """By name with its prefix; one state of Mexico and one that is not."""
    keys: dict[str, dict[str, Mapping[str, str]]] = {
        f"nomina12:{name}": {key: {} for key in text.split()} for name, text in _KEYS.items()
    }
    return {**keys, "nomina12:c_Estado": {"HID": {"pais": "MEX"}, "TX": {"pais": "USA"}}}

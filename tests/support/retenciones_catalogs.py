"""Catalogs of retenciones and of services of platforms, as the snapshot has them."""

from __future__ import annotations

from collections.abc import Mapping

Row = Mapping[str, str]


def _numbers(first: int, last: int) -> dict[str, Row]:
    return {f"{number:02}": {} for number in range(first, last + 1)}


def _keys() -> dict[str, Row]:
    always = {
        "06": "EnajenaciondeAcciones",
        "14": "Dividendos",
        "16": "Intereses",
        "17": "Arrendamientoenfideicomiso",
        "18": "Pagosaextranjeros",
        "20": "Premios",
        "21": "Fideicomisonoempresarial",
        "22": "Planesderetiro",
        "23": "Intereseshipotecarios",
        "24": "Operacionesconderivados",
        "26": "ServiciosPlataformasTecnologicas",
    }
    rows: dict[str, Row] = {key: {"complemento": always.get(key, ""), "condicion": ""} for key in _numbers(1, 28)}
    rows["01"] = {"complemento": "Pagosaextranjeros", "condicion": "extranjero"}
    rows["27"] = {"complemento": "SectorFinanciero", "condicion": "fiduciario"}
    return rows


def _services() -> dict[str, Row]:
    return {key: {"subtipos": "1" * (key == "01"), "tasa_isr": ""} for key in _numbers(1, 9)}


def retenciones_catalogs() -> dict[str, dict[str, Row]]:
    """Return rows by key, by name of the catalog."""
    platforms = "plataformastecnologicas10"
    return {
        "retenciones20:c_CveRetenc": _keys(),
        "retenciones20:c_Ejercicio": {str(year): {} for year in range(2021, 2028)},
        "retenciones20:c_Periodo": _numbers(1, 12),
        "retenciones20:c_TipoPagoRet": {
            key: {"impuesto": tax} for key, tax in (("01", "002"), ("02", "003"), ("03", "001"), ("04", "001"))
        },
        f"{platforms}:c_EntidadesFederativas": _numbers(1, 32),
        f"{platforms}:c_FormaPagoServ": _numbers(1, 9),
        f"{platforms}:c_Periodicidad": _numbers(1, 5),
        f"{platforms}:c_SubTipoServ": _numbers(1, 4),
        f"{platforms}:c_TipoDeServ": _services(),
    }

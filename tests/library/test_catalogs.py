"""Catalogs as mappings."""

from __future__ import annotations

from datetime import date

import pytest

import timbra


def test_catalog_has_columns_and_text_of_a_key() -> None:
    assert timbra.catalog("c_RegimenFiscal", on=date(2026, 11, 17))["601"] == {
        "clave": "601",
        "aplica_fisica": "",
        "aplica_moral": "1",
        "vigencia_desde": "2022-01-01",
        "texto": "General de Ley Personas Morales",
    }


def test_catalog_has_the_keys_of_its_day() -> None:
    before, after = (timbra.catalog("c_UsoCFDI", on=day) for day in (date(2021, 12, 31), date(2022, 1, 1)))
    assert ("CP01" in before, "CP01" in after, len(before)) == (False, True, 0)
    assert set(after) >= {"G01", "CP01"}
    assert len(after) == len(list(after))
    with pytest.raises(KeyError):
        before["CP01"]


def test_catalog_has_those_of_other_standards_and_large_ones() -> None:
    assert timbra.catalog("nomina12:c_TipoNomina")["O"]["texto"] == "Nómina ordinaria"
    assert timbra.catalog("c_ClaveProdServ")["84111506"]["texto"] == "Servicios de facturación"
    assert timbra.catalog("c_CodigoPostal")["42501"]["estado"] == "HID"


def test_search_returns_keys_by_words_and_columns_on_the_day_of_the_catalog() -> None:
    uses = timbra.catalog("c_UsoCFDI", on=date(2026, 11, 17))
    assert uses.search("gastos", aplica_moral="1", regimenes_fiscales_receptores="601") == ["G03"]
    assert uses.search() == list(uses)
    assert timbra.catalog("c_UsoCFDI", on=date(2021, 12, 31)).search("gastos") == []
    with pytest.raises(timbra.Error, match="nada"):
        uses.search(nada="1")


@pytest.mark.parametrize("name", ["c_Nada", "nada"])
def test_catalog_raises_for_an_unknown_name(name: str) -> None:
    with pytest.raises(timbra.Error) as raised:
        timbra.catalog(name)
    assert raised.value.code == "name-unknown"


def test_catalogs_of_today_have_the_form_of_a_mapping() -> None:
    found = timbra.catalogs["c_RegimenFiscal"]  # type: ignore[index]
    assert (found.name, found["605"]["texto"]) == (
        "c_RegimenFiscal",
        "Sueldos y Salarios e Ingresos Asimilados a Salarios",
    )
    with pytest.raises(timbra.Error):
        timbra.catalogs["c_Nada"]  # type: ignore[index]

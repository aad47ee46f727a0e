"""Search of the keys of catalogs."""

from __future__ import annotations

from datetime import date

import pytest

from timbra.catalogs import SnapshotCatalogs
from timbra.catalogs.labels import CatalogLabels
from timbra.catalogs.search import CatalogEntry, CatalogSearch
from timbra.snapshot import locate, open_snapshot

DAY = date(2026, 11, 17)


@pytest.fixture(scope="module")
def search() -> CatalogSearch:
    snapshot = open_snapshot(locate(None))
    return CatalogSearch(SnapshotCatalogs(snapshot), CatalogLabels(snapshot))


def test_catalogs_are_those_of_the_invoice_first(search: CatalogSearch) -> None:
    found = list(search.catalogs())
    names = [each.name for each in found]
    assert names.index("c_UsoCFDI") < names.index("cartaporte31:c_TipoPermiso")
    assert len(names) == len(set(names))
    by_name = {each.name: each for each in found}
    assert by_name["nomina12:c_TipoNomina"].standard == "nomina12"
    assert by_name["c_Colonia"].columns == ("colonia", "codigo_postal")
    assert by_name["c_TasaOCuota"].columns[:4] == ("impuesto", "factor", "minimo", "valor")


def test_entry_has_text_and_columns_of_a_key(search: CatalogSearch) -> None:
    assert search.entry("c_Colonia", "0001|20339", DAY) == CatalogEntry(
        "0001|20339", "San José (San José de los Rodríguez)", {"colonia": "0001", "codigo_postal": "20339"}
    )
    assert search.entry("c_UsoCFDI", "ZZZ", DAY) is None
    assert search.entry("c_UsoCFDI", "G03", date(2021, 12, 31)) is None


@pytest.mark.parametrize("query", ["Gastos en general", "gasto general", "GASTOS EN GENERAL", "general, gastos"])
def test_search_finds_words_in_any_form(search: CatalogSearch, query: str) -> None:
    assert search.search("c_UsoCFDI", query, DAY) == ["G03"]


@pytest.mark.parametrize("query", ["incorporación", "incorporacion", "INCORPORACIÓN"])
def test_search_ignores_accents(search: CatalogSearch, query: str) -> None:
    assert search.search("c_RegimenFiscal", query, DAY) == ["621"]


def test_search_returns_the_key_itself_then_keys_that_begin_with_it(search: CatalogSearch) -> None:
    assert search.search("c_ClaveUnidad", "h87", DAY)[0] == "H87"
    found = search.search("c_ClaveProdServ", "841115", DAY)
    assert found[0] == "84111500"
    assert all(key.startswith("841115") for key in found)
    assert search.search("c_ClaveProdServ", "84111506", DAY) == ["84111506"]


def test_search_returns_texts_of_few_other_words_first(search: CatalogSearch) -> None:
    found = search.search("c_ClaveUnidad", "pieza", DAY)
    assert found[0] == "H87"
    assert "DPC" in found


def test_search_returns_nothing_for_words_that_no_text_has(search: CatalogSearch) -> None:
    assert search.search("c_UsoCFDI", "gastos zzz", DAY) == []
    assert search.search("c_UsoCFDI", "¿?", DAY) == []


def test_search_returns_keys_of_the_day_only(search: CatalogSearch) -> None:
    assert search.search("c_UsoCFDI", "", date(2021, 12, 31)) == []
    assert "CP01" in search.search("c_UsoCFDI", "pagos", DAY)


def test_search_compares_columns_with_several_values(search: CatalogSearch) -> None:
    of_company = search.search("c_UsoCFDI", "", DAY, {"aplica_moral": "1", "regimenes_fiscales_receptores": "601"})
    of_salaried = search.search("c_UsoCFDI", "", DAY, {"aplica_fisica": "1", "regimenes_fiscales_receptores": "605"})
    assert "G03" in of_company
    assert "D01" not in of_company
    assert "D01" in of_salaried
    assert "G03" not in of_salaried
    assert search.search("c_UsoCFDI", "", DAY, {"regimenes_fiscales_receptores": "6"}) == []


def test_search_compares_zero_with_flags_that_are_not_set(search: CatalogSearch) -> None:
    assert "605" in search.search("c_RegimenFiscal", "", DAY, {"aplica_moral": "0"})
    assert "601" not in search.search("c_RegimenFiscal", "", DAY, {"aplica_moral": "0"})


def test_search_compares_parts_of_composed_keys(search: CatalogSearch) -> None:
    assert search.search("c_Colonia", "san jose", DAY, {"codigo_postal": "20339"}) == ["0001|20339"]
    assert "001|AGU" in search.search("c_Municipio", "", DAY, {"estado": "AGU"})
    assert all(key.endswith("|AGU") for key in search.search("c_Municipio", "", DAY, {"estado": "AGU"}))
    assert search.search("c_Colonia", "", DAY, {"codigo_postal": "2033"}) == []


def test_search_finds_the_rates_of_a_tax(search: CatalogSearch) -> None:
    found = search.search("c_TasaOCuota", "", DAY, {"impuesto": "002", "traslado": "1", "estimulo_frontera": "0"})
    assert found == ["002|Tasa||0.000000", "002|Tasa||0.160000"]
    entry = search.entry("c_TasaOCuota", "003|Cuota|0.000000|72.160500", DAY)
    assert entry is not None
    assert (entry.columns["tipo"], entry.columns["valor"]) == ("Rango", "72.160500")


@pytest.mark.parametrize("name", ["c_Nada", "../c_UsoCFDI", "nada", ""])
def test_search_raises_for_an_unknown_catalog(search: CatalogSearch, name: str) -> None:
    with pytest.raises(KeyError):
        search.search(name, "", DAY)


def test_search_raises_for_an_unknown_column(search: CatalogSearch) -> None:
    with pytest.raises(KeyError, match="nada"):
        search.search("c_UsoCFDI", "", DAY, {"nada": "1"})

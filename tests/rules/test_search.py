"""Search of codes by words."""

from __future__ import annotations

import pytest

from timbra.rules.reference.pages import PAGES
from timbra.rules.reference.search import search

MAX_WORDS = 20


def found(query: str) -> list[str]:
    return [entry.code for entry in search(query)]


@pytest.mark.parametrize("query", ["redondeo", "redondear", "REDONDEADAS", "redondeo de importes"])
def test_search_finds_rounding_rules_first(query: str) -> None:
    codes = found(query)
    assert {"CFDI40108", "CFDI40211"} <= set(codes[:12])


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("c_Moneda", ["CFDI40113", "CFDI33112"]),
        ("codigo postal receptor", ["CFDI40147", "CFDI40148"]),
        ("régimen fiscal del receptor", ["CFDI40157", "CFDI40158", "CFDI40159"]),
        ("token vencido", ["AU4000"]),
        ("nombre del receptor", ["CFDI40144", "CFDI40145"]),
        ("NOMBRES DE RECEPTORES", ["CFDI40144", "CFDI40145"]),
        ("motivo de cancelacion", ["CR1310"]),
        ("40147", ["CFDI40147", "CFDI40148"]),
        ("CFDI40147", ["CFDI40147", "CFDI40148"]),
        ("40148", ["CFDI40148"]),
    ],
)
def test_search_puts_the_precise_codes_among_the_first(query: str, first: list[str]) -> None:
    assert set(first) <= set(found(query)[: len(first) + 8])


def test_search_finds_rules_of_an_attribute_only_when_it_begins_with_at() -> None:
    results = search("@TipoCambio")
    assert results
    assert all(entry.path.rpartition("/")[2] == "@TipoCambio" for entry in results)


def test_search_finds_rules_of_a_node() -> None:
    results = search("Mercancia")
    assert results[0].path.endswith("/Mercancia")
    assert sum("/Mercancia" in entry.path for entry in results[:50]) == 50


def test_search_puts_rules_of_former_versions_last_when_their_sentences_are_equal() -> None:
    codes = found("@SubTotal decimales moneda")
    assert codes.index("CFDI40107") < codes.index("CFDI33106")


def test_search_finds_the_same_with_and_without_accents() -> None:
    assert found("régimen") == found("regimen")
    assert found("cancelación") == found("cancelacion")


def test_search_considers_synonyms() -> None:
    assert "TFD11303" in found("timbrado")
    assert "EFOS" in found("69-B")


def test_search_finds_the_codes_that_it_is_given_only() -> None:
    codes = PAGES["cfdi33"].codes
    results = search("moneda", codes)
    assert results
    assert {entry.code for entry in results} <= codes


@pytest.mark.parametrize("query", ["", "   ", "de la", "ornitorrinco", "\0", "[bold]", "uso ornitorrinco"])
def test_search_finds_nothing_without_matching_words(query: str) -> None:
    assert search(query) == []


def test_search_ignores_words_after_the_limit() -> None:
    words = " ".join(f"palabra{number}" for number in range(MAX_WORDS))
    assert search(f"{words} moneda") == []

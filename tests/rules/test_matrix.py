"""Comparison of an error matrix of the SAT with the rules."""

from __future__ import annotations

import csv

import pytest

from timbra.catalogs.differences import Change, Difference
from timbra.catalogs.workbook import Sheet
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.reference.matrix import compare_matrix, digest, digests, joined_digest, read_matrix, rule_set_of
from timbra.rules.registry import RULE_SETS

CFDI40 = next(each for each in RULE_SETS if each.name == "cfdi40")
NOMINA = next(each for each in RULE_SETS if each.name == "nomina12")
HEADER = ("NÚM", "ELEMENTO", "ATRIBUTO", "VALIDACIÓN", "CÓDIGO ERROR", "DESCRIPCIÓN DE CÓDIGO DE ERROR")


def matrix(*codes: str) -> Sheet:
    rows = [(str(i), "Comprobante", "Fecha", f"Regla {code}", code, f"Error {code}") for i, code in enumerate(codes)]
    return Sheet("Códigos", (("Matriz de códigos", "", "", "", "", ""), HEADER, *rows))


def published(rule_set: RuleSet) -> list[str]:
    return [code for code in rule_set.coverage if ":" not in code]


def test_read_matrix_reads_codes_and_places() -> None:
    (row,) = read_matrix([matrix("CFDI40101"), Sheet("Notas", (("nota",),))])
    assert (row.code, row.element, row.attribute) == ("CFDI40101", "Comprobante", "Fecha")
    assert row.digest == digest(["Comprobante", "Fecha", "Regla  CFDI40101 ", "Error CFDI40101"])


@pytest.mark.parametrize(("codes", "name"), [(["CFDI140228", "CFDI40101"], "cfdi40"), (["NOM12"], "nomina12")])
def test_rule_set_of_matrix_is_that_of_its_codes(codes: list[str], name: str) -> None:
    found = rule_set_of(read_matrix([matrix(*codes)]))
    assert found is not None
    assert found.name == name
    assert rule_set_of(read_matrix([matrix("XYZ1")])) is None


def test_compare_matrix_finds_codes_added_and_ended() -> None:
    codes = published(NOMINA)
    found = compare_matrix(read_matrix([matrix(*codes[1:], "NOM999")]), NOMINA)
    assert found == [
        Difference("nomina12", Change.ADDED, "NOM999", "Comprobante Fecha"),
        Difference("nomina12", Change.ENDED, codes[0]),
    ]


def test_compare_matrix_finds_rows_with_another_text() -> None:
    found = compare_matrix(read_matrix([matrix(*published(CFDI40))]), CFDI40)
    assert {each.change for each in found} == {Change.REWORDED}
    assert {each.key for each in found} == {*digests(CFDI40)}


def test_compare_matrix_joins_rows_of_one_code() -> None:
    first, second = read_matrix([matrix("CFDI40999", "CFDI40999")])
    assert joined_digest([first]) == first.digest
    assert joined_digest([first, second]) != joined_digest([first])


def test_digests_cover_the_matrix_in_force() -> None:
    assert {*digests(CFDI40)} == {*published(CFDI40)}
    assert digests(NOMINA) == {}
    lines = [*csv.reader((f"{code},{text}" for code, text in digests(CFDI40).items()))]
    assert all(len(text) == 16 for _, text in lines)

"""Every row of `others.csv` is a rule, not implemented, of another rule set, or out of scope."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType

import pytest
from tests.rules.others.books import MODULES, RULE_SETS
from tests.support.corpus import corpus_path

from timbra.rules.engine.rule import AnyRule, NotImplementedRow, RuleSet
from timbra.rules.reference.index import state
from timbra.rules.rulesets import cfdi40, nomina12b
from timbra.rules.rulesets.hidroypetro10.matrix import REQUIRED


def _rows(books: Iterable[RuleSet]) -> dict[str, AnyRule | NotImplementedRow]:
    rows: dict[str, AnyRule | NotImplementedRow] = {}
    for book in books:
        rows.update({rule.code: rule for rule in book.rules})
        rows.update({row.code: row for row in book.not_implemented})
    return rows


ENTRIES = _rows(RULE_SETS) | {REQUIRED: cfdi40.RULE_SET.rule(REQUIRED)}
NOMINA = _rows(nomina12b.RULE_SETS)
ROWS_OF_CSV = {"INE": 10, "ECC": 5, "IEEH": 13, "GCEH": 43, "CCHYP": 10, "NOCODE:HYP": 6}
OUT_OF_SCOPE = ("Reten", "SPT", "PDR")
OF_NOMINA = "NOM"
every_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.RULE_SET.name))


def _matrix(module: ModuleType) -> ModuleType:
    return import_module(f"{module.__name__}.matrix")


@every_module
def test_rows_are_rules_or_not_implemented(module: ModuleType) -> None:
    rows = _matrix(module).ROWS
    codes = [rule.code for rule in module.RULE_SET.rules] + [row.code for row in module.RULE_SET.not_implemented]
    assert sorted(codes) == sorted(rows)


@every_module
def test_modules_contain_exactly_the_rules_of_the_rule_set(module: ModuleType) -> None:
    assert {rule.predicate.__module__ for rule in module.RULE_SET.rules} == {each.__name__ for each in module.MODULES}


def test_rows_that_are_not_evaluated_are_the_documented_ones() -> None:
    silent = {code for code in ENTRIES if state(ENTRIES[code]) != "rule"}
    unknown = {f"CCHYP{number}" for number in (101, 102, 103, 104, 105, 106, 109)}
    assert silent == {"INE999", "IEEH999", "GCEH999", "CFDI40999:HYP-Version", *unknown}


def test_rows_equal_the_transcribed_matrix() -> None:
    with (corpus_path().parent / "sat-rules" / "others.csv").open(encoding="utf-8") as file:
        codes = [row["code"] for row in csv.DictReader(file)]
    counted = {prefix: sum(code.startswith(prefix) for code in codes) for prefix in ROWS_OF_CSV}
    assert counted == ROWS_OF_CSV
    in_scope = [code for code in codes if not code.startswith(OUT_OF_SCOPE)]
    assert [code for code in in_scope if not _exists(code)] == []
    assert sum(code.startswith(OF_NOMINA) for code in in_scope) == len(in_scope) - sum(ROWS_OF_CSV.values())


def _exists(code: str) -> bool:
    """Return whether the code, or a row of an unclassified error with it, exists."""
    named = code.replace("NOCODE:", "CFDI40999:")
    return any(row == named or row.startswith(f"{named}:") for row in (*ENTRIES, *NOMINA))

"""The records of rules: sentence, source, place and example of each."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import date
from importlib import import_module

import pytest

from timbra.messages import SERVICE
from timbra.rules.engine.citation import SOURCE_UNKNOWN, Citation, matrix
from timbra.rules.engine.rule import NoExample
from timbra.rules.engine.rule_set import derived, discover_rules
from timbra.rules.reference.messages import MESSAGES
from timbra.rules.reference.messages import RULES as RULES_SENTENCES
from timbra.rules.registry import RULE_SETS
from timbra.rules.rulesets import ine11, nomina12, nomina12b

RULES = [rule for rule_set in RULE_SETS for rule in rule_set.rules]
CODE = re.compile(r"\b[A-Z]{3,}\d{2,}\b")
ENGLISH = re.compile(r"\b(of|the|and|for|is|with|must|not)\b", re.IGNORECASE)


def is_spanish_sentence(text: str) -> bool:
    return (text[0].isupper() or text[0].isdigit()) and text.endswith(".") and not ENGLISH.search(text)


def test_rule_has_a_spanish_sentence() -> None:
    texts = [(rule.code, text) for rule in RULES for text in (rule.says, rule.note) if text]
    wrong = [(code, text) for code, text in texts if not is_spanish_sentence(text)]
    assert wrong == [], "a sentence begins with a capital or a digit, ends with a full stop, and has no English word"
    assert [rule.code for rule in RULES if not rule.says or not MESSAGES[rule.display_code]] == []


def test_rule_is_at_a_place_of_its_node() -> None:
    assert [rule.code for rule in RULES if not rule.at.startswith(rule.kind.PATH)] == []
    assert [rule.code for rule in RULES if rule.since > rule.until] == []


def test_rule_with_a_code_of_the_matrix_cites_the_row() -> None:
    with_rows = [rule for rule in RULES if rule.cites.has_rows]
    assert [rule.code for rule in with_rows if not rule.source.endswith(f"fila {rule.display_code}")] == []
    assert [rule.code for rule in with_rows if ":" in rule.code] == [], "a requirement without a code is no row"


def test_sentences_of_named_requirements_differ_from_that_of_their_code() -> None:
    named = [rule for rule in RULES if ":" in rule.code]
    assert [rule.code for rule in named if rule.says == MESSAGES[rule.display_code]] == []


def test_rule_is_reported_as_a_code_of_its_rule_set_with_the_same_place() -> None:
    reported = [(rule_set, rule) for rule_set in RULE_SETS for rule in rule_set.rules if rule.reported_as]
    assert [rule.code for _, rule in reported] == ["CFDI40148"]
    for rule_set, rule in reported:
        other = rule_set.rule(rule.reported_as)
        assert (other.at, other.reported_as) == (rule.at, "")


def test_codes_are_unique() -> None:
    assert len({rule.code for rule in RULES}) == len(RULES)


def test_code_of_a_rule_is_no_code_of_the_service() -> None:
    assert SERVICE.keys() & RULES_SENTENCES.keys() == set()


def test_examples_of_a_package_are_those_of_its_rules() -> None:
    codes: dict[str, set[str]] = {}
    for rule in RULES:
        codes.setdefault(rule.examples, set()).add(rule.code)
    for module, own in codes.items():
        examples = import_module(module)
        assert examples.FAILS.keys() == own
        assert getattr(examples, "FAILS_WITH", {}).keys() <= own


def test_rules_are_loaded_without_their_examples() -> None:
    program = "import sys, timbra.rules.registry; print([name for name in sys.modules if '.examples' in name])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"


def test_suspension_is_the_only_reason_for_a_suspended_rule_without_example() -> None:
    for rule in RULES:
        if rule.fails is NoExample.SUSPENDED:
            assert rule.severity == "suspended"


def test_citation_names_document_revision_and_row() -> None:
    assert matrix("SAT, matriz", "2026-01-01").of("A1:Name") == "SAT, matriz, revisión 2026-01-01, fila A1"
    assert Citation("SAT, guía", url="https://sat.example").of("A1") == "SAT, guía, https://sat.example"
    assert SOURCE_UNKNOWN.of("A1") == "fuente desconocida"


def test_dates_of_rules_are_dates_of_the_standards() -> None:
    assert all(rule.since == date.min or rule.since >= date(2017, 1, 1) for rule in RULES)


def test_rule_without_a_citation_has_that_of_its_rule_set() -> None:
    by_code = {rule.code: rule.source for rule in discover_rules(ine11.__name__, cites=Citation("SAT, otro"))}
    assert by_code == {rule.code: "SAT, otro" for rule in ine11.RULE_SET.rules}


def test_rule_keeps_the_citation_that_it_states() -> None:
    found = {rule.code: rule.source for rule in discover_rules(nomina12.__name__, cites=Citation("SAT, otro"))}
    assert found["NOM31"] == "SAT, otro"
    assert found["NOM111:TotalOtrosPagos"] == "SAT, estándar de Nómina 1.2"


def test_discover_rules_rejects_a_rule_without_any_citation() -> None:
    with pytest.raises(ValueError, match="neither the rule nor its rule set has a citation"):
        discover_rules(ine11.__name__)


def test_notes_name_codes_of_rules_for_the_same_documents() -> None:
    wrong = []
    for rule_set in RULE_SETS:
        alike = [other for other in RULE_SETS if set(other.versions) & set(rule_set.versions)]
        codes = {row.code.partition(":")[0] for other in alike for row in other.rows}
        wrong += [(rule.code, code) for rule in rule_set.rules for code in CODE.findall(rule.note) if code not in codes]
    assert wrong == []


def test_derived_rule_has_the_code_row_and_inseparable_codes_of_its_own_matrix() -> None:
    other = nomina12.RULE_SET.rule("NOM70")
    rule = nomina12b.RULE_SET.rule("NOM190")
    assert (rule.says, rule.at, rule.predicate) == (other.says, other.at, other.predicate)
    assert rule.source == "SAT, matriz de errores de Nómina 1.2 para CFDI 3.3, revisión B, fila NOM190"
    assert (other.inseparable, rule.inseparable) == (frozenset({"NOM69"}), frozenset({"NOM189"}))


def test_derived_rule_without_a_row_keeps_its_citation() -> None:
    assert nomina12b.RULE_SET.rule("NOM225:TotalOtrosPagos").source == "SAT, estándar de Nómina 1.2"


def test_derived_rejects_changes_of_a_code_that_is_not_derived() -> None:
    with pytest.raises(ValueError, match="changed but not derived: NOM999"):
        derived(nomina12.RULES, {"NOM135": "NOM5"}, cites=SOURCE_UNKNOWN, changed={"NOM999": {"note": ""}})


def test_derived_rejects_a_code_that_the_other_rule_set_does_not_have() -> None:
    with pytest.raises(KeyError, match="NOM999"):
        derived(nomina12.RULES, {"NOM135": "NOM999"}, cites=SOURCE_UNKNOWN)

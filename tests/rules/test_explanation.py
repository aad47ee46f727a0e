"""Explanations of codes."""

from __future__ import annotations

import re

import pytest
from tools.docs_site.sources import site_files

from timbra.messages import cancelling
from timbra.messages.causes import SEALS, SENTENCE_CAUSES, service_codes
from timbra.messages.causes.cancellation import DETAILS, FOLIOS, PENDINGS, RESPONSES, RETENCIONES, detail_messages
from timbra.messages.literal import LITERAL
from timbra.messages.service import SERVICE
from timbra.rules.reference.codes import all_codes
from timbra.rules.reference.explanation import explanations
from timbra.rules.reference.messages import RULES
from timbra.rules.registry import RULE_SETS

ENGLISH = re.compile(r"\b(of|the|and|for|is|with|must|not)\b")
ONLY_IN_LOGS = {"document-damaged", "stamp-unreadable"}


def test_every_sentence_has_a_cause() -> None:
    assert {*SERVICE, *LITERAL} - {*RULES} <= SENTENCE_CAUSES.keys()
    assert SENTENCE_CAUSES.keys() - {*SERVICE, *LITERAL} == ONLY_IN_LOGS


def test_every_code_of_cancellations_has_a_cause() -> None:
    assert FOLIOS.keys() | RETENCIONES.keys() | RESPONSES.keys() == cancelling.CODES.keys()
    assert DETAILS.keys() | PENDINGS.keys() == detail_messages().keys()


def test_causes_of_seals_belong_to_rules() -> None:
    codes = {row.code for rule_set in RULE_SETS for row in rule_set.rows} | RULES.keys()
    assert SEALS.keys() <= codes


def test_causes_name_addresses_of_the_server_and_no_file_of_the_source_tree() -> None:
    texts = [text for each in service_codes() for text in (each.message, each.cause, each.remedy)]
    assert [text for text in texts if re.search(r"\bsrc/|\.md\b|(?<!/)\bdocs/", text)] == []
    named = {name for text in texts for name in re.findall(r"/docs/([\w-]+)/", text)}
    assert named
    assert {f"{name}.md" for name in named} <= set(site_files().values())


def test_a_code_has_one_entry_for_each_context() -> None:
    keys = [(each.code, each.context) for each in service_codes()]
    assert len(keys) == len(set(keys))


def test_every_code_has_message_cause_and_remedy_in_spanish() -> None:
    for code in all_codes():
        found = explanations(code)
        assert found, code
        for each in found:
            assert each.message.strip(), code
            for text in (each.cause, each.remedy):
                assert text.strip(), code
                assert not ENGLISH.search(re.sub(r"`[^`]*`", "", text)), (code, text)


@pytest.mark.parametrize(("code", "count"), [("201", 2), ("CACFDI33", 3), ("CFDI40108", 1), ("CO1000", 2), ("401", 1)])
def test_explanations_returns_every_meaning_of_a_code(code: str, count: int) -> None:
    assert len(explanations(code)) == count


def test_explanations_returns_the_literal_message_and_the_requirement() -> None:
    (found,) = explanations("CFDI40102")
    assert found.message == LITERAL["CFDI40102"]
    assert dict(found.facts)["Exige"].startswith("Sello debe verificar")


def test_explanations_of_a_suspended_rule_says_that_no_document_receives_it() -> None:
    (found,) = explanations("CRP20216")
    assert found.cause.startswith("Ningún documento recibe este código")


@pytest.mark.parametrize("code", ["CFDI40118", "CFDI40120", "CFDI40127", "CFDI40128", "CFDI40129", "CFDI33128"])
def test_explanations_of_a_rule_about_confirmacion_names_the_setting_that_enables_it(code: str) -> None:
    (found,) = explanations(code)
    assert "TIMBRA_CONFIRMATIONS" in found.cause
    assert "timbra confirmation issue" in found.remedy


def test_explanations_begins_with_the_code_itself() -> None:
    assert [each.code for each in explanations("CO1000")] == ["CO1000", "csd-missing"]


def test_explanations_of_an_unknown_code_is_empty() -> None:
    assert explanations("CFDI99999") == []

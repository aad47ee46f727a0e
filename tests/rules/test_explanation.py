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
from timbra.rules.engine.rule_set import RuleSet
from timbra.rules.reference.causes import violation
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
    named = {name for text in texts for name in re.findall(r"/docs/([\w/-]+)/", text)}
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


def test_explanations_tells_the_values_of_the_example_and_the_change() -> None:
    (found,) = explanations("CFDI40119")
    assert found.cause == (
        "Total no es SubTotal menos descuentos más impuestos trasladados menos impuestos retenidos. "
        "En el ejemplo, @Total dice «233.00» en lugar de «232.00»."
    )
    assert found.remedy == (
        "Escriba en @Total SubTotal menos descuentos más impuestos trasladados menos impuestos retenidos "
        "(en el ejemplo, 232.00), y selle otra vez el documento."
    )


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("CFDI40113", "Escriba en @Moneda una clave vigente de c_Moneda, según c_Moneda"),
        ("CRP20105", "En un comprobante de pago, quite @FormaPago, y selle otra vez el documento."),
        ("CFDI40115", "Agregue @TipoCambio (en el ejemplo, 18.50),"),
        ("CFDI40145", "Pida a la persona su Constancia de Situación Fiscal, copie en Receptor/@Nombre el nombre"),
        ("CFDI33119", "Pida al proveedor una clave de confirmación"),
    ],
)
def test_explanations_tells_a_remedy_by_what_the_rule_asks(code: str, remedy: str) -> None:
    (found,) = explanations(code)
    assert remedy in found.remedy


@pytest.mark.parametrize("rule_set", RULE_SETS, ids=lambda rule_set: rule_set.name)
def test_explanations_of_the_rules_of_a_set_have_causes_of_their_own(rule_set: RuleSet) -> None:
    texts: dict[tuple[str, str], str] = {}
    for rule in rule_set.rules:
        if rule.code in SEALS:
            continue
        (found,) = [each for each in explanations(rule.code) if each.code == rule.code]
        assert "no cumple lo que el código exige" not in found.cause
        assert texts.setdefault((found.cause, found.remedy), rule.code) == rule.code


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("Total debe ser la suma.", "Total no es la suma."),
        ("Con Moneda XXX, TipoCambio no debe existir.", "Con Moneda XXX, TipoCambio existe."),
        ("Un traslado Exento no debe tener TasaOCuota ni Importe.", "Un traslado Exento tiene TasaOCuota o Importe."),
        ("Con T, ningún concepto debe llevar Parte.", "Con T, algún concepto lleva Parte."),
        ("Uno debe existir con A, y no debe existir sin A.", "No se cumple lo siguiente: Uno debe existir con A, y no"),
        ("El certificado no es de tipo CSD.", "El certificado no es de tipo CSD."),
    ],
)
def test_violation_tells_the_sentence_as_it_is_violated(says: str, told: str) -> None:
    assert violation(says).startswith(told)

"""The parts of the real client that need no service: expression, breaker, remembered answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.authority.sat.asking import QUERY, Watch

from timbra.authority.port import FiscalStatus
from timbra.authority.sat.answers import LastAnswers, spoken
from timbra.authority.sat.breaker import Breaker
from timbra.authority.sat.expression import printed_expression

VIGENTE = FiscalStatus("Vigente", "S", None, "")


@pytest.mark.parametrize(
    ("written", "told"),
    [("0", "0.0"), ("0.00", "0.0"), ("116.00", "116.0"), ("0116.120", "116.12"), ("1.123456", "1.123456"), ("x", "x")],
)
def test_the_total_of_the_expression(written: str, told: str) -> None:
    assert f"&tt={told}&" in printed_expression(replace(QUERY, total=written))


def test_an_rfc_with_ampersand_and_enye_is_escaped_as_in_xml() -> None:
    query = replace(QUERY, issuer_rfc="Ñ&A010101AAA", receiver_rfc="A&B010101AAA")
    assert printed_expression(query).startswith("?re=Ñ&amp;A010101AAA&rr=A&amp;B010101AAA&tt=")


def test_a_breaker_lets_one_try_after_its_pause() -> None:
    watch = Watch()
    breaker = Breaker(2, 30, watch.counter)
    breaker.failed()
    assert breaker.admits()
    breaker.failed()
    assert not breaker.admits()
    watch.seconds = 30
    assert [breaker.admits(), breaker.admits()] == [True, False]
    breaker.succeeded()
    assert [breaker.admits(), breaker.admits()] == [True, True]


def test_successes_between_failures_keep_it_shut() -> None:
    breaker = Breaker(2, 30, Watch().counter)
    for _ in range(5):
        breaker.failed()
        breaker.succeeded()
    assert breaker.admits()


def test_the_longest_unasked_answer_goes_first() -> None:
    answers = LastAnswers(Watch(), most=2)
    queries = [replace(QUERY, uuid=str(number)) for number in range(3)]
    for query in queries:
        answers.keep(query, VIGENTE)
    assert answers.told(queries[0]) == "No hay una respuesta anterior."
    assert "fue Vigente" in answers.told(queries[1])


def test_an_answer_is_of_that_question_alone() -> None:
    answers = LastAnswers(Watch())
    answers.keep(QUERY, VIGENTE)
    assert answers.told(replace(QUERY, total="1")) == "No hay una respuesta anterior."


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "menos de un segundo"),
        (1, "1 segundo"),
        (119, "1 minuto"),
        (7_200, "2 horas"),
        (200_000, "2 días"),
        (-3, "menos de un segundo"),
    ],
)
def test_ages_in_words(seconds: int, text: str) -> None:
    assert spoken(timedelta(seconds=seconds)) == text

"""Parts of the client that need no service: expression, circuit breaker, status cache."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.sat.stepped_status import QUERY, SteppedClock

from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.port import FiscalStatus
from timbra.sat.status import printed_expression
from timbra.sat.status_cache import StatusCache, format_age

VIGENTE = FiscalStatus("Vigente", "S", None, "")


@pytest.mark.parametrize(
    ("written", "formatted"),
    [("0", "0.0"), ("0.00", "0.0"), ("116.00", "116.0"), ("0116.120", "116.12"), ("1.123456", "1.123456"), ("x", "x")],
)
def test_printed_expression_formats_the_total(written: str, formatted: str) -> None:
    assert f"&tt={formatted}&" in printed_expression(replace(QUERY, total=written))


def test_printed_expression_escapes_the_rfc_as_in_xml() -> None:
    query = replace(QUERY, issuer_rfc="Ñ&A010101AAA", receiver_rfc="A&B010101AAA")
    assert printed_expression(query).startswith("?re=Ñ&amp;A010101AAA&rr=A&amp;B010101AAA&tt=")


def test_circuit_breaker_allows_one_request_after_its_pause() -> None:
    watch = SteppedClock()
    breaker = CircuitBreaker(2, 30, watch.monotonic)
    breaker.record_failure()
    assert breaker.allow()
    breaker.record_failure()
    assert not breaker.allow()
    watch.seconds = 30
    assert [breaker.allow(), breaker.allow()] == [True, False]
    breaker.record_success()
    assert [breaker.allow(), breaker.allow()] == [True, True]


def test_circuit_breaker_stays_closed_when_successes_separate_failures() -> None:
    breaker = CircuitBreaker(2, 30, SteppedClock().monotonic)
    for _ in range(5):
        breaker.record_failure()
        breaker.record_success()
    assert breaker.allow()


def test_status_cache_evicts_the_oldest_entry() -> None:
    cache = StatusCache(SteppedClock(), max_entries=2)
    queries = [replace(QUERY, uuid=str(number)) for number in range(3)]
    for query in queries:
        cache.put(query, VIGENTE)
    assert cache.describe(queries[0]) == "No hay una respuesta anterior."
    assert "fue Vigente" in cache.describe(queries[1])


def test_status_cache_distinguishes_queries() -> None:
    cache = StatusCache(SteppedClock())
    cache.put(QUERY, VIGENTE)
    assert cache.describe(replace(QUERY, total="1")) == "No hay una respuesta anterior."


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
def test_format_age_returns_text(seconds: int, text: str) -> None:
    assert format_age(timedelta(seconds=seconds)) == text

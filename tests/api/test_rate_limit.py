"""Requests of an account within bounds."""

from __future__ import annotations

import pytest
from tests.api.asgi import ask, upload
from tests.api.fake_services import FakeServices, small_settings

from timbra.api.framework import rate_limit as rates
from timbra.api.framework.rate_limit import RateLimiter
from timbra.errors import ServiceError


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def taken(rates: RateLimiter, times: int, account: int = 1) -> int:
    """How many of so many requests pass."""
    passed = 0
    for _ in range(times):
        try:
            rates.acquire(account)
        except ServiceError:
            return passed
        passed += 1
    return passed


def test_a_burst_then_the_rate(time: Time) -> None:
    rates = RateLimiter(2, 5, time)
    assert taken(rates, 10) == 5
    time.now = 1
    assert taken(rates, 10) == 2
    time.now = 100
    assert taken(rates, 10) == 5


def test_accounts_do_not_share(time: Time) -> None:
    rates = RateLimiter(1, 1, time)
    assert (taken(rates, 2, 1), taken(rates, 2, 2)) == (1, 1)


def test_the_rejection_says_when_to_come_back(time: Time) -> None:
    rates = RateLimiter(0.1, 1, time)
    rates.acquire(1)
    time.now = 2.5
    with pytest.raises(ServiceError) as rejected:
        rates.acquire(1)
    assert rejected.value.retry_after == 8
    time.now += 8
    rates.acquire(1)


def test_no_rate_is_no_limit(time: Time) -> None:
    assert taken(RateLimiter(0, 1, time), 1000) == 1000


def test_full_buckets_are_forgotten(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "PRUNE_THRESHOLD", 10)
    bounded = RateLimiter(1, 2, time)
    for account in range(10):
        bounded.acquire(account)
    time.now = 5
    for _ in range(2):
        bounded.acquire(99)
    assert list(bounded._buckets) == [99]
    assert taken(bounded, 1, 99) == 0


def test_one_too_many_is_429_with_an_envelope() -> None:
    app = FakeServices(settings=small_settings(rate_per_second=0.5, rate_burst=2)).app()
    headers, body = upload(b"<a/>")
    answers = [ask(app, "POST", "/cfdi33/issue/v1", headers=headers, body=body) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].headers["retry-after"] == "2"
    assert (answers[2].json["status"], answers[2].json["message"][:6]) == ("error", "TB4290")


def test_public_operations_and_logins_are_not_counted() -> None:
    app = FakeServices(settings=small_settings(rate_per_second=0.5, rate_burst=1)).app()
    for _ in range(5):
        assert ask(app, "GET", "/health").status == 200
        login = ask(app, "POST", "/security/authenticate", headers={"user": "u", "password": "p"})
        assert login.status == 200

"""Rate limits of accounts."""

from __future__ import annotations

import pytest
from tests.support.asgi import call, upload
from tests.support.fake_services import FakeServices, small_settings

from timbra.core.errors import ServiceError
from timbra.web.framework import rate_limit as rates
from timbra.web.framework.rate_limit import RateLimiter


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


def taken(rates: RateLimiter, times: int, account: int = 1) -> int:
    """Return how many requests are accepted."""
    passed = 0
    for _ in range(times):
        try:
            rates.acquire(account)
        except ServiceError:
            return passed
        passed += 1
    return passed


def test_acquire_allows_a_burst_and_then_the_rate(time: Time) -> None:
    rates = RateLimiter(2, 5, time)
    assert taken(rates, 10) == 5
    time.now = 1
    assert taken(rates, 10) == 2
    time.now = 100
    assert taken(rates, 10) == 5


def test_acquire_limits_accounts_separately(time: Time) -> None:
    rates = RateLimiter(1, 1, time)
    assert (taken(rates, 2, 1), taken(rates, 2, 2)) == (1, 1)


def test_acquire_rejects_with_retry_after(time: Time) -> None:
    rates = RateLimiter(0.1, 1, time)
    rates.acquire(1)
    time.now = 2.5
    with pytest.raises(ServiceError) as rejected:
        rates.acquire(1)
    assert rejected.value.retry_after == 8
    time.now += 8
    rates.acquire(1)


def test_acquire_is_unlimited_without_a_rate(time: Time) -> None:
    assert taken(RateLimiter(0, 1, time), 1000) == 1000


def test_acquire_discards_full_buckets(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "PRUNE_THRESHOLD", 10)
    bounded = RateLimiter(1, 2, time)
    for account in range(10):
        bounded.acquire(account)
    time.now = 5
    for _ in range(2):
        bounded.acquire(99)
    assert list(bounded._buckets) == [99]
    assert taken(bounded, 1, 99) == 0


def test_request_beyond_the_rate_is_429_in_the_envelope() -> None:
    app = FakeServices(settings=small_settings(rate_per_second=0.5, rate_burst=2)).app()
    headers, body = upload(b"<a/>")
    answers = [call(app, "POST", "/cfdi33/issue/v1", headers=headers, body=body) for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].headers["retry-after"] == "2"
    assert (answers[2].json["status"], answers[2].json["message"][:6]) == ("error", "TB4290")


def test_public_operations_and_logins_are_not_limited() -> None:
    app = FakeServices(settings=small_settings(rate_per_second=0.5, rate_burst=1)).app()
    for _ in range(5):
        assert call(app, "GET", "/health").status == 200
        login = call(app, "POST", "/security/authenticate", headers={"user": "u", "password": "p"})
        assert login.status == 200

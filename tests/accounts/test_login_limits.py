"""Limits of failed logins on both databases: shared by processes, by address and by user, with an event and a mail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage

import orjson
import pytest
from sqlalchemy import func, select
from tests.accounts.support import ENVELOPE, MovableClock
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.accounts.login.alerts import LoginAlerts
from timbra.accounts.login.limits import LoginLimiter, LoginLimits, LoginState, LoginSubject, is_shared
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.logins import KNOWN_ORIGIN, LOGIN_LIMIT
from timbra.documents.mail.notices import NoticeMailer
from timbra.events.audit.audit import Audit
from timbra.events.notices import NoticeOutbox

LIMITED_EVENT = "login.limited"
NAME_BURST = 100
MAX_ATTEMPTS = 8

HOME, ELSEWHERE = "address:198.51.100.2", "address:203.0.113.7"
BURST, ADDRESS_BURST = LoginLimits().failures, LoginLimits().address_failures
UNKNOWN = LoginState()


@pytest.fixture
def ana(any_database: Database, wall: MovableClock) -> LoginSubject:
    accounts = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    account = accounts.create("ana@empresa.mx", "contraseña 1")
    accounts.close()
    return LoginSubject("ana@empresa.mx", account.account_id, account.user, ELSEWHERE)


@pytest.fixture
def limiter(any_database: Database, wall: MovableClock) -> LoginLimiter:
    return _limiter(any_database, wall)


def _limiter(database: Database, wall: MovableClock) -> LoginLimiter:
    alerts = LoginAlerts(database, Audit(wall, wall), mail_enabled=True)
    return LoginLimiter(database, LoginLimits(), wall, alerts.record)


def _at(subject: LoginSubject, origin: str, name: str = "") -> LoginSubject:
    return LoginSubject(name or subject.name, None if name else subject.account_id, subject.user, origin)


def _fail(limiter: LoginLimiter, subject: LoginSubject, times: int) -> int | None:
    return [limiter.record_failure(subject, limiter.read(subject)) for _ in range(times)][-1]


def test_failures_in_one_process_delay_logins_in_another(
    limiter: LoginLimiter, ana: LoginSubject, any_address: str, wall: MovableClock
) -> None:
    assert _fail(limiter, ana, BURST) is None
    assert _fail(limiter, ana, 1) == 1
    other = open_database(any_address, "sandbox")
    try:
        assert _limiter(other, wall).read(ana).retry_after == 1
    finally:
        other.close()


def test_concurrent_failures_all_count(limiter: LoginLimiter, ana: LoginSubject) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: limiter.record_failure(ana, UNKNOWN), range(BURST + 4)))
    assert limiter.read(ana).retry_after == 8


def test_delay_has_a_maximum_and_passes(limiter: LoginLimiter, ana: LoginSubject, wall: MovableClock) -> None:
    assert _fail(limiter, ana, BURST + 40) == LoginLimits().max_delay_seconds
    wall.advance(LoginLimits().max_delay_seconds)
    assert limiter.read(ana).retry_after is None


def test_failures_drain_away(limiter: LoginLimiter, ana: LoginSubject, wall: MovableClock) -> None:
    _fail(limiter, ana, BURST)
    wall.advance(3600)
    assert _fail(limiter, ana, 6) is None
    assert _fail(limiter, ana, 1) == 1


def test_address_that_tries_many_names_is_delayed(limiter: LoginLimiter, ana: LoginSubject) -> None:
    waits = [_fail(limiter, _at(ana, ELSEWHERE, f"nadie {number}"), 1) for number in range(ADDRESS_BURST + 1)]
    assert waits == [None] * ADDRESS_BURST + [1]
    assert limiter.read(ana).retry_after == 1
    assert limiter.read(_at(ana, HOME)).retry_after is None


@pytest.mark.parametrize("origin", ["address:127.0.0.1", "address:0", "address:unknown", ""])
def test_address_of_a_proxy_has_no_limit_of_its_own(limiter: LoginLimiter, ana: LoginSubject, origin: str) -> None:
    assert is_shared(origin)
    for number in range(ADDRESS_BURST + 5):
        assert _fail(limiter, _at(ana, origin, f"nadie {number}"), 1) is None


def test_name_that_many_addresses_try_is_delayed_elsewhere_only(
    limiter: LoginLimiter, ana: LoginSubject, wall: MovableClock
) -> None:
    limiter.record_success(_at(ana, HOME), UNKNOWN)
    for number in range(NAME_BURST + 1):
        limiter.record_failure(_at(ana, f"address:203.0.{number}.7"), UNKNOWN)
    assert limiter.read(_at(ana, "address:192.0.2.9")).retry_after == 1
    at_home = limiter.read(_at(ana, HOME))
    assert (at_home.is_known, at_home.is_exceeded, at_home.retry_after) == (True, False, None)


def test_known_origins_of_a_name_share_one_bound_that_a_success_does_not_reset(
    limiter: LoginLimiter, ana: LoginSubject, any_address: str, wall: MovableClock
) -> None:
    homes = [_at(ana, HOME), _at(ana, "address:192.0.2.9")]
    for home in homes:
        limiter.record_success(home, UNKNOWN)
    for number in range(301):
        limiter.record_failure(homes[number % 2], limiter.read(homes[number % 2]))
        wall.advance(0.001)
    limiter.record_success(homes[0], limiter.read(homes[0]))
    other = open_database(any_address, "sandbox")
    try:
        assert [_limiter(other, wall).read(home).retry_after for home in homes] == [1, 1]
        assert limiter.read(_at(ana, ELSEWHERE)).retry_after is None
    finally:
        other.close()
    longest = max(limiter.record_failure(homes[0], limiter.read(homes[0])) or 0 for _ in range(20))
    assert longest >= 30
    wall.advance(30)
    assert limiter.read(homes[1]).retry_after is None


def test_origin_is_known_for_thirty_days(limiter: LoginLimiter, ana: LoginSubject, wall: MovableClock) -> None:
    limiter.record_success(ana, UNKNOWN)
    wall.advance(timedelta(days=29).total_seconds())
    state = limiter.read(ana)
    assert (state.is_known, state.should_remember) == (True, True)
    wall.advance(timedelta(days=1).total_seconds())
    assert not limiter.read(ana).is_known


def test_repeated_success_writes_once_a_day(limiter: LoginLimiter, ana: LoginSubject) -> None:
    limiter.record_success(ana, limiter.read(ana))
    assert not limiter.read(ana).should_remember


def test_keys_do_not_contain_what_was_typed_as_a_name(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database
) -> None:
    _fail(limiter, _at(ana, ELSEWHERE, "mi contraseña"), 1)
    with any_database.read() as connection:
        keys = list(connection.execute(select(LOGIN_LIMIT.c.key)).scalars())
    assert len(keys) == 3
    assert not any("contraseña" in key for key in keys)


def test_expired_rows_are_deleted(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database, wall: MovableClock
) -> None:
    _fail(limiter, ana, BURST)
    limiter.record_success(ana, UNKNOWN)
    wall.advance(timedelta(days=31).total_seconds())
    limiter.delete_expired()
    with any_database.read() as connection:
        counts = [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (LOGIN_LIMIT, KNOWN_ORIGIN)
        ]
    assert counts == [0, 0]


def test_exceeded_limit_is_in_the_audit_log_once(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database
) -> None:
    _fail(limiter, ana, BURST + 5)
    [event] = list_audit_events(any_database, LIMITED_EVENT)
    body = orjson.loads(event.body)
    assert (event.account_id, event.subject, body["address"]) == (ana.account_id, ana.user, "203.0.113.7")
    assert list(body["delayed_until"]) == ["user and address"]


class Transport:
    """Records messages; fails with an error if there is one."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.error: ServiceError | None = None

    def send(self, message: EmailMessage, sender: str, recipient: str) -> None:
        if self.error is not None:
            raise self.error
        self.sent.append((recipient, message.get_content()))


def _mailer(database: Database, wall: MovableClock, transport: Transport) -> NoticeMailer:
    outbox = NoticeOutbox(database, wall)
    return NoticeMailer(outbox, transport, Address("Timbra", addr_spec="timbra@example.com"), wall)


def test_owner_gets_one_mail_a_day(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database, wall: MovableClock
) -> None:
    transport = Transport()
    mailer = _mailer(any_database, wall, transport)
    for number in range(3):
        _fail(limiter, _at(ana, f"address:203.0.113.{number}"), BURST + 1)
        mailer.send_pending()
    [(recipient, text)] = transport.sent
    assert recipient == "ana@empresa.mx"
    assert "203.0.113.0" in text
    wall.advance(timedelta(days=1).total_seconds())
    _fail(limiter, _at(ana, "address:203.0.113.9"), BURST + 1)
    assert mailer.send_pending() == 1


def test_notice_is_retried_and_then_given_up(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database, wall: MovableClock
) -> None:
    transport = Transport()
    transport.error = ServiceError("mail-down", "451 later")
    mailer = _mailer(any_database, wall, transport)
    _fail(limiter, ana, BURST + 1)
    assert [mailer.send_pending() for _ in range(2)] == [0, 0]
    for _ in range(MAX_ATTEMPTS):
        wall.advance(timedelta(days=1).total_seconds())
        mailer.send_pending()
    transport.error = None
    wall.advance(timedelta(days=1).total_seconds())
    assert mailer.send_pending() == 0
    assert NoticeOutbox(any_database, wall).dead_count() == 1


def test_notice_waits_for_a_mail_server_that_does_not_answer(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database, wall: MovableClock
) -> None:
    transport = Transport()
    transport.error = ServiceError("mail-down", retry_after=30)
    mailer = _mailer(any_database, wall, transport)
    _fail(limiter, ana, BURST + 1)
    for _ in range(3 * MAX_ATTEMPTS):
        assert mailer.send_pending() == 0
        wall.advance(timedelta(minutes=8).total_seconds())
    transport.error = None
    assert mailer.send_pending() == 1


def test_login_is_checked_while_the_limits_cannot_be_read(
    limiter: LoginLimiter, ana: LoginSubject, any_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable() -> None:
        raise ServiceError("CO1000", "fuera de alcance", retry_after=5)

    monkeypatch.setattr(any_database, "read", unreachable)
    state = limiter.read(ana)
    assert (state.retry_after, state.is_exceeded) == (None, True)

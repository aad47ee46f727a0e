"""Second factors: each code once on every node, one step of skew, limits, recovery codes, and rotation of secrets."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pyotp
import pytest
from sqlalchemy import select
from tests.accounts.support import ENVELOPE, MASTER, MovableClock, rejected
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.accounts.second_factor.second_factors import SecondFactors, rotate_totp_secrets
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.database.tables.accounts import RECOVERY_CODE, TOTP
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import UseCounter
from timbra.seals.encryption.envelope import EnvelopeEncryption
from timbra.seals.encryption.master_key import LocalMasterKey

ANA, HOME = "ana@example.com", "address:198.51.100.2"
PASSWORD = "una contraseña larga"
INVALID, LIMITED = "second-factor-invalid", "TB4291"


class Node:
    """The services of one process on a database."""

    def __init__(self, database: Database, wall: MovableClock) -> None:
        self.database, self.wall = database, wall
        self.accounts = Accounts(database, ENVELOPE, "sandbox", wall, wall)
        audit, uses = Audit(wall, wall), UseCounter(database, wall, wall)
        self.factors = SecondFactors(database, ENVELOPE, self.accounts, wall, audit, uses)

    def session(self, user: str = ANA, *, second_factor: bool = False) -> Caller:
        token = self.accounts.session_token(user, second_factor=second_factor).token
        return self.accounts.caller(f"Bearer {token}")


@pytest.fixture
def node(any_database: Database, wall: MovableClock) -> Iterator[Node]:
    node = Node(any_database, wall)
    node.accounts.create(ANA, PASSWORD)
    yield node
    node.accounts.close()


def enrol(node: Node, caller: Caller) -> tuple[pyotp.TOTP, tuple[str, ...]]:
    """Enrol an application; the next step begins, so that its code was not used."""
    application = pyotp.TOTP(node.factors.enrol(caller).secret)
    codes = node.factors.confirm(caller, application.at(node.wall.now()), HOME)
    node.wall.advance(30)
    return application, codes


def test_enrolment_counts_only_after_a_right_code(node: Node) -> None:
    ana = node.session()
    enrolment = node.factors.enrol(ana)
    uri = urlsplit(enrolment.uri)
    assert (uri.scheme, uri.netloc, uri.path) == ("otpauth", "totp", "/Timbra:ana%40example.com")
    assert parse_qs(uri.query) == {"secret": [enrolment.secret], "issuer": ["Timbra"]}
    code = pyotp.TOTP(enrolment.secret).at(node.wall.now())
    assert rejected(node.factors.verify, ana, code, HOME).code == INVALID
    assert rejected(node.factors.confirm, ana, "000000", HOME).code == INVALID
    assert not node.session().has_second_factor
    assert len(node.factors.confirm(ana, code, HOME)) == 10
    assert node.session().has_second_factor
    assert node.factors.state(ana).totp_since == node.wall.now()
    assert rejected(node.factors.enrol, ana).code == "second-factor-exists"
    assert rejected(node.factors.confirm, ana, code, HOME).code == "second-factor-exists"


def test_session_says_whether_its_user_gave_the_factor(node: Node) -> None:
    enrol(node, node.session())
    assert [node.session(second_factor=given).passed_second_factor for given in (False, True)] == [False, True]
    infinite = node.accounts.create_infinite_token(ANA)
    assert not node.accounts.caller(f"Bearer {infinite}").passed_second_factor


def test_code_is_accepted_once_also_by_another_node(node: Node, any_address: str) -> None:
    ana = node.session()
    application, _ = enrol(node, ana)
    code = application.at(node.wall.now())
    database = open_database(any_address, "sandbox")
    other = Node(database, node.wall)

    def accepts(each: Node) -> bool:
        try:
            each.factors.verify(ana, code, HOME)
        except ServiceError as error:
            return error.code != INVALID
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(accepts, [node, other, node, other])) == 1
    assert not accepts(node)
    other.accounts.close()
    database.close()


@pytest.mark.parametrize(("seconds", "accepted"), [(-60, False), (-30, True), (0, True), (30, True), (60, False)])
def test_code_may_be_one_step_off(node: Node, seconds: int, accepted: bool) -> None:
    ana = node.session()
    application, _ = enrol(node, ana)
    node.wall.advance(90)
    code = application.at(node.wall.now() + timedelta(seconds=seconds))
    if accepted:
        node.factors.verify(ana, code, HOME)
    else:
        assert rejected(node.factors.verify, ana, code, HOME).code == INVALID


def test_older_code_is_not_accepted_after_a_newer_one(node: Node) -> None:
    ana = node.session()
    application, _ = enrol(node, ana)
    node.wall.advance(90)
    older = application.at(node.wall.now() - timedelta(seconds=30))
    node.factors.verify(ana, application.at(node.wall.now()), HOME)
    assert rejected(node.factors.verify, ana, older, HOME).code == INVALID


def test_attempts_are_limited_also_from_an_address_of_the_account(node: Node) -> None:
    ana = node.session()
    application, _ = enrol(node, ana)
    errors = [rejected(node.factors.verify, ana, "000000", HOME) for _ in range(11)]
    assert {error.code for error in errors} == {INVALID}
    assert [error.retry_after for error in errors] == [*[None] * 10, 1]
    error = rejected(node.factors.verify, ana, application.at(node.wall.now()), HOME)
    assert (error.code, error.retry_after) == (LIMITED, 1)
    node.wall.advance(30)
    node.factors.verify(ana, application.at(node.wall.now()), HOME)
    assert [event.subject for event in list_audit_events(node.database, "login.limited")] == [ANA]


def test_recovery_code_takes_the_place_of_the_factor_once(node: Node) -> None:
    ana = node.session()
    _, codes = enrol(node, ana)
    assert len(set(codes)) == 10
    assert {len(code) for code in codes} == {19}
    node.factors.verify(ana, f" {codes[3].upper()} ", HOME)
    assert rejected(node.factors.verify, ana, codes[3], HOME).code == INVALID
    node.factors.verify(ana, codes[4].replace("-", ""), HOME)
    assert node.factors.state(ana).recovery_codes == 8
    with node.database.read() as transaction:
        hashes = list(transaction.execute(select(RECOVERY_CODE.c.code_hash)).scalars())
    assert {len(each) for each in hashes} == {32}


def test_renewed_codes_replace_the_others(node: Node) -> None:
    ana = node.session()
    _, codes = enrol(node, ana)
    renewed = node.factors.renew_codes(ana)
    assert rejected(node.factors.verify, ana, codes[0], HOME).code == INVALID
    node.factors.verify(ana, renewed[0], HOME)


def test_factor_of_a_user_is_not_that_of_its_account(node: Node) -> None:
    account = node.accounts.find(ANA)
    node.accounts.users.create(account.account_id, "bea@example.com", PASSWORD, "operator")
    bea = node.session("bea@example.com")
    application, codes = enrol(node, bea)
    assert (node.session("bea@example.com").has_second_factor, node.session().has_second_factor) == (True, False)
    assert node.factors.enrolled_users(account.account_id) == {bea.user_id}
    for code in (application.at(node.wall.now()), codes[0]):
        assert rejected(node.factors.verify, node.session(), code, HOME).code == INVALID


@pytest.mark.parametrize("way", ["remove", "reset"])
def test_removed_factor_has_no_effect(node: Node, way: str) -> None:
    ana = node.session()
    application, codes = enrol(node, ana)
    if way == "remove":
        node.factors.remove_totp(ana)
    else:
        assert node.factors.reset_by_name(ANA.upper()) == ANA
    assert not node.session().has_second_factor
    assert node.factors.state(ana).recovery_codes == 0
    for code in (application.at(node.wall.now()), codes[0]):
        assert rejected(node.factors.verify, ana, code, HOME).code == INVALID
    kinds = [event.kind for event in list_audit_events(node.database) if event.kind.startswith("second-factor.")]
    assert kinds == ["second-factor.added", "second-factor.removed" if way == "remove" else "second-factor.reset"]


def test_removed_user_leaves_no_secret(node: Node) -> None:
    account = node.accounts.find(ANA)
    user = node.accounts.users.create(account.account_id, "bea@example.com", PASSWORD, "operator")
    enrol(node, node.session("bea@example.com"))
    node.accounts.users.remove(account.account_id, user.guid)
    with node.database.read() as transaction:
        assert [transaction.execute(select(table)).all() for table in (TOTP, RECOVERY_CODE)] == [[], []]


def test_secret_is_encrypted_and_rotates_with_the_master_key(node: Node) -> None:
    ana = node.session()
    application, _ = enrol(node, ana)
    with node.database.read() as transaction:
        sealed = transaction.execute(select(TOTP.c.sealed_secret)).scalar_one()
    assert application.secret.encode() not in sealed
    other = EnvelopeEncryption(LocalMasterKey(bytes(32)), [MASTER])
    with node.database.write() as transaction:
        assert rotate_totp_secrets(node.database, transaction, other) == 1
    with node.database.write() as transaction:
        assert rotate_totp_secrets(node.database, transaction, other) == 0
    audit, uses = Audit(node.wall, node.wall), UseCounter(node.database, node.wall, node.wall)
    rotated = SecondFactors(node.database, other, node.accounts, node.wall, audit, uses)
    rotated.verify(ana, application.at(node.wall.now()), HOME)


def test_code_of_another_user_is_counted_for_that_user(node: Node) -> None:
    ana = node.session()
    application, _ = enrol(node, ana)
    stranger = replace(ana, user_id=99)
    assert rejected(node.factors.verify, stranger, application.at(node.wall.now()), HOME).code == INVALID

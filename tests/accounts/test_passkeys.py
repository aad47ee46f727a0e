"""Passkeys with an authenticator in software: what is verified, one use of a challenge on all nodes, and removal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from tests.accounts.software_authenticator import Authenticator, decoded, encoded
from tests.accounts.support import ENVELOPE, MovableClock, rejected
from tests.support.events import list_audit_events

from timbra.accounts.accounts import Accounts
from timbra.accounts.second_factor.passkeys import Passkeys, RelyingParty, site_of
from timbra.accounts.second_factor.second_factors import SecondFactors
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.database import Database, open_database
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import UseCounter

ANA, BROWSER = "ana@example.com", "visitor 1"
ORIGIN = "https://pac.example.com"
SITE = RelyingParty(ORIGIN, "pac.example.com")
INVALID = "passkey-invalid"
Change = Callable[[Authenticator], None]


class Node:
    """The services of one process on a database."""

    def __init__(self, database: Database, wall: MovableClock) -> None:
        self.database, self.wall = database, wall
        self.accounts = Accounts(database, ENVELOPE, "sandbox", wall, wall)
        uses = UseCounter(database, wall, wall)
        self.factors = SecondFactors(database, ENVELOPE, self.accounts, wall, Audit(wall, wall), uses)
        self.passkeys = Passkeys(database, ENVELOPE, self.accounts, self.factors, wall, uses)

    def ana(self) -> Caller:
        return self.accounts.user_of(self.accounts.find(ANA).account_id, None)

    def register(self, authenticator: Authenticator, name: str = "Teléfono") -> tuple[str, ...]:
        options = self.passkeys.registration_options(self.ana(), SITE, BROWSER)
        return self.passkeys.register(self.ana(), SITE, BROWSER, name, authenticator.create(options))

    def options(self) -> str:
        self.wall.advance(1)
        return self.passkeys.sign_in_options(SITE, BROWSER)

    def sign_in(self, answer: str) -> Caller:
        return self.passkeys.sign_in(SITE, BROWSER, answer)


@pytest.fixture
def node(any_database: Database, wall: MovableClock) -> Iterator[Node]:
    node = Node(any_database, wall)
    node.accounts.create(ANA, "una contraseña larga")
    yield node
    node.accounts.close()


@pytest.fixture
def phone() -> Authenticator:
    return Authenticator(ORIGIN)


def test_passkey_signs_in_its_user_alone(node: Node, phone: Authenticator) -> None:
    assert len(node.register(phone)) == 10
    assert node.ana().has_second_factor
    assert node.sign_in(phone.get(node.options())).user == ANA
    [stored] = node.passkeys.list_passkeys(node.ana())
    assert (stored.name, stored.sign_count, stored.used_at) == ("Teléfono", 1, node.wall.now())


def test_options_ask_for_a_discoverable_credential_with_verification(node: Node, phone: Authenticator) -> None:
    node.register(phone)
    created = json.loads(node.passkeys.registration_options(node.ana(), SITE, BROWSER))
    assert created["rp"] == {"id": "pac.example.com", "name": "Timbra"}
    assert created["authenticatorSelection"]["residentKey"] == "required"
    assert created["authenticatorSelection"]["userVerification"] == "required"
    assert created["excludeCredentials"] == [{"type": "public-key", "id": encoded(phone.credential_id)}]
    asked = json.loads(node.options())
    assert (asked["rpId"], asked["userVerification"]) == ("pac.example.com", "required")
    assert "allowCredentials" not in asked


def test_user_has_several_passkeys_and_removes_them(node: Node, phone: Authenticator) -> None:
    other = Authenticator(ORIGIN, counts=False)
    node.register(phone)
    assert node.register(other, "Llave USB") == ()
    first, second = node.passkeys.list_passkeys(node.ana())
    assert (first.name, second.name) == ("Teléfono", "Llave USB")
    node.passkeys.remove(node.ana(), first.number)
    assert rejected(node.sign_in, phone.get(node.options())).code == INVALID
    assert [node.sign_in(other.get(node.options())).user for _ in range(2)] == [ANA, ANA]
    assert node.factors.state(node.ana()).recovery_codes == 10
    node.passkeys.remove(node.ana(), second.number)
    assert not node.ana().has_second_factor
    assert node.factors.state(node.ana()).recovery_codes == 0
    kinds = [event.kind for event in list_audit_events(node.database) if event.kind.startswith("second-factor.")]
    assert kinds == ["second-factor.added"] * 2 + ["second-factor.removed"] * 2


def test_passkey_of_another_user_is_not_removed(node: Node, phone: Authenticator) -> None:
    node.register(phone)
    node.accounts.create("bea@example.com", "una contraseña larga")
    [stored] = node.passkeys.list_passkeys(node.ana())
    bea = node.accounts.user_of(node.accounts.find("bea@example.com").account_id, None)
    node.passkeys.remove(bea, stored.number)
    assert node.sign_in(phone.get(node.options())).user == ANA


def test_registered_passkey_is_not_registered_again(node: Node, phone: Authenticator) -> None:
    node.register(phone)
    assert rejected(node.register, phone).code == INVALID


def _other_origin(phone: Authenticator) -> None:
    phone.origin = "https://pac.example.com.evil.example"


def _other_key(phone: Authenticator) -> None:
    phone.key = Authenticator(ORIGIN).key


def _unknown(phone: Authenticator) -> None:
    phone.credential_id = bytes(32)


def _unverified(phone: Authenticator) -> None:
    phone.verifies = False


def _other_user(phone: Authenticator) -> None:
    phone.handle = encoded(b"2:0")


def _cloned(phone: Authenticator) -> None:
    phone.sign_count -= 1


@pytest.mark.parametrize("change", [_other_origin, _other_key, _unknown, _unverified, _other_user, _cloned])
def test_sign_in_is_rejected_when_something_differs(node: Node, phone: Authenticator, change: Change) -> None:
    node.register(phone)
    node.sign_in(phone.get(node.options()))
    change(phone)
    assert rejected(node.sign_in, phone.get(node.options())).code == INVALID


@pytest.mark.parametrize("change", [_other_origin, _unverified])
def test_registration_is_rejected_when_something_differs(node: Node, phone: Authenticator, change: Change) -> None:
    change(phone)
    assert rejected(node.register, phone).code == INVALID


def test_challenge_is_of_one_browser_purpose_site_and_time(node: Node, phone: Authenticator) -> None:
    node.register(phone)
    answer = phone.get(node.options())
    assert rejected(node.passkeys.sign_in, SITE, "visitor 2", answer).code == INVALID
    other = RelyingParty("https://other.example", "other.example")
    assert rejected(node.passkeys.sign_in, other, BROWSER, answer).code == INVALID
    created = json.loads(node.passkeys.registration_options(node.ana(), SITE, BROWSER))
    asked = json.dumps({"rpId": SITE.rp_id, "challenge": created["challenge"]})
    assert rejected(node.sign_in, phone.get(asked)).code == INVALID
    own = json.dumps({"rpId": SITE.rp_id, "challenge": encoded(bytes(56))})
    assert rejected(node.sign_in, phone.get(own)).code == INVALID
    options = node.options()
    node.wall.advance(timedelta(minutes=30).total_seconds() + 1)
    assert rejected(node.sign_in, phone.get(options)).code == INVALID


@pytest.mark.parametrize("counts", [True, False])
def test_answer_signs_in_once_also_on_another_node(node: Node, any_address: str, counts: bool) -> None:
    phone = Authenticator(ORIGIN, counts=counts)
    node.register(phone)
    database = open_database(any_address, "sandbox")
    other = Node(database, node.wall)
    answer = phone.get(node.options())

    def accepts(each: Node) -> bool:
        try:
            each.sign_in(answer)
        except ServiceError as error:
            return error.code != INVALID
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(accepts, [node, other, node, other])) == 1
    other.accounts.close()
    database.close()


def test_closed_account_does_not_sign_in(node: Node, phone: Authenticator) -> None:
    node.register(phone)
    node.accounts.set_active(ANA, False)
    assert rejected(node.sign_in, phone.get(node.options())).code == "AU2002"


@pytest.mark.parametrize("answer", ["", "{}", "[]", "null", '{"id": 1}', "x" * 20_000, '{"id":"é","rawId":"é"}'])
def test_text_that_is_no_answer_is_rejected(node: Node, answer: str) -> None:
    assert rejected(node.sign_in, answer).code == INVALID
    assert rejected(node.passkeys.register, node.ana(), SITE, BROWSER, "x", answer).code == INVALID


def test_damaged_answer_is_rejected(node: Node, phone: Authenticator) -> None:
    """Each part of an answer, cut and with a flipped bit."""
    created = json.loads(phone.create(node.passkeys.registration_options(node.ana(), SITE, BROWSER)))
    node.register(phone)
    asked = json.loads(phone.get(node.options()))
    register = partial(node.passkeys.register, node.ana(), SITE, BROWSER, "x")
    for answer, names, call in (
        (created, ("clientDataJSON", "attestationObject"), register),
        (asked, ("clientDataJSON", "authenticatorData", "signature"), node.sign_in),
    ):
        for name in names:
            content = decoded(answer["response"][name])
            cuts = [content[:size] for size in range(0, len(content), 7)]
            flips = [bytes([*content[:at], content[at] ^ 1, *content[at + 1 :]]) for at in range(0, len(content), 5)]
            for damaged in (*cuts, *flips) if name != "attestationObject" else cuts:
                text = json.dumps({**answer, "response": {**answer["response"], name: encoded(damaged)}})
                assert rejected(call, text).code == INVALID, (name, damaged)


@pytest.mark.parametrize(
    ("address", "site", "possible"),
    [
        ("https://PAC.example.com/timbra", RelyingParty(ORIGIN, "pac.example.com"), True),
        ("https://pac.example.com:443", RelyingParty(ORIGIN, "pac.example.com"), True),
        ("http://localhost:8080", RelyingParty("http://localhost:8080", "localhost"), True),
        ("http://pac.example.com", RelyingParty("http://pac.example.com", "pac.example.com"), False),
        ("https://127.0.0.1:8080", RelyingParty("https://127.0.0.1:8080", "127.0.0.1"), False),
    ],
)
def test_site_is_that_of_the_public_address(address: str, site: RelyingParty, possible: bool) -> None:
    assert (site_of(address), site_of(address).is_possible) == (site, possible)

"""Preparation of a sandbox for development, and the seed file applied to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.databases import prepare_sqlite
from tests.support.events import list_audit_events

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.app.composition import Container, open_container
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.seeding import setup
from timbra.sandbox.seeding.seed_file import SeedFileError, parse_seed
from timbra.sandbox.seeding.setup import DevelopmentAccount, DevelopmentCredentials, DevelopmentSetup, KeyPool
from timbra.settings import Settings

ADMINISTRATOR = "administrator"
PASSWORD = "desarrollo"
USER = "dev@example.com"
SIGN_IN_LINK = "/portal/entrar/enlace/"

RFCS = ["EKU9003173C9", "URE180429TM6"]


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    """A sandbox; the preparation issues two certificates instead of 28, which would take seconds."""
    monkeypatch.setattr(setup, "sat_test_rfcs", lambda: RFCS)
    prepare_sqlite(tmp_path / "data")
    with open_container(Settings(data=tmp_path / "data")) as opened:
        yield opened


def prepare(container: Container, content: str = "") -> DevelopmentAccount:
    keys = KeyPool(0)
    services = container.get(account_services), container.get(certificate_services), container.get(sandbox_services)
    try:
        return DevelopmentSetup(*services).prepare(parse_seed(content.encode()), keys)
    finally:
        keys.close()


def stored_rfcs(container: Container, user: str) -> list[str]:
    account = container.get(account_services).accounts.find(user)
    return [csd.rfc for csd in container.get(certificate_services).vault.list_certificates(account.account_id)]


def test_sat_test_rfcs_have_what_an_issuer_needs() -> None:
    rfcs = setup.sat_test_rfcs()
    assert {"EKU9003173C9", "CACX7605101P8", "ZUÑ920208KL4"} <= set(rfcs)
    assert "AAA010101AAA" not in rfcs


def test_key_pool_returns_different_keys() -> None:
    keys = KeyPool(1, 1)
    taken = [keys.take().private_numbers().p for _ in range(2)]
    keys.close()
    assert len(set(taken)) == 2


def test_prepare_creates_an_administrator_with_known_credentials(container: Container) -> None:
    prepared = prepare(container)
    services = container.get(account_services)
    assert services.accounts.caller(f"Bearer {prepared.token}").role == ADMINISTRATOR
    assert asyncio.run(services.accounts.authenticate(prepared.user, prepared.password)).token
    assert services.sign_in_links.find_user(prepared.sign_in_path.removeprefix(SIGN_IN_LINK)) == USER
    assert prepared.rfcs == RFCS


def test_prepare_twice_issues_no_certificate_again(container: Container) -> None:
    first, second = prepare(container), prepare(container)
    assert second.rfcs == first.rfcs
    assert second.token != first.token
    stored = container.get(certificate_services).vault.list_certificates(
        container.get(account_services).accounts.find(USER).account_id
    )
    assert len(stored) == len(RFCS)
    assert container.get(account_services).accounts.caller(f"Bearer {first.token}").user == USER


def test_prepare_replaces_certificates_that_are_not_valid_now(container: Container) -> None:
    prepare(container)
    assert prepare(container, "clock: 2032-01-01").rfcs == RFCS
    stored = container.get(certificate_services).vault.list_certificates(
        container.get(account_services).accounts.find(USER).account_id
    )
    assert len(stored) == 2 * len(RFCS)


def test_prepare_restores_the_known_password_and_opens_the_account(container: Container) -> None:
    prepare(container)
    accounts = container.get(account_services).accounts
    accounts.set_password(USER, "otra")
    accounts.set_active(USER, False)
    prepare(container)
    assert asyncio.run(accounts.authenticate(USER, PASSWORD)).token


def test_prepare_rejects_an_account_that_is_no_administrator(container: Container) -> None:
    container.get(account_services).accounts.create(USER, PASSWORD)
    with pytest.raises(ServiceError) as caught:
        prepare(container)
    assert caught.value.code == "account-exists"


def test_prepare_gives_the_account_the_chosen_credentials(container: Container) -> None:
    services = container.get(account_services), container.get(certificate_services), container.get(sandbox_services)
    keys = KeyPool(0)
    chosen = DevelopmentCredentials("eva@example.com", "otra contraseña")
    prepared = DevelopmentSetup(*services, chosen).prepare(parse_seed(b"csds: [{rfc: EKU9003173C9}]"), keys)
    keys.close()
    accounts = container.get(account_services).accounts
    assert asyncio.run(accounts.authenticate("eva@example.com", "otra contraseña")).token
    assert accounts.caller(f"Bearer {prepared.token}").user == prepared.user == "eva@example.com"
    assert sorted(stored_rfcs(container, "eva@example.com")) == RFCS


def test_token_alias_is_accepted_in_its_process_only(container: Container) -> None:
    prepared = prepare(container)
    accounts = container.get(account_services).accounts
    alias = "token-de-desarrollo"
    with pytest.raises(ServiceError):
        accounts.caller(f"Bearer {alias}")
    accounts.add_token_alias(alias, prepared.token)
    assert accounts.caller(f"Bearer {alias}").user == USER
    with open_container(container.settings) as other, pytest.raises(ServiceError):
        other.get(account_services).accounts.caller(f"Bearer {alias}")
    accounts.revoke(prepared.token)
    with pytest.raises(ServiceError):
        accounts.caller(f"Bearer {alias}")


SEED = """
clock: 2026-11-17T12:00:00
accounts:
  - {user: ana@example.com, password: una, stamps: 7}
  - {user: eva@example.com, password: dos, administrator: true}
  - {user: luz@example.com, password: tres, stamps: 1, unlimited: true}
taxpayers:
  - {rfc: ABC010203AB9, name: EMPRESA DE PRUEBA, postal_code: 01160, regime: [601, 603], obligations: 2}
  - {rfc: EWE1709045U0, postal_code: 06300}
csds:
  - {rfc: abc010203ab9, account: ana@example.com}
  - {rfc: EWE1709045U0}
faults:
  - {name: latency, seconds: 0.5}
  - {name: authority-down, times: 2}
"""


def test_prepare_applies_the_seed_file(container: Container) -> None:
    prepared = prepare(container, SEED)
    services, sandbox = container.get(account_services), container.get(sandbox_services)
    ana, eva, luz = (services.accounts.find(f"{name}@example.com") for name in ("ana", "eva", "luz"))
    assert (ana.remaining, ana.unlimited, ana.role) == (7, False, "account")
    assert (eva.remaining, eva.unlimited, eva.role) == (0, True, "administrator")
    assert (luz.remaining, luz.unlimited) == (1, True)
    added = sandbox.registry.entry("ABC010203AB9")
    assert (added.taxpayer.name, added.taxpayer.postal_code, added.obligations) == ("EMPRESA DE PRUEBA", "01160", 2)
    assert added.taxpayer.regimes == {"601", "603"}
    changed = sandbox.registry.entry("EWE1709045U0")
    assert (changed.taxpayer.postal_code, changed.pending) == ("06300", {})
    assert [csd.rfc for csd in container.get(certificate_services).vault.list_certificates(ana.account_id)] == [
        "ABC010203AB9"
    ]
    assert prepared.rfcs == sorted([*RFCS, "EWE1709045U0"])
    assert {(fault.name, fault.remaining, fault.seconds) for fault in sandbox.faults.active()} == {
        ("latency", None, 0.5),
        ("authority-down", 2, 0.0),
    }
    assert sandbox.fiscal.now().isoformat() == "2026-11-17T18:00:00+00:00"


def test_prepare_with_the_same_seed_changes_nothing(container: Container) -> None:
    prepare(container, SEED)
    before = list_audit_events(container.get(opened_database))
    version, clock = (
        container.get(sandbox_services).registry.lists_version,
        container.get(sandbox_services).clock_control.reading(),
    )
    prepare(container, SEED)
    kinds = [event.kind for event in list_audit_events(container.get(opened_database))[len(before) :]]
    assert sorted(kinds) == ["sign-in-link.created", "token.created"]
    assert (
        container.get(sandbox_services).registry.lists_version,
        container.get(sandbox_services).clock_control.reading(),
    ) == (
        version,
        clock,
    )
    assert container.get(account_services).accounts.find("ana@example.com").remaining == 7


def test_prepare_twice_with_a_shifted_clock_shifts_it_once(container: Container) -> None:
    prepare(container, "clock: +72h")
    prepare(container, "clock: +72h")
    assert container.get(sandbox_services).clock_control.reading().offset.total_seconds() == 72 * 3600


@pytest.mark.parametrize(
    ("content", "place", "part"),
    [
        ("accounts: [{user: a b, password: c}]", "accounts[0]", "sin espacios"),
        ("taxpayers: [{rfc: ABC010203AB9}]", "taxpayers[0]", "Falta el nombre"),
        ("taxpayers: [{rfc: XAXX010101000, name: A}]", "taxpayers[0]", "genérico"),
        ("csds: [{rfc: EKU9003173C9}, {rfc: ABC010203AB9}]", "csds[1]", "no está registrado"),
        ("csds: [{rfc: EKU9003173C9, account: nadie@example.com}]", "csds[0]", "No existe una cuenta"),
        ("faults: [{name: list-late, seconds: 2}]", "faults[0]", "Solo llevan segundos"),
    ],
)
def test_prepare_names_the_place_of_a_rejected_value(container: Container, content: str, place: str, part: str) -> None:
    with pytest.raises(SeedFileError) as caught:
        prepare(container, content)
    assert caught.value.place == place
    assert part in caught.value.problem

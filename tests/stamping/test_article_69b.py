"""Stamping with an issuer or a receiver in the definitive list of article 69-B: policy, header, list without use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest
from tests.support.reference_data import reference_data
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.accounts.article_69b import Article69bPolicy
from timbra.accounts.build import account_services
from timbra.accounts.users import AccountChange
from timbra.core.errors import ServiceError
from timbra.evaluation.article_69b import Article69bFinding, Article69bScreening
from timbra.examples import ingreso
from timbra.examples.retenciones20 import retencion
from timbra.rules.engine.ports import ReferenceData
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampRequest
from timbra.stamping.serializers import article_69b_header

P = ParamSpec("P")
T = TypeVar("T")
ISSUER, RECEIVER, RETENCION_RECEIVER = "EKU9003173C9", "URE180429TM6", "CACX7605101P8"
TODAY = datetime(2026, 11, 17, 18, tzinfo=UTC)
POLICIES = ("ignore", "warn", "block")
SITUATIONS = ("Definitivo", "Presunto", "Desvirtuado", "Sentencia Favorable")


@dataclass(frozen=True)
class Row:
    rfc: str
    situation: str
    name: str = ""


class Listing:
    """A list that counts look-ups."""

    def __init__(self, dated: date, **situations: str) -> None:
        self.dated = dated
        self.situations = situations
        self.asked: list[str] = []

    def presumed(self, rfc: str) -> Row | None:
        self.asked.append(rfc)
        return Row(rfc, self.situations[rfc]) if rfc in self.situations else None


def lists(presumed: Listing | None) -> ReferenceData:
    return replace(reference_data(now=TODAY), presumed=presumed)


def outcome(
    screening: Article69bScreening, policy: str | None, rfcs: tuple[str, ...], listing: Listing | None
) -> object:
    try:
        return screening.screen(policy, rfcs, lists(listing))
    except ServiceError as error:
        return error.code


@pytest.mark.parametrize("own", [None, *POLICIES])
@pytest.mark.parametrize("server", POLICIES)
def test_screening_follows_the_policy_for_every_state_of_the_list(server: str, own: str | None) -> None:
    policy = own or server
    fresh, old = date(2026, 11, 1), date(2026, 8, 1)
    for listed, dated in product(((), (ISSUER,), (RECEIVER,), (ISSUER, RECEIVER)), (None, fresh, old)):
        listing = None if dated is None else Listing(dated, **dict.fromkeys(listed, "Definitivo"))
        screening = Article69bScreening(Article69bPolicy(server), timedelta(days=90))
        found = outcome(screening, own, (ISSUER, RECEIVER), listing)
        if policy == "ignore":
            assert found is None
        elif dated is None:
            assert found == ("TB4061" if policy == "block" else Article69bFinding(None))
        elif listed:
            assert found == ("TB4060" if policy == "block" else Article69bFinding(dated, listed, dated == old))
        else:
            assert found == (Article69bFinding(old, (), True) if dated == old else None)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_screening_finds_definitive_taxpayers_only(situation: str) -> None:
    listing = Listing(TODAY.date(), **{ISSUER: situation})
    screening = Article69bScreening(Article69bPolicy.WARN, timedelta(days=90))
    found = screening.screen(None, (ISSUER, RECEIVER), lists(listing))
    assert (found is not None) == (situation == "Definitivo")


def test_screening_looks_up_each_party_once_and_no_generic_rfc() -> None:
    listing = Listing(TODAY.date())
    screening = Article69bScreening(Article69bPolicy.WARN, timedelta(days=90))
    screening.screen(None, (ISSUER, ISSUER), lists(listing))
    screening.screen(None, (RECEIVER, "XAXX010101000"), lists(listing))
    screening.screen("ignore", (ISSUER, RECEIVER), lists(listing))
    assert listing.asked == [ISSUER, RECEIVER]


@pytest.mark.parametrize(
    ("finding", "value"),
    [
        (Article69bFinding(None), "unavailable"),
        (Article69bFinding(date(2026, 10, 15), (ISSUER,)), "listed; date=2026-10-15; rfc=EKU9003173C9"),
        (
            Article69bFinding(date(2026, 10, 15), ("ÑAÑ900317AB1", RECEIVER), True),
            "listed; date=2026-10-15; rfc=%C3%91A%C3%91900317AB1; rfc=URE180429TM6; stale",
        ),
        (Article69bFinding(date(2026, 10, 15), (), True), "not-listed; date=2026-10-15; stale"),
    ],
)
def test_header_states_list_and_parties_in_ascii(finding: Article69bFinding, value: str) -> None:
    assert article_69b_header(finding) == value
    assert value.isascii()


def put_in_list(app: SandboxApp, *rfcs: str, situation: str = "Definitivo") -> None:
    registry = app.container.get(sandbox_services).registry
    for rfc in rfcs:
        registry.change(rfc, TaxpayerChange(situation=situation))
    registry.refresh()


def documents() -> Iterator[tuple[DocumentKind, bytes, str]]:
    yield DocumentKind.CFDI, ingreso(fecha=FECHA).encode(), RECEIVER
    yield DocumentKind.RETENCIONES, retencion(fecha=FECHA).encode(), RETENCION_RECEIVER


def with_policy(app: SandboxApp, policy: str) -> None:
    """Set the policy of the account, and use the caller as the server finds it by a token."""
    accounts = app.container.get(account_services)
    account = accounts.accounts.find("ana@example.com")
    accounts.users.update(account.guid, AccountChange(article_69b=policy))
    token = accounts.accounts.create_infinite_token("ana@example.com")
    app.caller = accounts.accounts.caller(f"Bearer {token}")


@pytest.mark.parametrize("party", ["issuer", "receiver", "both"])
def test_stamp_of_a_listed_party_is_warned_about_by_default(sandbox_app: SandboxApp, party: str) -> None:
    sandbox_app.store(sandbox_app.mint())
    for kind, xml, receiver in documents():
        listed = {"issuer": (ISSUER,), "receiver": (receiver,), "both": (ISSUER, receiver)}[party]
        put_in_list(sandbox_app, *listed)
        stamped = sandbox_app.issue(xml, kind=kind)
        assert stamped.article_69b == Article69bFinding(date(2026, 11, 17), listed)


def test_stamp_without_listed_party_has_no_finding(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    for kind, xml, receiver in documents():
        put_in_list(sandbox_app, receiver, situation="Presunto")
        assert sandbox_app.issue(xml, kind=kind).article_69b is None


def test_policy_block_of_an_account_rejects_with_the_date_of_the_list(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    with_policy(sandbox_app, "block")
    for kind, xml, receiver in documents():
        put_in_list(sandbox_app, receiver)
        rejection = sandbox_app.rejection(xml, issue=True, kind=kind)
        assert (rejection.code, rejection.detail) == ("TB4060", f"{receiver}: Definitivo en la lista del 2026-11-17.")


def test_policy_of_an_account_replaces_that_of_the_server(tmp_path: Path) -> None:
    app = SandboxApp(tmp_path / "data", article_69b="block")
    try:
        app.store(app.mint())
        put_in_list(app, RECEIVER)
        xml = ingreso(fecha=FECHA).encode()
        assert app.rejection(xml, issue=True).code == "TB4060"
        with_policy(app, "warn")
        found = app.issue(xml).article_69b
        assert found is not None
        assert found.listed == (RECEIVER,)
        with_policy(app, "default")
        assert app.rejection(ingreso({"@Folio": "2"}, fecha=FECHA).encode(), issue=True).code == "TB4060"
        with_policy(app, "ignore")
        assert app.issue(ingreso({"@Folio": "3"}, fecha=FECHA).encode()).article_69b is None
    finally:
        app.container.close()


def test_screening_adds_no_work_outside_of_the_event_loop(sandbox_app: SandboxApp) -> None:
    """A stamp with the look-up runs as many database tasks as one without it."""
    sandbox_app.store(sandbox_app.mint())
    put_in_list(sandbox_app, RECEIVER)

    def tasks(policy: str, folio: str) -> list[str]:
        ran: list[str] = []

        async def run_in_thread(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
            ran.append(getattr(work, "__name__", str(work)))
            return await asyncio.to_thread(work, *args, **kwargs)

        xml = ingreso({"@Folio": folio}, fecha=FECHA).encode()
        request = StampRequest(replace(sandbox_app.caller, article_69b=policy), xml, "request")
        asyncio.run(sandbox_app.container.get(stamping_services).stamping.issue(request, run_in_thread))
        return ran

    tasks("ignore", "0")
    assert tasks("warn", "1") == tasks("ignore", "2")

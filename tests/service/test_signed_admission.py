"""Requests that clients signed: replayed by another account, or long after they were signed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs
from tests.support.cancellation_app import ISSUER, CancellationApp

from timbra.accounts.vault.signers import IssuerCredential
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.errors import ServiceError
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.service.cancellation.admission import EVENT as REJECTED
from timbra.service.cancellation.admission import MALFORMED, REPLAYED, TOO_NEW, TOO_OLD
from timbra.store.tables.stamps import EVENT

ACCEPTED = {"201", "202"}


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("admission") / "data")
    yield sandbox_app
    sandbox_app.container.close()


def signed(sandbox_app: CancellationApp, age: timedelta, fecha: str = "") -> bytes:
    """Return a cancellation that the issuer signed some time ago."""
    root = Cancelacion(ISSUER, (Folio(sandbox_app.invoice(), "02"),)).to_root(sandbox_app.now - age)
    if fecha:
        root.set("Fecha", fecha)
    credential = sandbox_app.issuer
    signer = pair_key(credential.certificate, load_private_key(credential.key_der, credential.password))
    requests = sandbox_app.container.cancellation_services.signed_requests
    return requests.sign(IssuerCredential(credential.certificate, signer), root)


def cancel(sandbox_app: CancellationApp, xml: bytes, user: str = "") -> str:
    """Return the code of the first folio, or the reason of the rejection."""
    caller = sandbox_app.container.account_services.accounts.caller_for(user) if user else sandbox_app.caller
    try:
        result = sandbox_app.container.cancellation_services.cancelling.by_xml(caller, xml, "request")
    except ServiceError as error:
        return error.detail or "" if error.code == "cancel-xml" else error.code
    return next(iter(result.codes.values()))


def test_another_account_cannot_replay_a_signed_request(sandbox_app: CancellationApp) -> None:
    sandbox_app.account("mallory@example.com")
    xml = signed(sandbox_app, timedelta(0))
    assert cancel(sandbox_app, xml) in ACCEPTED
    with capture_logs() as logged:
        assert cancel(sandbox_app, xml, "mallory@example.com") == REPLAYED
    assert [line["reason"] for line in logged if line["event"] == "signed request rejected"] == [REPLAYED]
    with sandbox_app.container.database.read() as connection:
        [row] = connection.execute(select(EVENT).where(EVENT.c.kind == REJECTED)).all()
    assert row.body == {"reason": REPLAYED}


def test_the_same_account_may_repeat_a_signed_request(sandbox_app: CancellationApp) -> None:
    xml = signed(sandbox_app, timedelta(0))
    assert {cancel(sandbox_app, xml), cancel(sandbox_app, xml)} <= ACCEPTED


@pytest.mark.parametrize("age", [timedelta(hours=71), timedelta(minutes=-4), timedelta(hours=-1)])
def test_fecha_inside_the_window_of_any_zone_of_mexico_is_accepted(
    sandbox_app: CancellationApp, age: timedelta
) -> None:
    assert cancel(sandbox_app, signed(sandbox_app, age)) in ACCEPTED


@pytest.mark.parametrize(
    ("age", "reason"),
    [
        (timedelta(hours=75), TOO_OLD.format(hours="72")),
        (timedelta(days=3650), TOO_OLD.format(hours="72")),
        (timedelta(hours=-1, minutes=-6), TOO_NEW),
        (timedelta(days=-400), TOO_NEW),
    ],
)
def test_fecha_outside_the_window_is_rejected(sandbox_app: CancellationApp, age: timedelta, reason: str) -> None:
    assert cancel(sandbox_app, signed(sandbox_app, age)) == reason


@pytest.mark.parametrize("fecha", ["2026-02-30T12:00:00", "2026-13-01T00:00:00", "2026-11-17T25:00:00"])
def test_fecha_that_does_not_exist_is_rejected(sandbox_app: CancellationApp, fecha: str) -> None:
    assert cancel(sandbox_app, signed(sandbox_app, timedelta(0), fecha)) == MALFORMED


def test_window_follows_fiscal_time(sandbox_app: CancellationApp) -> None:
    xml = signed(sandbox_app, timedelta(0))
    control = sandbox_app.container.sandbox_services.clock_control
    control.advance("4d")
    try:
        assert cancel(sandbox_app, xml) == TOO_OLD.format(hours="72")
    finally:
        control.advance("-4d")

"""Requests that clients signed: replayed by another account, or long after they were signed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
from structlog.testing import capture_logs
from tests.support.cancellation_app import ISSUER, CancellationApp
from tests.support.events import list_audit_events

from timbra.accounts.build import account_services
from timbra.accounts.vault.signers import IssuerCredential
from timbra.app.composition import Container, open_container
from timbra.cancellation.admission import FechaWindow, SignedAdmission
from timbra.cancellation.build import cancellation_services, signed_admission
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.container.build import fiscal_clock
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.events.audit.audit import Audit
from timbra.sat.port import RequestOrigin
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.settings import Settings

REJECTED = "signed-request.rejected"
MALFORMED = "La Fecha de la solicitud firmada no existe."
REPLAYED = "La solicitud firmada ya se recibió de otra cuenta."
TOO_NEW = "La Fecha de la solicitud firmada es posterior a la hora del servicio."
TOO_OLD = "La Fecha de la solicitud firmada es anterior al plazo de {hours} horas."

ACCEPTED = {"201", "202"}
FISCAL = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("admission") / "data")
    yield sandbox_app
    sandbox_app.container.close()


def signed(sandbox_app: CancellationApp) -> bytes:
    """Return a cancellation that the issuer signs now."""
    root = Cancelacion(ISSUER, (Folio(sandbox_app.invoice(), "02"),)).to_root(sandbox_app.now)
    credential = sandbox_app.issuer
    signer = pair_key(credential.certificate, load_private_key(credential.key_der, credential.password))
    requests = sandbox_app.container.get(cancellation_services).signed_requests
    return requests.sign(IssuerCredential(credential.certificate, signer), root)


def cancel(sandbox_app: CancellationApp, xml: bytes, user: str = "") -> str:
    """Return the code of the first folio, or the reason of the rejection."""
    caller = sandbox_app.container.get(account_services).accounts.caller_for(user) if user else sandbox_app.caller
    try:
        result = sandbox_app.container.get(cancellation_services).cancelling.by_xml(caller, xml, "request")
    except ServiceError as error:
        return error.detail or "" if error.code == "cancel-xml" else error.code
    return next(iter(result.codes.values()))


def test_another_account_cannot_replay_a_signed_request(sandbox_app: CancellationApp) -> None:
    sandbox_app.account("mallory@example.com")
    xml = signed(sandbox_app)
    assert cancel(sandbox_app, xml) in ACCEPTED
    with capture_logs() as logged:
        assert cancel(sandbox_app, xml, "mallory@example.com") == REPLAYED
    assert [line["reason"] for line in logged if line["event"] == "signed request rejected"] == [REPLAYED]
    [event] = list_audit_events(sandbox_app.container.get(opened_database), REJECTED)
    assert orjson.loads(event.body) == {"reason": REPLAYED}


def test_the_same_account_may_repeat_a_signed_request(sandbox_app: CancellationApp) -> None:
    xml = signed(sandbox_app)
    assert {cancel(sandbox_app, xml), cancel(sandbox_app, xml)} <= ACCEPTED


class FixedClock:
    """A clock that stands still."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant


def content(fecha: str) -> bytes:
    return f'<Cancelacion Fecha="{fecha}"/>'.encode()


def outcome(sandbox_app: CancellationApp, fecha: str, wall: datetime = FISCAL) -> str | None:
    """Return why a Fecha is rejected at noon of November 17 in fiscal time (UTC)."""
    audit = Audit(FixedClock(wall), FixedClock(FISCAL))
    admission = SignedAdmission(sandbox_app.container.get(opened_database), audit, FechaWindow())
    try:
        admission.require(content(fecha), RequestOrigin(sandbox_app.caller.account_id, "request"))
    except ServiceError as error:
        return error.detail
    return None


@pytest.mark.parametrize(
    "fecha",
    [
        *("2026-11-17T12:00:00", "2026-11-17T12:05:00", "2026-11-17T06:00:00", "2026-11-17T04:00:00"),
        *("2026-11-14T12:00:00", "2026-11-14T04:00:00", "2026-11-17T12:04:00Z"),
    ],
)
def test_fecha_inside_the_window_in_some_zone_is_accepted(sandbox_app: CancellationApp, fecha: str) -> None:
    assert outcome(sandbox_app, fecha) is None


@pytest.mark.parametrize(
    ("fecha", "reason"),
    [
        ("2026-11-14T03:59:59", TOO_OLD.format(hours="72")),
        ("2016-11-17T12:00:00", TOO_OLD.format(hours="72")),
        ("2026-11-17T12:05:01", TOO_NEW),
        ("2027-12-22T00:00:00", TOO_NEW),
        ("2026-02-30T12:00:00", MALFORMED),
        ("2026-11-17T25:00:00", MALFORMED),
    ],
)
def test_fecha_outside_the_window_is_rejected(sandbox_app: CancellationApp, fecha: str, reason: str) -> None:
    assert outcome(sandbox_app, fecha) == reason


def test_fecha_of_the_clients_own_clock_is_accepted_in_a_moved_sandbox(sandbox_app: CancellationApp) -> None:
    earlier = FISCAL - timedelta(days=30)
    assert outcome(sandbox_app, f"{earlier:%Y-%m-%dT%H:%M:%S}", wall=earlier) is None
    assert outcome(sandbox_app, f"{earlier - timedelta(days=5):%Y-%m-%dT%H:%M:%S}", wall=earlier) is not None


@pytest.mark.parametrize("fecha", ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"])
def test_fecha_outside_of_the_calendar_does_not_exist(sandbox_app: CancellationApp, fecha: str) -> None:
    assert outcome(sandbox_app, fecha) == MALFORMED


def code_of(container: Container, fecha: str) -> str:
    """Return the code with which the container rejects a Fecha; empty when it admits it."""
    try:
        container.get(signed_admission).require(content(fecha), RequestOrigin(None, ""))
    except ServiceError as error:
        return error.code
    return ""


WINDOW_SETTINGS = [
    ({}, {"sandbox": (True, True), "rehearsal": (False, False), "production": (False, False)}),
    ({"signed_request_hours_back": 72}, dict.fromkeys(("sandbox",), (False, True))),
    ({"signed_request_minutes_ahead": 5}, dict.fromkeys(("sandbox",), (True, False))),
    ({"signed_request_hours_back": 0}, dict.fromkeys(("rehearsal", "production"), (True, False))),
    ({"signed_request_hours_back": 24000 / 3, "signed_request_minutes_ahead": 0}, {"production": (False, False)}),
]


@pytest.mark.parametrize(
    ("values", "environment", "admitted"),
    [(values, environment, admitted) for values, all_ in WINDOW_SETTINGS for environment, admitted in all_.items()],
)
def test_window_is_off_in_a_sandbox_and_on_elsewhere_unless_a_setting_decides(
    tmp_path: Path, values: dict[str, float], environment: str, admitted: tuple[bool, bool]
) -> None:
    """A Fecha of three years ago, as the samples of SDKs have, and one of tomorrow."""
    settings = Settings.model_validate({"data": tmp_path, "environment": environment, **values})
    with open_container(settings) as container:
        now = container.get(fiscal_clock).now()
        codes = [
            code_of(container, f"{fecha:%Y-%m-%dT%H:%M:%S}")
            for fecha in (now - timedelta(days=1100), now + timedelta(days=1))
        ]
    assert codes == ["" if is_admitted else "cancel-xml" for is_admitted in admitted]


def test_request_without_a_fecha_has_no_window(sandbox_app: CancellationApp) -> None:
    audit = Audit(FixedClock(FISCAL), FixedClock(FISCAL))
    admission = SignedAdmission(sandbox_app.container.get(opened_database), audit, FechaWindow())
    admission.require(b"<PeticionConsultaRelacionados/>", RequestOrigin(None, ""))

"""Requests to cancel a CFDI after the month of the annual return of its year: the finding, its values and its log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp, csd_files
from tests.support.signing import signed
from tests.support.store_records import MovableClock

from timbra.cancellation.build import cancellation_services
from timbra.cancellation.late_requests import LateFinding, LateRequests
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.clock import CENTRAL_MEXICO
from timbra.stamps.port import StampHeader

FISICA = "CACX7605101P8"
UUID, OTHER, UNKNOWN = (f"0b9f1c5e-0000-4000-8000-00000000000{number}" for number in range(1, 4))
MORAL_LIMIT = "una fecha hasta 2026-03-31, fin del mes de la declaración anual de 2025 de una persona moral"
FISICA_LIMIT = "una fecha hasta 2026-04-30, fin del mes de la declaración anual de 2025 de una persona física"


@dataclass
class Stamps:
    """The stamps of a server."""

    stored: list[StampHeader]

    def headers_of(self, uuids: Sequence[str]) -> list[StampHeader]:
        return [stamp for stamp in self.stored if stamp.uuid in uuids]


def stamp(uuid: str = UUID, issuer: str = ISSUER, fecha: str = "2025-07-01T10:00:00", kind: str = "I") -> StampHeader:
    return StampHeader(uuid, kind, issuer, fecha, datetime(2026, 1, 1, 7, tzinfo=UTC))


def found(at: datetime, *stamps: StampHeader, rfc: str = ISSUER, uuids: Sequence[str] = (UUID,)) -> list[LateFinding]:
    request = Cancelacion(rfc, tuple(Folio(uuid, "02") for uuid in uuids))
    return list(LateRequests(Stamps(list(stamps)), MovableClock(at)).find(request))


@pytest.mark.parametrize(
    ("issuer", "last", "expected"),
    [
        (ISSUER, datetime(2026, 3, 31, 23, 59, 59, tzinfo=CENTRAL_MEXICO), MORAL_LIMIT),
        (FISICA, datetime(2026, 4, 30, 23, 59, 59, tzinfo=CENTRAL_MEXICO), FISICA_LIMIT),
    ],
)
def test_find_begins_after_the_month_of_the_annual_return(issuer: str, last: datetime, expected: str) -> None:
    first = last.replace(day=1, month=last.month + 1, hour=0, minute=0, second=0)
    assert found(last, stamp(issuer=issuer), rfc=issuer) == []
    [finding] = found(first.astimezone(UTC), stamp(issuer=issuer), rfc=issuer)
    assert finding == LateFinding(UUID.upper(), "Cancelacion/Folios[1]/Folio", first.date().isoformat(), expected)
    assert finding.sentence == (
        "210 - Ya pasó el plazo del ejercicio para cancelar. Cancelacion/Folios[1]/Folio: se encontró "
        f"«{first.date().isoformat()}»; se esperaba {expected}."
    )


@pytest.mark.parametrize(
    ("fecha", "is_late"), [("2025-12-31T23:59:59", True), ("2026-01-01T00:00:00", False), ("", False)]
)
def test_find_goes_by_the_year_of_fecha(fecha: str, is_late: bool) -> None:
    """A stamp without a year in its Fecha is of 1 January 2026 in central Mexico."""
    assert bool(found(datetime(2026, 6, 1, tzinfo=UTC), stamp(fecha=fecha))) is is_late


def test_find_names_the_place_of_each_folio_in_order() -> None:
    at = datetime(2026, 6, 1, tzinfo=UTC)
    new = stamp(OTHER, fecha="2026-05-01T10:00:00")
    late = found(at, new, stamp(), uuids=(UNKNOWN, OTHER, UUID))
    assert [(finding.uuid, finding.path) for finding in late] == [(UUID.upper(), "Cancelacion/Folios[3]/Folio")]


def test_find_says_nothing_about_stamps_of_another_issuer_and_retenciones() -> None:
    assert (
        found(datetime(2026, 6, 1, tzinfo=UTC), stamp(issuer=RECEIVER), stamp(OTHER, kind="R"), uuids=(UUID, OTHER))
        == []
    )


def test_find_logs_code_path_found_and_expected() -> None:
    with capture_logs() as logged:
        found(datetime(2026, 6, 1, tzinfo=UTC), stamp())
    assert logged == [
        {
            "event": "cancellation after the last day",
            "log_level": "warning",
            "uuid": UUID.upper(),
            "code": "210",
            "path": "Cancelacion/Folios[1]/Folio",
            "found": "2026-05-31",
            "expected": MORAL_LIMIT,
        }
    ]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> CancellationApp:
    sandbox_app = CancellationApp(tmp_path_factory.mktemp("template") / "data")
    sandbox_app.container.close()
    return sandbox_app


@pytest.fixture(params=[True, False])
def sandbox_app(request: pytest.FixtureRequest, template: CancellationApp, tmp_path: Path) -> Iterator[CancellationApp]:
    sandbox_app = template.copied(tmp_path / "data", cancellation_annual_limit=request.param)
    yield sandbox_app
    sandbox_app.container.close()


def test_every_way_of_cancelling_tells_the_finding_whatever_the_authority_decides(
    sandbox_app: CancellationApp,
) -> None:
    by_uuid, by_files, by_xml = (sandbox_app.invoice() for _ in range(3))
    sandbox_app.advance("135d")
    service, caller = sandbox_app.container.get(cancellation_services).cancelling, sandbox_app.caller
    root = Cancelacion(ISSUER, (Folio(UNKNOWN, "02"), Folio(by_xml, "02"))).to_root(sandbox_app.now)
    results = [
        service.by_uuid(caller, sandbox_app.order(by_uuid), "request"),
        service.by_files(caller, sandbox_app.order(by_files), csd_files(sandbox_app.issuer), "request"),
        service.by_xml(caller, signed(sandbox_app.issuer, root), "request"),
    ]
    code = "210" if sandbox_app.container.settings.cancellation_annual_limit else "201"
    expected = MORAL_LIMIT.replace("2026-", "2027-").replace("2025", "2026")
    for result, uuid, place in zip(results, (by_uuid, by_files, by_xml), (1, 1, 2), strict=True):
        assert result.codes[uuid.upper()] == code
        assert result.late == (LateFinding(uuid.upper(), f"Cancelacion/Folios[{place}]/Folio", "2027-04-01", expected),)


def test_cancellation_in_time_has_no_finding(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.invoice()
    sandbox_app.advance("134d")
    assert sandbox_app.cancelled(sandbox_app.order(uuid)).late == ()


def test_cancellation_of_a_retencion_has_no_finding(sandbox_app: CancellationApp) -> None:
    uuid = sandbox_app.retencion()
    sandbox_app.advance("400d")
    service = sandbox_app.container.get(cancellation_services).cancelling_retenciones
    assert service.by_uuid(sandbox_app.caller, sandbox_app.order(uuid), "request").late == ()

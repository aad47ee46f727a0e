"""Validation beside the SAT's services: what they answer, and what becomes of the report when they do not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.support.desk import FECHA, Desk, with_attribute
from tests.support.sat_services import WRONG, SatServices, sat_services

from timbra.authority.port import FiscalStatus, StatusQuery
from timbra.authority.sat.breaker import Breaker
from timbra.authority.sat.patience import Patience
from timbra.authority.sat.repository import CertificateRepository, place
from timbra.authority.sat.transport import Transport
from timbra.examples import ingreso
from timbra.rules.world import World
from timbra.seals.trust import Trust
from timbra.service.report import Entry, EntryKind, Report
from timbra.service.validation import Validation

GOOD = "S - Comprobante obtenido satisfactoriamente"


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatServices]:
    with sat_services(tmp_path_factory.mktemp("files")) as running:
        yield running


@pytest.fixture(scope="module")
def stamped_desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk") / "data")
    desk.store(desk.mint())
    yield desk
    desk.house.close()


@pytest.fixture(scope="module")
def stamped(stamped_desk: Desk) -> bytes:
    return stamped_desk.issue(ingreso(fecha=FECHA).encode()).cfdi.encode()


def report(desk: Desk, xml: bytes, url: str = "", **settings: Any) -> Report:
    """Validated in a sandbox that asks the service at the address; the ledger without one."""
    from timbra.wiring.sat import sat_status

    asked = {"sat_status_url": url, "sat_attempts": 1, "sat_seconds": 5.0, **settings}
    chosen = desk.house.settings.model_copy(update=asked)
    authority = sat_status(chosen, desk.house.wall) if url else desk.house.ledger
    validation = Validation(desk.house.tools, authority, None, chosen.sat_seconds)
    return asyncio.run(validation.validate(xml, with_status=True))


def warnings(report: Report) -> list[Entry]:
    return [entry for entry in report.entries if entry.kind is EntryKind.WARNING and entry.evaluated]


def test_the_words_of_the_sat(stamped_desk: Desk, stamped: bytes, services: SatServices) -> None:
    found = report(stamped_desk, stamped, f"{services.address}/answer/well")
    assert (found.status_sat, found.status_code_sat) == ("Vigente", GOOD)
    assert (found.is_cancelable, found.status_cancelation) == ("Cancelable con aceptación", "En proceso")
    assert (found.efos, found.wrong, warnings(found)) == ("200", False, [])


def test_the_question_is_of_this_document(stamped_desk: Desk, stamped: bytes, services: SatServices) -> None:
    found = report(stamped_desk, stamped, f"{services.address}/answer/well")
    body = services.seen()["body"]
    assert f"&amp;id={found.uuid}&amp;fe=" in body
    assert "?re=EKU9003173C9&amp;rr=URE180429TM6&amp;tt=" in body


def test_a_listed_issuer_is_told(stamped_desk: Desk, stamped: bytes, services: SatServices) -> None:
    found = report(stamped_desk, stamped, f"{services.address}/answer/listed")
    (entry,) = warnings(found)
    assert (found.efos, entry.code, entry.found) == ("100", "EFOS", "100")
    assert "69-B" in (entry.detail or "")
    assert not found.wrong


@pytest.mark.parametrize("kind", [*WRONG, "gzip", "hangup"])
def test_a_failing_authority_hides_nothing_and_invents_nothing(
    stamped_desk: Desk, stamped: bytes, services: SatServices, kind: str
) -> None:
    wrong = with_attribute(stamped, "UsoCFDI", "NO")
    found = report(stamped_desk, wrong, f"{services.address}/answer/{kind}")
    silent = (found.status_sat, found.status_code_sat, found.is_cancelable, found.status_cancelation, found.efos)
    assert silent == (None,) * 5
    (entry,) = warnings(found)
    assert "La autoridad no respondió" in (entry.detail or "")
    assert "No hay una respuesta anterior." in (entry.detail or "")
    offline = report(stamped_desk, wrong)
    assert [entry for entry in found.entries if entry.code] == [entry for entry in offline.entries if entry.code]
    assert found.wrong


@pytest.mark.parametrize("kind", ["silent", "drip"])
def test_a_silent_authority_is_waited_for_no_longer_than_told(
    stamped_desk: Desk, stamped: bytes, services: SatServices, kind: str
) -> None:
    found = report(stamped_desk, stamped, f"{services.address}/answer/{kind}", sat_seconds=0.2)
    assert (found.status_sat, found.wrong) == (None, False)
    assert "a tiempo" in (warnings(found)[0].detail or "")


class Meeting:
    """An authority and a world that wait for each other: only side by side can both go on."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.asked, self.judged = Event(), Event()

    def status(self, query: StatusQuery) -> FiscalStatus:
        self.asked.set()
        assert self.judged.wait(20), "the document is judged meanwhile"
        return FiscalStatus("Vigente", GOOD, None, "")

    def world(self) -> World:
        assert self.asked.wait(20), "the authority is asked before the document is judged"
        self.judged.set()
        return self._world


def test_the_authority_answers_while_the_document_is_judged(stamped_desk: Desk, stamped: bytes) -> None:
    tools = stamped_desk.house.tools
    meeting = Meeting(tools.world())
    validation = Validation(replace(tools, world=meeting.world), meeting)
    assert asyncio.run(validation.validate(stamped, with_status=True)).status_sat == "Vigente"


def test_the_last_good_answer_is_told_with_its_age(stamped_desk: Desk, stamped: bytes, services: SatServices) -> None:
    from timbra.wiring.sat import sat_status

    asked = {"sat_status_url": f"{services.address}/answer/well", "sat_attempts": 1}
    authority = sat_status(stamped_desk.house.settings.model_copy(update=asked), stamped_desk.house.wall)
    validation = Validation(stamped_desk.house.tools, authority)
    assert asyncio.run(validation.validate(stamped, with_status=True)).status_sat == "Vigente"
    authority._service._url = f"{services.address}/answer/500"
    found = asyncio.run(validation.validate(stamped, with_status=True))
    assert found.status_sat is None
    assert "La última respuesta, de hace" in (warnings(found)[0].detail or "")
    assert "fue Vigente." in (warnings(found)[0].detail or "")


def test_without_a_service_the_report_says_so(stamped_desk: Desk, stamped: bytes) -> None:
    validation = Validation(stamped_desk.house.tools, None)
    found = asyncio.run(validation.validate(stamped, with_status=True))
    assert (found.status_sat, found.status_code_sat) == (None, None)
    assert "no hay un servicio" in (warnings(found)[0].detail or "")


def test_a_document_that_cannot_be_asked_for_is_not_asked_for(stamped_desk: Desk, services: SatServices) -> None:
    path = "/answer/1-unstamped"
    found = report(stamped_desk, ingreso(fecha=FECHA).encode(), f"{services.address}{path}")
    assert (found.status_sat, services.asked(path)) == ("No Encontrado", 0)


class Repository:
    """Validation in a house that trusts the sandbox's authority, whose provider only a repository knows."""

    def __init__(self, desk: Desk, url: str, folder: Path) -> None:
        trust = Trust((), ()).with_authority(desk.house.authority_ca.certificate)
        patience = Patience(seconds=5, attempts=1)
        repository = CertificateRepository(f"{url}/rccf", folder, trust, Transport(), Breaker(), patience)
        self.validation = Validation(replace(desk.house.tools, trust=trust), None, repository)

    def told(self, xml: bytes) -> tuple[set[str | None], set[str | None]]:
        """Codes of errors, and of what could not be judged, about the stamp."""
        found = asyncio.run(self.validation.validate(xml, with_status=False))
        entries = [entry for section in found.sections[2:] for entry in section.entries]
        errors = {entry.code for entry in entries if entry.kind is EntryKind.ERROR}
        return errors, {entry.code for entry in entries if not entry.evaluated}


def test_a_new_provider_is_looked_up_in_the_repository(stamped_desk: Desk, stamped: bytes, tmp_path: Path) -> None:
    provider = stamped_desk.house.authority_ca.provider.certificate
    (tmp_path / f"{provider.number}.cer").write_bytes(provider.der)
    with sat_services(tmp_path) as running:
        house = Repository(stamped_desk, running.address, tmp_path / "kept")
        assert house.told(stamped) == (set(), set())
        assert house.told(with_attribute(stamped, "RfcProvCertif", "AAA010101AAA")) == ({"TFD11303"}, set())
        assert running.asked(f"/rccf/{place(provider.number)}") == 1


def test_a_provider_that_the_repository_does_not_know_is_unknown(
    stamped_desk: Desk, stamped: bytes, tmp_path: Path, services: SatServices
) -> None:
    house = Repository(stamped_desk, services.address, tmp_path / "kept")
    assert house.told(stamped) == ({"TFD-PROVEEDOR"}, {"TFD11303"})


def test_a_repository_that_fails_leaves_the_stamp_not_evaluated(
    stamped_desk: Desk, stamped: bytes, tmp_path: Path
) -> None:
    house = Repository(stamped_desk, "http://127.0.0.1:9", tmp_path / "kept")
    assert house.told(stamped) == (set(), {"TFD-PROVEEDOR", "TFD11303"})

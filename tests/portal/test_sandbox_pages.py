"""The simulated authority's pages: every control does what the commands do, for administrators alone."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

import pytest
from tests.portal.browser import Visitor
from tests.support.cancelling import ISSUER, RECEIVER, CancelDesk

from timbra.authority.sandbox.cancellation import State
from timbra.clock import to_central_mexico
from timbra.portal.app import build
from timbra.seals.certificate import read_certificate
from timbra.seals.keys import load_private_key, pair
from timbra.settings import Settings
from timbra.wiring import open_house

PLACE = "/portal/ambiente"
PAGES = ("", "/contribuyentes", f"/contribuyentes/{ISSUER}", "/certificados", "/cancelaciones", "/cfdi")
NEW = {"rfc": "tin130215qr7", "name": "TINTORERIA DEL NORTE", "postal_code": "64000", "regimes": "601, 626"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancelDesk]:
    made = CancelDesk(tmp_path_factory.mktemp("desk"))
    made.house.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.house.close()


@pytest.fixture
def chief(desk: CancelDesk) -> Iterator[Visitor]:
    """An administrator; clock and faults are as they were when the test ends."""
    made = Visitor(desk)
    assert made.sign_in("jefa@example.com").status_code == 303
    before = to_central_mexico(desk.now)
    yield made
    desk.house.clock_control.set(before)
    desk.house.faults.clear()


def sent(visitor: Visitor, path: str, **fields: str) -> int:
    return visitor.post(f"{PLACE}{path}", fields).status_code


@pytest.mark.parametrize("path", PAGES)
def test_an_account_finds_no_such_page(desk: CancelDesk, path: str) -> None:
    ana = Visitor(desk)
    ana.sign_in("ana@example.com")

    assert ana.page is not None
    assert PLACE not in ana.page.xpath("//nav//a/@href")
    assert ana.get(PLACE + path).status_code == 404
    assert ana.post(f"{PLACE}/reloj/avanzar", {"duration": "1h"}).status_code == 404


def test_production_has_no_such_page(desk: CancelDesk, chief: Visitor) -> None:
    settings = Settings(data=desk.house.data / "production", environment="production")
    with open_house(settings) as house:
        house.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
        visitor = Visitor(desk)
        visitor._app = build(house)
        visitor.sign_in("jefa@example.com")
        assert visitor.get(PLACE).status_code == 404
        assert visitor.get("/portal/estado").status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_shown(chief: Visitor, path: str) -> None:
    assert chief.get(PLACE + path).status_code == 200
    assert "validez fiscal" in chief.text


@pytest.mark.parametrize(
    ("path", "fields", "then"),
    [
        ("avanzar", {"duration": "72h"}, "2026-11-20T12:00:00"),
        ("avanzar", {"duration": "-1d12h"}, "2026-11-16T00:00:00"),
        ("poner", {"instant": "2027-01-02T03:04"}, "2027-01-02T03:04:00"),
    ],
)
def test_the_clock_moves(desk: CancelDesk, chief: Visitor, path: str, fields: dict[str, str], then: str) -> None:
    assert sent(chief, f"/reloj/{path}", **fields) == 303

    assert to_central_mexico(desk.now) == then
    chief.get(PLACE)
    assert then.replace("T", " ") in chief.text


def test_the_clock_runs_and_stands_still(desk: CancelDesk, chief: Visitor) -> None:
    control = desk.house.clock_control

    sent(chief, "/reloj/correr")
    assert control.reading().frozen_at is None
    sent(chief, "/reloj/detener")
    assert control.reading().frozen_at is not None
    sent(chief, "/reloj/poner", instant="2027-01-02T03:04", running="yes")
    assert control.reading().frozen_at is None
    sent(chief, "/reloj/real")
    assert not control.reading().offset
    chief.get(PLACE)
    assert "hora real" in chief.text


@pytest.mark.parametrize("duration", ["mañana", "", "99999999w"])
def test_a_duration_that_is_none_is_told(desk: CancelDesk, chief: Visitor, duration: str) -> None:
    before = desk.now

    assert sent(chief, "/reloj/avanzar", duration=duration) == 422
    assert "La fecha o la duración no es válida." in chief.text
    assert desk.now == before


def test_faults_are_switched_on_and_off(desk: CancelDesk, chief: Visitor) -> None:
    faults = desk.house.faults

    sent(chief, "/fallas", name="answer-lost", times="2", seconds="")
    sent(chief, "/fallas", name="latency", times="", seconds="1,5")
    assert [(fault.name, fault.remaining, fault.seconds) for fault in faults.active()] == [
        ("answer-lost", 2, 0),
        ("latency", None, 1.5),
    ]
    chief.get(PLACE)
    assert "2 peticiones más" in chief.text
    assert "hasta apagarla, 1.5 s" in chief.text
    sent(chief, "/fallas/quitar", name="latency")
    assert [fault.name for fault in faults.active()] == ["answer-lost"]
    sent(chief, "/fallas/quitar")
    assert faults.active() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "fire"},
        {"name": "latency\0x"},
        {"name": "latency", "times": "0"},
        {"name": "latency", "times": "x"},
        {"name": "latency", "times": "٣"},
        {"name": "latency", "seconds": "nan"},
        {"name": "latency", "seconds": "1e9"},
    ],
)
def test_a_fault_that_cannot_be_is_told(desk: CancelDesk, chief: Visitor, fields: dict[str, str]) -> None:
    assert sent(chief, "/fallas", **fields) == 422
    assert desk.house.faults.active() == []


def test_taxpayers_are_registered_found_and_changed(desk: CancelDesk, chief: Visitor) -> None:
    registry = desk.house.registry

    assert sent(chief, "/contribuyentes", **NEW, obligations="2") == 303
    assert sent(chief, "/contribuyentes", **NEW, obligations="2") == 422
    chief.get(f"{PLACE}/contribuyentes?q=norte+tin13")
    assert chief.page is not None
    (link,) = chief.page.xpath("//tbody//a/@href")
    chief.get(link)
    assert sent(chief, link.removeprefix(PLACE), **{**NEW, "postal_code": "64010"}, obligations="2") == 303
    assert registry.entry("TIN130215QR7").pending == {"postal_code": "64010"}
    chief.get(link)
    assert "código postal a 64010" in chief.text
    assert sent(chief, "/listas") == 303
    row = registry.taxpayer("TIN130215QR7")
    assert row is not None
    assert (row.postal_code, registry.obligations("TIN130215QR7")) == ("64010", 2)


def test_a_value_goes_back_before_the_lists_are_published(desk: CancelDesk, chief: Visitor) -> None:
    path, entry = f"/contribuyentes/{RECEIVER}", desk.house.registry.entry(RECEIVER)
    fields = {"name": entry.taxpayer.name, "obligations": str(entry.obligations)}

    sent(chief, path, **fields, cancelled="yes")
    assert desk.house.registry.entry(RECEIVER).pending == {"cancelled": True}
    sent(chief, path, **fields)
    assert desk.house.registry.entry(RECEIVER).pending == {"cancelled": False}


def test_script_in_a_name_stays_text(chief: Visitor) -> None:
    evil = "<script>alert(1)</script>"

    assert sent(chief, "/contribuyentes", rfc="AAB010101AA2", name=evil, obligations="1") == 303
    chief.get(f"{PLACE}/contribuyentes?q={evil}")
    assert chief.page is not None
    assert chief.page.xpath("//main//script") == []
    assert evil in chief.text


@pytest.mark.parametrize("wanted", ["%25", "_", "%00", "nadie-así"])
def test_a_search_takes_every_sign_as_itself(chief: Visitor, wanted: str) -> None:
    assert chief.get(f"{PLACE}/contribuyentes?q={wanted}").status_code == 200
    assert "Nadie coincide" in chief.text


@pytest.mark.parametrize("rfc", ["XXX010101000", "%00", "%0A"])
def test_a_taxpayer_that_is_none_has_no_page(chief: Visitor, rfc: str) -> None:
    assert chief.get(f"{PLACE}/contribuyentes/{rfc}").status_code == 404
    assert sent(chief, f"/contribuyentes/{rfc}", **NEW) in (404, 422)


@pytest.mark.parametrize("kind", ["csd", "efirma"])
def test_a_certificate_is_minted_and_handed_out(desk: CancelDesk, chief: Visitor, kind: str) -> None:
    answer = chief.post(f"{PLACE}/certificados", {"rfc": ISSUER, "kind": kind})

    with ZipFile(BytesIO(answer.content)) as archive:
        der, key, password = (archive.read(f"{ISSUER}.{end}") for end in ("cer", "key", "txt"))
    certificate = read_certificate(der)
    pair(certificate, load_private_key(key, password.decode()))
    assert answer.headers["content-disposition"] == f'attachment; filename="{certificate.number}.zip"'
    assert answer.headers["cache-control"] == "no-store"
    chief.get(f"{PLACE}/certificados?q={certificate.number}")
    assert certificate.kind.value in chief.text


def test_a_certificate_of_nobody_asks_who_it_is(desk: CancelDesk, chief: Visitor) -> None:
    fields = {"rfc": "HAÑ930228SM9".replace("H", "Ñ"), "kind": "csd", "password": "secreta-larga"}

    answer = chief.post(f"{PLACE}/certificados", fields)
    assert answer.status_code == 422
    assert "Escriba también nombre" in chief.text
    assert "secreta-larga" not in answer.text
    fields |= {"name": "ÑANDU", "postal_code": "64000", "regimes": "601"}
    assert chief.post(f"{PLACE}/certificados", fields).headers["content-type"] == "application/zip"


def test_a_revoked_certificate_is_listed_so_after_the_refresh(desk: CancelDesk, chief: Visitor) -> None:
    number = desk.mint(RECEIVER).number

    assert sent(chief, f"/certificados/{number}/revocar") == 303
    chief.get(f"{PLACE}/certificados?q={number}")
    assert "revocado en la próxima lista" in chief.text
    sent(chief, "/listas")
    row = desk.house.registry.certificate(RECEIVER, number)
    assert row is not None
    assert row.status == "R"
    assert sent(chief, "/certificados/123/revocar") == 422
    assert sent(chief, "/certificados/%00/revocar") == 404


@pytest.mark.parametrize(("word", "state"), [("aceptar", State.ACCEPTED), ("rechazar", State.REJECTED)])
def test_a_pending_request_is_answered_for_the_receiver(
    desk: CancelDesk, chief: Visitor, word: str, state: State
) -> None:
    uuid = waiting(desk)

    chief.get(f"{PLACE}/cancelaciones")
    assert uuid in chief.text
    assert sent(chief, f"/cancelaciones/{uuid}", answer=word) == 303
    chief.get(f"{PLACE}/cfdi?folio={uuid.upper()}")
    assert state.cancellation in chief.text
    assert sent(chief, f"/cancelaciones/{uuid}", answer=word) == 422
    assert "ya no espera" in chief.text


@pytest.mark.parametrize(("folio", "word"), [("x", "aceptar"), ("x", "otra"), ("0" * 32, "rechazar")])
def test_an_answer_to_nothing_is_told(chief: Visitor, folio: str, word: str) -> None:
    assert sent(chief, f"/cancelaciones/{folio}", answer=word) == 422


def test_a_scripted_receiver_answers_by_itself(desk: CancelDesk, chief: Visitor) -> None:
    assert sent(chief, "/cancelaciones/programar", rfc=RECEIVER, answer="reject", delay="2h") == 303
    chief.get(f"{PLACE}/cancelaciones")
    assert f"{RECEIVER}rechaza2 h" in chief.text
    uuid = waiting(desk)
    chief.get(f"{PLACE}/cancelaciones")
    assert "la rechaza el" in chief.text
    sent(chief, "/reloj/avanzar", duration="3h")
    chief.get(f"{PLACE}/cfdi?folio={uuid}")
    assert "El receptor rechazó" in chief.text
    sent(chief, "/cancelaciones/programar", rfc=RECEIVER, answer="silence")
    assert desk.house.counter.scripts.all() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"rfc": "x", "answer": "accept"},
        {"rfc": RECEIVER, "answer": "sing"},
        {"rfc": RECEIVER, "answer": "accept", "delay": "-1h"},
    ],
)
def test_a_script_that_cannot_be_is_told(desk: CancelDesk, chief: Visitor, fields: dict[str, str]) -> None:
    assert sent(chief, "/cancelaciones/programar", **fields) == 422
    assert desk.house.counter.scripts.all() == []


def test_a_look_at_a_cfdi_takes_no_fault(desk: CancelDesk, chief: Visitor) -> None:
    uuid = desk.invoice()
    desk.house.faults.set("authority-down", 1)

    assert chief.get(f"{PLACE}/cfdi?folio={uuid}").status_code == 200
    assert "Cancelable" in chief.text
    assert [fault.remaining for fault in desk.house.faults.active()] == [1]


@pytest.mark.parametrize("folio", ["x", "%00", "00000000-0000-4000-8000-000000000000"])
def test_an_unknown_cfdi_is_told(chief: Visitor, folio: str) -> None:
    assert chief.get(f"{PLACE}/cfdi?folio={folio}").status_code == 422
    assert "no tiene ese CFDI" in chief.text


def waiting(desk: CancelDesk) -> str:
    """A CFDI whose cancellation waits for the receiver."""
    uuid = desk.old_invoice().lower()
    desk.cancel(uuid)
    return uuid

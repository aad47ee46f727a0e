"""The simulated authority's pages: every control does what the commands do, for administrators alone."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

import pytest
from tests.support.browser import Visitor, portal_app
from tests.support.cancellation_app import ISSUER, RECEIVER, CancellationApp

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.container.build import data_folder
from timbra.core.clock import to_central_mexico
from timbra.evaluation.build import confirmation_registry
from timbra.sandbox.authority.build import sandbox_registry
from timbra.sandbox.authority.cancellation.state_machine import CancellationState
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.signers.memory import pair_key
from timbra.settings import Settings

PATH = "/portal/ambiente"
ADMINISTRATOR_PAGES = ("", "/contribuyentes", f"/contribuyentes/{ISSUER}", "/cancelaciones", "/cfdi")
PAGES = (*ADMINISTRATOR_PAGES, "/certificados")
NEW = {"rfc": "tin130215qr7", "name": "TINTORERIA DEL NORTE", "postal_code": "64000", "regimes": "601, 626"}


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancellationApp]:
    made = CancellationApp(tmp_path_factory.mktemp("sandbox"))
    made.container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.container.close()


@pytest.fixture
def administrator(sandbox_app: CancellationApp) -> Iterator[Visitor]:
    """An administrator; clock and faults are reset after the test."""
    made = Visitor(sandbox_app)
    assert made.sign_in("jefa@example.com").status_code == 303
    before = to_central_mexico(sandbox_app.now)
    yield made
    sandbox_app.container.get(sandbox_services).clock_control.set(before)
    sandbox_app.container.get(sandbox_services).faults.clear()


def sent(visitor: Visitor, path: str, **fields: str) -> int:
    return visitor.post(f"{PATH}{path}", fields).status_code


@pytest.mark.parametrize("path", ADMINISTRATOR_PAGES)
def test_sandbox_page_answers_404_without_administrator_role(sandbox_app: CancellationApp, path: str) -> None:
    ana = Visitor(sandbox_app)
    ana.sign_in("ana@example.com")

    assert ana.page is not None
    assert PATH not in ana.page.xpath("//nav//a/@href")
    assert ana.get(PATH + path).status_code == 404
    assert ana.post(f"{PATH}/reloj/avanzar", {"duration": "1h"}).status_code == 404


def test_sandbox_pages_do_not_exist_in_production(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    settings = Settings(data=sandbox_app.container.get(data_folder) / "production", environment="production")
    with open_container(settings) as container:
        container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
        visitor = Visitor(sandbox_app)
        visitor._app = portal_app(container)
        visitor.sign_in("jefa@example.com")
        assert visitor.get(PATH).status_code == 404
        assert visitor.get("/portal/estado").status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_sandbox_page_is_rendered(administrator: Visitor, path: str) -> None:
    assert administrator.get(PATH + path).status_code == 200
    assert "validez fiscal" in administrator.text


@pytest.mark.parametrize(
    ("path", "fields", "then", "shown"),
    [
        ("avanzar", {"duration": "72h"}, "2026-11-20T12:00:00", "20 nov 2026, 12:00:00"),
        ("avanzar", {"duration": "-1d12h"}, "2026-11-16T00:00:00", "16 nov 2026, 00:00:00"),
        ("poner", {"instant": "2027-01-02T03:04"}, "2027-01-02T03:04:00", "2 ene 2027, 03:04:00"),
    ],
)
def test_clock_moves(
    sandbox_app: CancellationApp, administrator: Visitor, path: str, fields: dict[str, str], then: str, shown: str
) -> None:
    assert sent(administrator, f"/reloj/{path}", **fields) == 303

    assert to_central_mexico(sandbox_app.now) == then
    administrator.get(PATH)
    assert shown in administrator.text


def test_clock_freezes_and_resumes(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    control = sandbox_app.container.get(sandbox_services).clock_control

    sent(administrator, "/reloj/correr")
    assert control.reading().frozen_at is None
    sent(administrator, "/reloj/detener")
    assert control.reading().frozen_at is not None
    sent(administrator, "/reloj/poner", instant="2027-01-02T03:04", running="yes")
    assert control.reading().frozen_at is None
    sent(administrator, "/reloj/real")
    assert not control.reading().offset
    administrator.get(PATH)
    assert "hora real" in administrator.text


@pytest.mark.parametrize("duration", ["mañana", "", "99999999w"])
def test_advance_rejects_an_invalid_duration(
    sandbox_app: CancellationApp, administrator: Visitor, duration: str
) -> None:
    before = sandbox_app.now

    assert sent(administrator, "/reloj/avanzar", duration=duration) == 422
    assert "La fecha o la duración no es válida." in administrator.text
    assert sandbox_app.now == before


def test_faults_are_set_and_cleared(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    faults = sandbox_app.container.get(sandbox_services).faults

    sent(administrator, "/fallas", name="answer-lost", times="2", seconds="")
    sent(administrator, "/fallas", name="latency", times="", seconds="1,5")
    assert [(fault.name, fault.remaining, fault.seconds) for fault in faults.active()] == [
        ("answer-lost", 2, 0),
        ("latency", None, 1.5),
    ]
    administrator.get(PATH)
    assert "2 peticiones más" in administrator.text
    assert "hasta desactivarla, 1.5 s" in administrator.text
    sent(administrator, "/fallas/quitar", name="latency")
    assert [fault.name for fault in faults.active()] == ["answer-lost"]
    sent(administrator, "/fallas/quitar")
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
def test_set_fault_rejects_invalid_fields(
    sandbox_app: CancellationApp, administrator: Visitor, fields: dict[str, str]
) -> None:
    assert sent(administrator, "/fallas", **fields) == 422
    assert sandbox_app.container.get(sandbox_services).faults.active() == []


def test_taxpayer_is_registered_found_and_changed(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    registry = sandbox_app.container.get(sandbox_services).registry

    assert sent(administrator, "/contribuyentes", **NEW, obligations="2") == 303
    assert sent(administrator, "/contribuyentes", **NEW, obligations="2") == 422
    administrator.get(f"{PATH}/contribuyentes?q=norte+tin13")
    assert administrator.page is not None
    (link,) = administrator.page.xpath("//tbody//a/@href")
    administrator.get(link)
    assert sent(administrator, link.removeprefix(PATH), **{**NEW, "postal_code": "64010"}, obligations="2") == 303
    assert registry.entry("TIN130215QR7").pending == {"postal_code": "64010"}
    administrator.get(link)
    assert "código postal: 64010" in administrator.text
    assert sent(administrator, "/listas") == 303
    row = registry.taxpayer("TIN130215QR7")
    assert row is not None
    assert (row.postal_code, sandbox_app.container.get(sandbox_registry).obligations("TIN130215QR7")) == ("64010", 2)


def test_taxpayer_page_sets_and_shows_the_situation_of_article_69b(
    sandbox_app: CancellationApp, administrator: Visitor
) -> None:
    rfc, registry = "XIA190128J61", sandbox_app.container.get(sandbox_services).registry
    assert sent(administrator, f"/contribuyentes/{rfc}", situation="Definitivo") == 303
    administrator.get(f"{PATH}/contribuyentes/{rfc}")
    assert "situación del artículo 69-B: Definitivo" in administrator.text
    assert sent(administrator, "/listas") == 303
    administrator.get(f"{PATH}/contribuyentes/{rfc}")
    assert "lista del artículo 69-B del CFF: Definitivo" in administrator.text
    administrator.get(f"{PATH}/contribuyentes?q={rfc}")
    assert "69-B: Definitivo" in administrator.text
    assert sent(administrator, f"/contribuyentes/{rfc}", situation="") == 303
    assert registry.entry(rfc).pending == {"situation": ""}
    assert sent(administrator, f"/contribuyentes/{rfc}", situation="Falso") == 422


def test_change_reverts_a_pending_value(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    path, entry = f"/contribuyentes/{RECEIVER}", sandbox_app.container.get(sandbox_services).registry.entry(RECEIVER)
    fields = {"name": entry.taxpayer.name, "obligations": str(entry.obligations)}

    sent(administrator, path, **fields, cancelled="yes")
    assert sandbox_app.container.get(sandbox_services).registry.entry(RECEIVER).pending == {"cancelled": True}
    sent(administrator, path, **fields)
    assert sandbox_app.container.get(sandbox_services).registry.entry(RECEIVER).pending == {"cancelled": False}


def test_markup_of_a_name_is_escaped(administrator: Visitor) -> None:
    evil = "<script>alert(1)</script>"

    assert sent(administrator, "/contribuyentes", rfc="AAB010101AA2", name=evil, obligations="1") == 303
    administrator.get(f"{PATH}/contribuyentes?q={evil}")
    assert administrator.page is not None
    assert administrator.page.xpath("//main//script") == []
    assert evil in administrator.text


@pytest.mark.parametrize("wanted", ["%25", "_", "%00", "nadie-así"])
def test_search_treats_wildcards_as_text(administrator: Visitor, wanted: str) -> None:
    assert administrator.get(f"{PATH}/contribuyentes?q={wanted}").status_code == 200
    assert "Sin resultados" in administrator.text


@pytest.mark.parametrize("rfc", ["XXX010101000", "%00", "%0A"])
def test_show_answers_404_for_an_unknown_taxpayer(administrator: Visitor, rfc: str) -> None:
    assert administrator.get(f"{PATH}/contribuyentes/{rfc}").status_code == 404
    assert sent(administrator, f"/contribuyentes/{rfc}", **NEW) in (404, 422)


@pytest.mark.parametrize("kind", ["csd", "efirma"])
def test_issue_returns_a_zip_with_certificate_and_key(
    sandbox_app: CancellationApp, administrator: Visitor, kind: str
) -> None:
    answer = administrator.post(f"{PATH}/certificados", {"rfc": ISSUER, "kind": kind})

    with ZipFile(BytesIO(answer.content)) as archive:
        der, key, password = (archive.read(f"{ISSUER}.{end}") for end in ("cer", "key", "txt"))
    certificate = read_certificate(der)
    pair_key(certificate, load_private_key(key, password.decode()))
    assert answer.headers["content-disposition"] == f'attachment; filename="{certificate.number}.zip"'
    assert answer.headers["cache-control"] == "no-store"
    administrator.get(f"{PATH}/certificados?q={certificate.number}")
    assert certificate.kind.value in administrator.text


def test_issue_requires_taxpayer_data_for_an_unknown_rfc(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    fields = {"rfc": "HAÑ930228SM9".replace("H", "Ñ"), "kind": "csd", "password": "secreta-larga"}

    answer = administrator.post(f"{PATH}/certificados", fields)
    assert answer.status_code == 422
    assert "Escriba también nombre" in administrator.text
    assert "secreta-larga" not in answer.text
    fields |= {"name": "ÑANDU", "postal_code": "64000", "regimes": "601"}
    assert administrator.post(f"{PATH}/certificados", fields).headers["content-type"] == "application/zip"


def test_account_issues_and_sees_its_own_certificates(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    other = sandbox_app.mint(RECEIVER).number
    ana = Visitor(sandbox_app)
    ana.sign_in("ana@example.com")
    ana.get("/portal/certificados")
    assert ana.page is not None
    assert f"{PATH}/certificados" in ana.page.xpath("//main//a/@href")
    answer = ana.post(f"{PATH}/certificados", {"rfc": ISSUER, "kind": "csd"})
    number = answer.headers["content-disposition"].split('"')[1].removesuffix(".zip")
    ana.get(f"{PATH}/certificados")
    assert number in ana.text
    assert other not in ana.text
    assert f"{PATH}/contribuyentes" not in ana.page.xpath("//a/@href")
    assert "Revocar" not in ana.page.xpath("//button/text()")
    assert ana.post(f"{PATH}/certificados/{number}/revocar", {}).status_code == 404
    administrator.get(f"{PATH}/certificados")
    assert number in administrator.text


def test_revoke_is_listed_after_the_next_publication(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    number = sandbox_app.mint(RECEIVER).number

    assert sent(administrator, f"/certificados/{number}/revocar") == 303
    administrator.get(f"{PATH}/certificados?q={number}")
    assert "revocado en la próxima lista" in administrator.text
    sent(administrator, "/listas")
    row = sandbox_app.container.get(sandbox_registry).certificate(RECEIVER, number)
    assert row is not None
    assert row.status == "R"
    assert sent(administrator, "/certificados/123/revocar") == 422
    assert sent(administrator, "/certificados/%00/revocar") == 404


@pytest.mark.parametrize(
    ("word", "state"), [("aceptar", CancellationState.ACCEPTED), ("rechazar", CancellationState.REJECTED)]
)
def test_answer_responds_for_the_receiver(
    sandbox_app: CancellationApp, administrator: Visitor, word: str, state: CancellationState
) -> None:
    uuid = waiting(sandbox_app)

    administrator.get(f"{PATH}/cancelaciones")
    assert uuid in administrator.text
    assert sent(administrator, f"/cancelaciones/{uuid}", answer=word) == 303
    administrator.get(f"{PATH}/cfdi?folio={uuid.upper()}")
    assert state.cancellation in administrator.text
    assert sent(administrator, f"/cancelaciones/{uuid}", answer=word) == 422
    assert "ya no espera" in administrator.text


@pytest.mark.parametrize(("folio", "word"), [("x", "aceptar"), ("x", "otra"), ("0" * 32, "rechazar")])
def test_answer_rejects_an_unknown_request(administrator: Visitor, folio: str, word: str) -> None:
    assert sent(administrator, f"/cancelaciones/{folio}", answer=word) == 422


def test_auto_reply_answers_later_requests(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    assert sent(administrator, "/cancelaciones/programar", rfc=RECEIVER, answer="reject", delay="2h") == 303
    administrator.get(f"{PATH}/cancelaciones")
    assert f"{RECEIVER} rechaza 2 h" in administrator.text
    uuid = waiting(sandbox_app)
    administrator.get(f"{PATH}/cancelaciones")
    assert "la rechaza el" in administrator.text
    sent(administrator, "/reloj/avanzar", duration="3h")
    administrator.get(f"{PATH}/cfdi?folio={uuid}")
    assert "El receptor rechazó" in administrator.text
    sent(administrator, "/cancelaciones/programar", rfc=RECEIVER, answer="silence")
    assert sandbox_app.container.get(sandbox_services).cancellation_service.scripts.all() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"rfc": "x", "answer": "accept"},
        {"rfc": RECEIVER, "answer": "sing"},
        {"rfc": RECEIVER, "answer": "accept", "delay": "-1h"},
    ],
)
def test_set_auto_reply_rejects_invalid_fields(
    sandbox_app: CancellationApp, administrator: Visitor, fields: dict[str, str]
) -> None:
    assert sent(administrator, "/cancelaciones/programar", **fields) == 422
    assert sandbox_app.container.get(sandbox_services).cancellation_service.scripts.all() == []


def test_ledger_page_does_not_consume_faults(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    uuid = sandbox_app.invoice()
    sandbox_app.container.get(sandbox_services).faults.set("authority-down", 1)

    assert administrator.get(f"{PATH}/cfdi?folio={uuid}").status_code == 200
    assert "Cancelable" in administrator.text
    assert [fault.remaining for fault in sandbox_app.container.get(sandbox_services).faults.active()] == [1]


@pytest.mark.parametrize("folio", ["x", "%00", "00000000-0000-4000-8000-000000000000"])
def test_ledger_page_rejects_an_unknown_folio(administrator: Visitor, folio: str) -> None:
    assert administrator.get(f"{PATH}/cfdi?folio={folio}").status_code == 422
    assert "no tiene ese CFDI" in administrator.text


def waiting(sandbox_app: CancellationApp) -> str:
    """A CFDI whose cancellation waits for the receiver."""
    uuid = sandbox_app.old_invoice().lower()
    sandbox_app.cancel(uuid)
    return uuid


def test_key_of_confirmation_is_requested_and_listed(sandbox_app: CancellationApp, administrator: Visitor) -> None:
    ana = Visitor(sandbox_app)
    ana.sign_in("ana@example.com")
    for visitor, rfc in ((ana, ISSUER), (administrator, RECEIVER)):
        assert sent(visitor, "/certificados/confirmaciones", issuer=rfc.lower()) == 303
    assert sent(ana, "/certificados/confirmaciones", issuer="X") == 422
    [own] = [key for key in sandbox_app.container.get(confirmation_registry).latest() if key.rfc == ISSUER]
    listed = "//section[@aria-labelledby='confirmations']//tbody//th"
    ana.get(f"{PATH}/certificados?aviso=clave")
    assert ana.page is not None
    assert [cell.text for cell in ana.page.xpath(listed)] == [own.key]
    assert "La clave de confirmación está en la lista" in ana.text
    administrator.get(f"{PATH}/certificados")
    assert administrator.page is not None
    assert len(administrator.page.xpath(listed)) == 2

"""Stamped invoices in the portal: found, seen, taken along, cancelled; by their account and by nobody else."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from lxml import etree
from tests.portal.browser import Visitor
from tests.support.cancelling import ISSUER, RECEIVER, CancelDesk
from tests.support.need import need

from timbra import examples

PLACE = "/portal/facturas"
ELSEWHERE = "00000000-0000-4000-8000-000000000000"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CancelDesk]:
    made = CancelDesk(tmp_path_factory.mktemp("desk"))
    made.account("bea@example.com")
    made.house.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.house.close()


def visitor_of(desk: CancelDesk, user: str) -> Visitor:
    made = Visitor(desk)
    assert made.sign_in(user).status_code == 303
    return made


@pytest.fixture(scope="module")
def ana(desk: CancelDesk) -> Visitor:
    return visitor_of(desk, "ana@example.com")


@pytest.fixture(scope="module")
def bea(desk: CancelDesk) -> Visitor:
    return visitor_of(desk, "bea@example.com")


@pytest.fixture(scope="module")
def chief(desk: CancelDesk) -> Visitor:
    return visitor_of(desk, "jefa@example.com")


@pytest.fixture(scope="module")
def uuid(desk: CancelDesk) -> str:
    """An invoice of folio 1."""
    return desk.invoice().lower()


def found(visitor: Visitor, query: str = "") -> list[str]:
    visitor.get(f"{PLACE}{query}")
    assert visitor.page is not None
    return [link.rpartition("/")[2] for link in visitor.page.xpath("//tbody//a/@href")]


@pytest.mark.parametrize(
    "query",
    ["", "?uuid={}", "?rfc=" + ISSUER.lower(), "?rfc=" + RECEIVER, "?folio=1", "?desde=2026-11-17&hasta=2026-11-17"],
)
def test_searches_find_it(ana: Visitor, uuid: str, query: str) -> None:
    assert uuid in found(ana, query.format(uuid.upper()))


@pytest.mark.parametrize(
    "query", ["?uuid=" + ELSEWHERE, "?rfc=XAXX010101000", "?folio=99", "?serie=B&folio=1", "?hasta=2026-11-16"]
)
def test_searches_leave_out_what_was_not_meant(ana: Visitor, uuid: str, query: str) -> None:
    assert found(ana, query) == []


@pytest.mark.parametrize(
    "query",
    ["?uuid=1", "?serie=A", "?desde=ayer", "?hasta=9999-12-31", "?cursor=x", "?desde=0001-01-01"],
)
def test_what_cannot_be_searched_is_told(ana: Visitor, query: str) -> None:
    answer = ana.get(f"{PLACE}{query}")

    assert answer.status_code == 422
    assert "TB4005" in ana.text


def test_pages_lead_on_with_the_same_search(ana: Visitor, desk: CancelDesk, uuid: str) -> None:
    text = examples.ingreso({"@Folio": "hoja"}, fecha=desk.fecha)
    made = [desk.issue(text.replace('Folio="hoja"', f'Folio="hoja" Serie="{n}"').encode()).uuid for n in range(26)]
    first = found(ana, "?folio=hoja")
    assert ana.page is not None
    [onwards] = ana.page.xpath("//a[@rel='next']/@href")
    assert "folio=hoja" in onwards
    second = found(ana, onwards.removeprefix(PLACE))

    assert sorted(first + second) == sorted(folio.lower() for folio in made)
    assert len(first) == 25


def test_the_page_of_an_invoice_tells_everything(ana: Visitor, desk: CancelDesk, uuid: str) -> None:
    record = desk.house.stamps.by_uuid(uuid)
    assert record is not None
    ana.get(f"{PLACE}/{uuid}")

    for told in (record.request_id, record.rule_set, record.data_version, record.lists_version):
        assert told in ana.text
    assert "Vigente" in ana.text
    assert "Se timbró" in ana.text
    assert "Sin validez fiscal" in ana.text
    assert ana.page is not None
    assert ana.page.xpath("//article[@class='invoice']//img[starts-with(@src, 'data:image/png')]")


def test_the_document_is_given_byte_for_byte(ana: Visitor, desk: CancelDesk, uuid: str) -> None:
    record = desk.house.stamps.by_uuid(uuid)
    answer = ana.get(f"{PLACE}/{uuid}/xml")

    assert record is not None
    assert answer.content == record.cfdi
    assert answer.headers["content-disposition"] == f'attachment; filename="{uuid}.xml"'


def test_the_print_is_given(ana: Visitor, uuid: str) -> None:
    answer = ana.get(f"{PLACE}/{uuid}/pdf")

    if answer.status_code == 400:
        assert "TB4006" in ana.text
    need("pdf", answer.status_code == 200, "the extra pdf is not installed")
    assert answer.content.startswith(b"%PDF-")


def test_without_the_extra_the_print_is_refused(ana: Visitor, uuid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    answer = ana.get(f"{PLACE}/{uuid}/pdf")

    assert answer.status_code == 400
    assert "TB4006" in ana.text


@pytest.mark.parametrize("path", ["", "/xml", "/pdf"])
def test_another_account_finds_nothing_there(bea: Visitor, uuid: str, path: str) -> None:
    assert bea.get(f"{PLACE}/{uuid}{path}").status_code == 404
    assert bea.get(f"{PLACE}/{ELSEWHERE}{path}").status_code == 404


def test_another_account_searches_in_vain(bea: Visitor, uuid: str) -> None:
    assert found(bea) == []
    assert found(bea, f"?uuid={uuid}") == []


def test_another_account_cancels_nothing(bea: Visitor, chief: Visitor, desk: CancelDesk, uuid: str) -> None:
    for stranger in (bea, chief):
        stranger.get(PLACE)
        assert stranger.post(f"{PLACE}/{uuid}/cancelar", {"motivo": "02"}).status_code == 404
    assert desk.history(uuid) == []


def test_an_administrator_sees_all_with_their_accounts(chief: Visitor, uuid: str) -> None:
    assert uuid in found(chief, f"?uuid={uuid}")
    assert "ana@example.com" in chief.text
    chief.get(f"{PLACE}/{uuid}")
    assert "Cancelar la factura" not in chief.text


@pytest.mark.parametrize("uuid", ["x", "%00", ELSEWHERE + "x", "..%2f.."])
def test_strange_addresses_lead_nowhere(ana: Visitor, uuid: str) -> None:
    assert ana.get(f"{PLACE}/{uuid}").status_code == 404


def test_cancelling_shows_what_came_of_it(ana: Visitor, desk: CancelDesk) -> None:
    uuid = desk.invoice().lower()
    ana.get(f"{PLACE}/{uuid}")
    answer = ana.post(f"{PLACE}/{uuid}/cancelar", {"motivo": "02", "sustituta": ""})

    assert answer.status_code == 303
    ana.get(answer.headers["location"])
    assert "201 La autoridad recibió la solicitud" in ana.text
    assert "Cancelado sin aceptación" in ana.text
    assert "Se canceló; no hacía falta la aceptación del receptor" in ana.text
    assert "Pedir la cancelación" not in ana.text


def test_a_forged_cancellation_does_nothing(ana: Visitor, desk: CancelDesk, uuid: str) -> None:
    assert ana.post(f"{PLACE}/{uuid}/cancelar", {"motivo": "02"}, proof="0" * 64).status_code == 403
    assert desk.history(uuid) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"motivo": "01", "sustituta": ""}, "El motivo 01 requiere el folio"),
        ({"motivo": "09", "sustituta": ""}, "Clave de motivo"),
        ({"motivo": "01", "sustituta": "x"}, "inválido"),
        ({"motivo": "02" * 40, "sustituta": ""}, "a lo más"),
    ],
)
def test_a_wrong_request_is_told_and_kept(ana: Visitor, uuid: str, fields: dict[str, str], words: str) -> None:
    ana.get(f"{PLACE}/{uuid}")

    assert ana.post(f"{PLACE}/{uuid}/cancelar", fields).status_code == 422
    assert words in ana.text


def test_related_invoices_lead_to_each_other(ana: Visitor, desk: CancelDesk) -> None:
    first = desk.invoice().lower()
    second = desk.invoice(relation="04", to=first).lower()

    for uuid, title, other in ((first, "Se refieren a esta factura", second), (second, "se refiere a", first)):
        ana.get(f"{PLACE}/{uuid}")
        assert title in ana.text
        assert ana.page is not None
        assert ana.page.xpath(f"//section[@aria-labelledby='relations']//a[@href='{PLACE}/{other}']")


def test_a_substitute_cancels_with_its_folio(ana: Visitor, desk: CancelDesk) -> None:
    first = desk.invoice().lower()
    second = desk.invoice(relation="04", to=first).lower()
    ana.get(f"{PLACE}/{first}")
    answer = ana.post(f"{PLACE}/{first}/cancelar", {"motivo": "01", "sustituta": second})
    ana.get(answer.headers["location"])

    assert "Cancelado" in ana.text
    assert f"Sustituta: {second}" in ana.text


def test_what_the_authority_refuses_is_told(ana: Visitor, desk: CancelDesk) -> None:
    first = desk.invoice().lower()
    desk.invoice(relation="04", to=first)
    ana.get(f"{PLACE}/{first}")
    answer = ana.post(f"{PLACE}/{first}/cancelar", {"motivo": "02", "sustituta": ""})
    ana.get(answer.headers["location"])

    assert "204 No se puede cancelar" in ana.text


def test_a_silent_authority_leaves_the_rest(ana: Visitor, desk: CancelDesk, uuid: str) -> None:
    desk.house.faults.set("authority-down", times=2)
    answer = ana.get(f"{PLACE}/{uuid}")

    assert answer.status_code == 200
    assert "La autoridad no responde" in ana.text
    assert "Se timbró" in ana.text


def test_script_in_an_invoice_stays_text(ana: Visitor, desk: CancelDesk) -> None:
    script = "<script>alert(1)</script>"
    text = examples.ingreso(
        {"@Folio": script}, concepts=[examples.concepto({"@Descripcion": script})], fecha=desk.fecha
    )
    etree.fromstring(text.encode())
    uuid = desk.issue(text.encode()).uuid.lower()

    for path in (PLACE, f"{PLACE}/{uuid}", "/portal"):
        answer = ana.get(path)
        assert answer.status_code == 200
        assert script not in answer.text
        assert script in ana.text


def test_reflected_fields_stay_text(ana: Visitor) -> None:
    answer = ana.get(f"{PLACE}?folio=%22%3E%3Cscript%3E&rfc=%22onfocus=%22x")

    assert "<script>" not in answer.text.replace('<script src="/estaticos', "")

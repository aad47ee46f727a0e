"""Use by day in the portal, and the page that one enters by."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from tests.portal.browser import Visitor
from tests.support.desk import FECHA, Desk

from timbra import examples
from timbra.portal.plot import BOTTOM, HEIGHT, TOP, WIDTH, plot
from timbra.store.refusals import Refusal

PLACE = "/portal/uso"
TODAY = date(2026, 11, 17)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Ana has two stamps today, and three refusals 40 days ago."""
    made = Desk(tmp_path_factory.mktemp("desk"))
    made.store(made.mint())
    for folio in ("1", "2"):
        made.issue(examples.ingreso({"@Folio": folio}, fecha=FECHA).encode())
    before = made.now - timedelta(days=40)
    refusal = Refusal(made.caller.account_id, before, before, "solicitud-1", "/cfdi33/stamp/v4", "301", "mal")
    made.house.refusal_store.add([refusal] * 3, {})
    made.account("bea@example.com")
    made.house.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.house.close()


def visitor_of(desk: Desk, user: str, path: str) -> Visitor:
    made = Visitor(desk)
    made.sign_in(user)
    made.get(path)
    return made


def rows(visitor: Visitor) -> list[list[str]]:
    assert visitor.page is not None
    return [[cell.text_content() for cell in row] for row in visitor.page.xpath("//table[@class='figures']/tbody/tr")]


@pytest.mark.parametrize("user", ["ana@example.com", "jefa@example.com"])
def test_days_are_told_and_drawn(desk: Desk, user: str) -> None:
    visitor = visitor_of(desk, user, f"{PLACE}?dias=90")

    assert rows(visitor) == [["2026-11-17", "2", "0"], ["2026-10-08", "0", "3"]]
    assert visitor.page is not None
    assert len(visitor.page.xpath("//*[local-name()='rect']")) == 2
    assert "style=" not in visitor.get(PLACE).text


@pytest.mark.parametrize("query", ["", "?dias=30", "?dias=7", "?dias=x"])
def test_thirty_days_unless_ninety_are_asked_for(desk: Desk, query: str) -> None:
    visitor = visitor_of(desk, "ana@example.com", PLACE + query)

    assert rows(visitor) == [["2026-11-17", "2", "0"]]
    assert "Últimos 30 días" in visitor.text


def test_another_account_has_used_nothing(desk: Desk) -> None:
    visitor = visitor_of(desk, "bea@example.com", f"{PLACE}?dias=90")

    assert "Nada en estos días" in visitor.text


def test_home_shows_what_happened_and_what_is_left(desk: Desk) -> None:
    visitor = visitor_of(desk, "ana@example.com", "/portal")

    assert visitor.page is not None
    assert len(visitor.page.xpath("//section[@aria-labelledby='last']//tbody/tr")) == 2
    assert "solicitud-1" in visitor.text
    assert "30 días" in visitor.text
    assert "Sin límite" in visitor.text


def test_home_of_another_account_is_empty(desk: Desk) -> None:
    visitor = visitor_of(desk, "bea@example.com", "/portal")

    assert "Todavía no se ha timbrado ninguna" in visitor.text
    assert "No se ha rechazado nada" in visitor.text
    assert "Ninguno guardado" in visitor.text


def test_home_tells_what_a_limited_account_has_left(desk: Desk) -> None:
    account = desk.account("carla@example.com").account_id
    desk.house.balances.set_unlimited(account, False)
    desk.house.balances.add(account, 1500)

    assert "1,500 disponibles de 1,500" in visitor_of(desk, "carla@example.com", "/portal").text


def test_bars_stand_on_the_base_and_never_leave_the_plot() -> None:
    drawn = plot([(TODAY + timedelta(days=n), n, 89 - n) for n in range(90)])

    assert drawn.most == 89
    assert max(bar.x + bar.width for bar in drawn.bars) <= WIDTH
    for bar in drawn.bars:
        assert bar.lower_top + bar.lower_height == pytest.approx(HEIGHT - BOTTOM, abs=0.02)
        assert bar.upper_top + bar.upper_height == pytest.approx(bar.lower_top, abs=0.02)
        assert bar.upper_top == pytest.approx(TOP, abs=0.02)
    assert drawn.bars[-1].label


def test_days_without_use_are_drawn_without_bars() -> None:
    assert [(bar.lower_height, bar.upper_height) for bar in plot([(TODAY, 0, 0)]).bars] == [(0, 0)]

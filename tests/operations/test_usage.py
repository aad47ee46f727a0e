"""Usage by day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.operations.build import operations_services
from timbra.rejections.store import Rejection
from timbra.web.portal.views.bar_chart import BOTTOM, HEIGHT, TOP, WIDTH, bar_chart

PATH = "/portal/uso"
TODAY = date(2026, 11, 17)


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    """Ana has two stamps today, and three rejections 40 days ago."""
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    for folio in ("1", "2"):
        made.issue(examples.ingreso({"@Folio": folio}, fecha=FECHA).encode())
    before = made.now - timedelta(days=40)
    rejection = Rejection(made.caller.account_id, before, before, "solicitud-1", "/cfdi33/stamp/v4", "301", "mal")
    made.container.get(operations_services).rejection_store.add([rejection] * 3, {})
    made.account("bea@example.com")
    made.container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    yield made
    made.container.close()


def visitor_of(sandbox_app: SandboxApp, user: str, path: str) -> Visitor:
    made = Visitor(sandbox_app)
    made.sign_in(user)
    made.get(path)
    return made


def rows(visitor: Visitor) -> list[list[str]]:
    assert visitor.page is not None
    shown = visitor.page.xpath("//table[@class='figures']/tbody/tr[not(@hidden)]")
    return [[cell.text_content() for cell in row] for row in shown]


@pytest.mark.parametrize("user", ["ana@example.com", "jefa@example.com"])
def test_usage_page_lists_and_draws_days(sandbox_app: SandboxApp, user: str) -> None:
    visitor = visitor_of(sandbox_app, user, f"{PATH}?dias=90")

    assert rows(visitor) == [["17 nov 2026", "2", "0"], ["8 oct 2026", "0", "3"]]
    assert visitor.page is not None
    assert len(visitor.page.xpath("//*[local-name()='rect']")) == 2
    assert "style=" not in visitor.get(PATH).text


@pytest.mark.parametrize("query", ["", "?dias=30", "?dias=7", "?dias=x"])
def test_usage_page_shows_thirty_days_by_default(sandbox_app: SandboxApp, query: str) -> None:
    visitor = visitor_of(sandbox_app, "ana@example.com", PATH + query)

    assert rows(visitor) == [["17 nov 2026", "2", "0"]]
    assert "Últimos 30 días" in visitor.text


def test_usage_page_hides_usage_of_other_accounts(sandbox_app: SandboxApp) -> None:
    visitor = visitor_of(sandbox_app, "bea@example.com", f"{PATH}?dias=90")

    assert "Sin timbres ni rechazos en estos días" in visitor.text


def test_bar_chart_keeps_bars_inside_the_chart() -> None:
    drawn = bar_chart([(TODAY + timedelta(days=n), n, 89 - n) for n in range(90)])

    assert drawn.max_value == 89
    assert max(bar.x + bar.width for bar in drawn.bars) <= WIDTH
    for bar in drawn.bars:
        assert bar.lower_top + bar.lower_height == pytest.approx(HEIGHT - BOTTOM, abs=0.02)
        assert bar.upper_top + bar.upper_height == pytest.approx(bar.lower_top, abs=0.02)
        assert bar.upper_top == pytest.approx(TOP, abs=0.02)
    assert drawn.bars[-1].label


def test_bar_chart_has_no_height_for_days_without_usage() -> None:
    assert [(bar.lower_height, bar.upper_height) for bar in bar_chart([(TODAY, 0, 0)]).bars] == [(0, 0)]

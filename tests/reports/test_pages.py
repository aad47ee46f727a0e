"""The page of reports: preview and files for administrators."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra.accounts.build import account_services
from timbra.examples import ingreso
from timbra.reports.catalog import REPORTS

PATH = "/portal/reportes"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    made.store(made.mint())
    made.issue(ingreso({"@Folio": "1"}, fecha=FECHA).encode())
    yield made
    made.container.close()


@pytest.fixture
def administrator(sandbox_app: SandboxApp) -> Visitor:
    made = Visitor(sandbox_app)
    assert made.sign_in("jefa@example.com").status_code == 303
    return made


def test_reports_answer_404_without_administrator_role(sandbox_app: SandboxApp) -> None:
    ana = Visitor(sandbox_app)
    ana.sign_in("ana@example.com")
    assert [ana.get(path).status_code for path in (PATH, f"{PATH}/stamps.csv")] == [404, 404]


def test_reports_page_lists_every_report(administrator: Visitor) -> None:
    page = administrator.get(PATH).text
    assert all(f"reporte={name}&amp;mes=" in page for name in REPORTS)


def test_reports_page_previews_a_month(administrator: Visitor) -> None:
    page = administrator.get(f"{PATH}?reporte=stamps&mes=2026-11").text
    assert "<td>EKU9003173C9</td><td>I</td><td>1</td>" in page
    assert "Sin renglones" in administrator.get(f"{PATH}?reporte=stamps&mes=2020-01").text
    assert "el mes se escribe AAAA-MM" in administrator.get(f"{PATH}?reporte=stamps&mes=nunca").text


def test_reports_are_downloaded(administrator: Visitor) -> None:
    text = administrator.get(f"{PATH}/stamps.csv?mes=2026-11")
    assert text.content.decode("utf-8-sig").splitlines() == ["Mes,Emisor,Tipo,Timbres", "2026-11,EKU9003173C9,I,1"]
    assert text.headers["content-disposition"] == 'attachment; filename="stamps-2026-11.csv"'
    assert administrator.get(f"{PATH}/stamps.xlsx?mes=2026-11").content[:2] == b"PK"


@pytest.mark.parametrize("path", ["ledger.csv", "stamps.pdf"])
def test_reports_that_do_not_exist_answer_404(administrator: Visitor, path: str) -> None:
    assert administrator.get(f"{PATH}/{path}").status_code == 404

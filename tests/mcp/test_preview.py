"""The tool `preview` over the sandbox of a data folder."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.data_folder import create_data

import timbra
from timbra.app.composition import open_container
from timbra.database.build import opened_database
from timbra.mcp.preview import Previewer
from timbra.settings import Settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_data(tmp_path_factory.mktemp("preview") / "data")


@pytest.fixture(scope="module")
def previewer(folder: Path) -> Iterator[Previewer]:
    with Previewer(folder) as opened:
        yield opened


@pytest.mark.parametrize("name", ["ingreso", "pagos20", "nomina12", "retencion"])
def test_preview_accepts_a_valid_document_without_seal(previewer: Previewer, name: str) -> None:
    assert previewer.preview(timbra.example(name)).ok


def test_preview_of_a_file_names_the_place_of_a_rejection(previewer: Previewer, tmp_path: Path) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text(timbra.example().replace('Total="232.00"', 'Total="233.00"'), "utf-8")
    answer = previewer.preview(str(path))
    assert (answer.ok, answer.code, answer.path, answer.found) == (False, "CFDI40119", "@Total", "233.00")
    assert "se esperaba 232.00" in str(answer.message)


def test_preview_rejects_a_document_older_than_72_hours(previewer: Previewer) -> None:
    answer = previewer.preview(timbra.example(on=datetime.now(UTC) - timedelta(hours=74)))
    assert (answer.ok, answer.code, answer.path) == (False, "401", "@Fecha")


def test_preview_checks_a_seal_unless_it_is_replaced(previewer: Previewer) -> None:
    sealed = timbra.example().replace('Sello=""', 'Sello="QUJD"')
    assert previewer.preview(sealed).code == "CFDI40106"
    assert previewer.preview(sealed, reseal=True).ok


@pytest.mark.parametrize("document", ["<a/>", "<a", '<cfdi:Comprobante xmlns:cfdi="http://www.sat.gob.mx/cfd/4"/>'])
def test_preview_of_what_is_no_invoice_has_code_301(previewer: Previewer, document: str) -> None:
    assert previewer.preview(document).code == "301"


def test_preview_of_an_absent_file_is_an_error(previewer: Previewer, tmp_path: Path) -> None:
    with pytest.raises(timbra.Error, match="source-unreadable"):
        previewer.preview(str(tmp_path / "absent.xml"))


def test_preview_stores_no_stamp(previewer: Previewer, folder: Path) -> None:
    assert previewer.preview(timbra.example()).ok
    with open_container(Settings(data=folder)) as container, container.get(opened_database).read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM stamp").scalar() == 0


def test_preview_needs_a_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    with Previewer(tmp_path / "data") as previewer, pytest.raises(timbra.Error, match="CO1000"):
        previewer.preview(timbra.example())

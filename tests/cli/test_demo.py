"""`timbra demo`: invoices of several kinds, left in the folder for `timbra dev`."""

from __future__ import annotations

from pathlib import Path

import typer
from tests.support.dev_server import running_dev
from typer.testing import CliRunner

from timbra.cli.development.demo import demo

APP = typer.Typer()
APP.command()(demo)
PNG = b"\x89PNG"


def test_demo_leaves_invoices_that_dev_shows(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    result = CliRunner().invoke(APP, ["--data", str(folder)])
    assert result.exit_code == 0, result.output
    files = sorted((folder / "stamped").iterdir())
    assert [path.suffix for path in files] == [".pdf", ".png", ".xml"] * 5
    starts = {path.suffix: path.read_bytes()[:4] for path in files}
    assert starts == {".pdf": b"%PDF", ".png": PNG, ".xml": b"<?xm"}
    folios = {path.stem for path in files}
    assert all(folio in result.stdout for folio in folios)
    assert result.stdout.count("Vigente") == len(folios) == 5
    assert result.stdout.splitlines()[-1] == f"To look at them in the portal: timbra dev --data {folder}"
    with running_dev("--data", str(folder)) as server:
        assert "EKU9003173C9" in server.printed["rfc"]

"""`timbra totals`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from timbra.cli.main import app

INVOICE = """{"Conceptos": [{"Cantidad": 3, "ValorUnitario": 33.33,
"Impuestos": {"Traslados": [{"Impuesto": "002", "TasaOCuota": 0.16}]}}]}"""


def run(*arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(app, ["totals", *arguments], input=given)


def test_totals_prints_the_invoice_with_its_amounts(tmp_path: Path) -> None:
    file = tmp_path / "invoice.json"
    file.write_text(INVOICE)
    result = run(str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["Total"] == "115.99"


def test_totals_reads_standard_input_and_options() -> None:
    result = run("-", "--price-includes-tax", "--rounding", "total", given=INVOICE)
    printed = json.loads(result.stdout)
    assert (printed["Total"], printed["Conceptos"][0]["Importe"]) == ("99.99", "86.198276")


def test_totals_fails_with_the_rule_that_no_amounts_satisfy() -> None:
    result = run("-", given=INVOICE.replace("0.16", "0.17"))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "CFDI40179" in result.stderr


def test_totals_fails_without_json() -> None:
    result = run("-", given="no")
    assert result.exit_code == 1
    assert "301" in result.stderr

"""`timbra example`: printed documents, the list, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree
from tests.support.data_folder import create_data
from typer.testing import CliRunner, Result

from timbra.cli.main import app
from timbra.examples import DOCUMENTS

RUNNER = CliRunner()


def run(*arguments: str) -> Result:
    return RUNNER.invoke(app, ["example", *arguments])


def test_example_list_has_a_line_for_every_document() -> None:
    lines = [line.split() for line in run("--list").stdout.splitlines()]
    for name, document in DOCUMENTS.items():
        cells = [name, *", ".join(document.builders).split(), document.version, document.tag]
        assert [part for part in cells if part] in lines


@pytest.mark.parametrize(
    ("name", "version"), [("ingreso", "4.0"), ("pagos20", "4.0"), ("IEDU", "3.3"), ("retencion-dividendos", "2.0")]
)
def test_example_prints_a_sealed_and_valid_document(tmp_path: Path, name: str, version: str) -> None:
    data = ["--data", str(create_data(tmp_path / "data"))]
    printed = run(name, *([] if name == "ingreso" else ["--version", version]), *data)
    assert printed.exit_code == 0, printed.output
    root = etree.fromstring(printed.stdout.encode())
    assert root.get("Version") == version
    assert root.get("Sello")
    file = tmp_path / "invoice.xml"
    file.write_text(printed.stdout, encoding="utf-8")
    validation = RUNNER.invoke(app, ["validate", str(file), "--json", *data])
    assert validation.exit_code == 0, validation.output
    assert [finding["code"] for finding in json.loads(validation.stdout)["findings"]] == ["SIN-TIMBRE"]


def test_example_prints_an_unsealed_document_with_the_given_fecha() -> None:
    root = etree.fromstring(run("implocal", "--unsealed", "--fecha", "2026-11-17T09:30:00").stdout.encode())
    assert (root.get("Fecha"), root.get("Sello")) == ("2026-11-17T09:30:00", "")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["implocl"], "implocal"),
        ([], "--list"),
        (["pagos20", "--version", "3.3"], "not in 3.3"),
        (["ingreso", "--version", "5.0"], "not in 5.0"),
    ],
)
def test_example_rejects_unknown_names_and_versions_in_one_line(arguments: list[str], reason: str) -> None:
    rejected = run(*arguments)
    assert rejected.exit_code == 1
    assert rejected.stdout == ""
    assert reason in rejected.stderr
    assert rejected.stderr.count("\n") == 1

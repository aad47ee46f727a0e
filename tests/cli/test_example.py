"""`timbra example`: what it prints, lists and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner, Result

from timbra.cli.main import app
from timbra.examples import DOCUMENTS

RUNNER = CliRunner()


def run(*arguments: str) -> Result:
    return RUNNER.invoke(app, ["example", *arguments])


def test_the_list_has_a_line_for_every_document() -> None:
    lines = [line.split() for line in run("--list").stdout.splitlines()]
    for name, document in DOCUMENTS.items():
        told = [name, *", ".join(document.builders).split(), document.version, document.tag]
        assert [part for part in told if part] in lines


@pytest.mark.parametrize(("name", "version"), [("ingreso", ""), ("pagos20", "4.0"), ("IEDU", "3.3")])
def test_what_it_prints_is_sealed_and_valid(tmp_path: Path, name: str, version: str) -> None:
    data = ["--data", str(tmp_path / "data")]
    made = run(name, *(["--version", version] if version else []), *data)
    assert made.exit_code == 0, made.output
    root = etree.fromstring(made.stdout.encode())
    assert root.get("Version") == (version or "4.0")
    assert root.get("Sello")
    file = tmp_path / "invoice.xml"
    file.write_text(made.stdout, encoding="utf-8")
    told = RUNNER.invoke(app, ["validate", str(file), "--json", *data])
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["findings"] == []


def test_a_template_is_left_unsealed_and_dated_as_told() -> None:
    root = etree.fromstring(run("implocal", "--unsealed", "--fecha", "2026-11-17T09:30:00").stdout.encode())
    assert (root.get("Fecha"), root.get("Sello")) == ("2026-11-17T09:30:00", "")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["implocl"], "implocal"),
        ([], "--list"),
        (["pagos20", "--version", "3.3"], "no en 3.3"),
        (["ingreso", "--version", "5.0"], "no en 5.0"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(arguments: list[str], reason: str) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert reason in refused.stderr
    assert refused.stderr.count("\n") == 1

"""`timbra mail`: letters shown and revived."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.records import claim
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.settings import Settings
from timbra.wiring import open_house


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A CFDI with a letter that waits and one that was given up."""
    with open_house(Settings(data=tmp_path)) as house:
        house.stamps.claim([replace(claim(1), mail_to=("ana@example.com", "luis@example.com"))])
        letter = house.mailbox.take()
        assert letter is not None
        house.mailbox.give_up(letter, "550 no")
    return tmp_path


def run(data: Path, *words: str) -> tuple[int, list[list[str]]]:
    done = CliRunner().invoke(app, ["mail", *words, "--data", str(data)])
    return done.exit_code, [line.split("\t") for line in done.stdout.splitlines()]


def test_listed(data: Path) -> None:
    code, rows = run(data, "list", "--dead")
    assert code == 0
    assert [(row[1], row[3], row[4], row[5]) for row in rows] == [("ana@example.com", "", "1", "550 no")]
    assert [row[1] for row in run(data, "list")[1]] == ["ana@example.com", "luis@example.com"]


def test_tried_again(data: Path) -> None:
    [[folio, *_]] = run(data, "list", "--dead")[1]
    assert run(data, "retry", folio) == (0, [["1"]])
    assert run(data, "retry", folio) == (1, [["0"]])
    assert run(data, "retry", "--all") == (0, [["0"]])
    assert run(data, "retry")[0] == 2

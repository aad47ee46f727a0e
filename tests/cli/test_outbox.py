"""`timbra outbox`: dead deliveries shown, revived and dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.store.records import claim
from typer.testing import CliRunner

from timbra.cli.main import app
from timbra.settings import Settings
from timbra.wiring import open_house


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two deliveries that were given up."""
    monkeypatch.setenv("TIMBRA_DELIVERY_ATTEMPTS", "1")
    with open_house(Settings(data=tmp_path)) as house:
        house.stamps.claim([claim(number) for number in range(2)])
        house.outbox.pending(10)
    return tmp_path


def run(data: Path, *words: str) -> tuple[int, list[list[str]]]:
    done = CliRunner().invoke(app, ["outbox", *words, "--data", str(data)])
    return done.exit_code, [line.split("\t") for line in done.stdout.splitlines()]


def test_listed(data: Path) -> None:
    code, rows = run(data, "list", "--dead")
    assert code == 0
    assert [(row[0], row[4], row[5]) for row in rows] == [("stamp", "1", "dead")] * 2


def test_one_is_tried_again(data: Path) -> None:
    [first, _] = run(data, "list")[1]
    assert run(data, "retry", first[1]) == (0, [["1"]])
    assert {row[1]: row[5] for row in run(data, "list")[1]}[first[1]] == "waiting"
    assert run(data, "retry", first[1]) == (1, [["0"]])


def test_all_are_tried_again(data: Path) -> None:
    assert run(data, "retry", "--all") == (0, [["2"]])
    assert run(data, "list", "--dead") == (0, [])


def test_retry_wants_one_or_all(data: Path) -> None:
    assert run(data, "retry")[0] == 2
    assert run(data, "retry", "one", "--all")[0] == 2


def test_dropped(data: Path) -> None:
    [first, second] = run(data, "list")[1]
    assert run(data, "drop", first[1]) == (0, [["1"]])
    assert [row[1] for row in run(data, "list")[1]] == [second[1]]
    assert run(data, "drop", first[1])[0] == 1

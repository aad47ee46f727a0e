"""`timbra outbox`: deliveries are listed, requeued and dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.store_records import claim
from typer.testing import CliRunner

from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.delivery.deliveries import OutboxDelivery
from timbra.operations.build import operations_services
from timbra.settings import Settings
from timbra.stamping.build import stamping_services


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with two dead letters."""
    monkeypatch.setenv("TIMBRA_DELIVERY_ATTEMPTS", "1")
    with open_container(Settings(data=tmp_path)) as container:
        container.get(stamping_services).stamps.claim([claim(number) for number in range(2)])
        container.get(operations_services).outbox.lease(10)
    return tmp_path


def run(data: Path, *arguments: str) -> tuple[int, list[list[str]]]:
    done = CliRunner().invoke(app, ["outbox", *arguments, "--data", str(data)])
    return done.exit_code, [line.split("\t") for line in done.stdout.splitlines()]


def test_list_shows_dead_deliveries(data: Path) -> None:
    code, rows = run(data, "list", "--dead")
    assert code == 0
    assert [(row[0], row[4], row[5]) for row in rows] == [("stamp", "1", "dead")] * 2


@pytest.mark.parametrize("command", ["retry", "requeue"])
def test_requeue_requeues_a_dead_or_waiting_delivery(data: Path, command: str) -> None:
    [first, _] = run(data, "list")[1]
    for _ in ("dead", "waiting"):
        assert run(data, command, first[1].upper()) == (0, [["1"]])
        assert {row[1]: (row[4], row[5]) for row in run(data, "list")[1]}[first[1]] == ("0", "waiting")
    assert run(data, command, "unknown") == (1, [["0"]])


@pytest.mark.parametrize("command", ["retry", "requeue"])
def test_requeue_all_requeues_all_dead_deliveries(data: Path, command: str) -> None:
    assert run(data, command, "--all") == (0, [["2"]])
    assert run(data, "list", "--dead") == (0, [])
    assert run(data, command, "--all") == (0, [["0"]])


@pytest.mark.parametrize("command", ["retry", "requeue"])
def test_requeue_requires_one_delivery_or_all(data: Path, command: str) -> None:
    assert run(data, command)[0] == 2
    assert run(data, command, "one", "--all")[0] == 2


def test_list_shows_the_reason_of_a_dead_delivery(data: Path) -> None:
    [first, _] = run(data, "list")[1]
    with open_container(Settings(data=data)) as container:
        container.get(operations_services).outbox.mark_dead(
            OutboxDelivery("stamp", first[1], container.wall.now(), 1), "no se puede\nleer\0"
        )
    assert {row[1]: row[6] for row in run(data, "list", "--dead")[1]}[first[1]] == "no se puede leer\ufffd"


def test_drop_deletes_a_waiting_delivery(data: Path) -> None:
    [first, second] = run(data, "list")[1]
    assert run(data, "requeue", "--all") == (0, [["2"]])
    assert run(data, "drop", first[1].upper()) == (0, [["1"]])
    assert [row[1] for row in run(data, "list")[1]] == [second[1]]


def test_drop_deletes_a_dead_delivery(data: Path) -> None:
    [first, second] = run(data, "list")[1]
    assert run(data, "drop", first[1]) == (0, [["1"]])
    assert [row[1] for row in run(data, "list")[1]] == [second[1]]
    assert run(data, "drop", first[1])[0] == 1
    result = CliRunner().invoke(app, ["audit", "list", "--kind", "delivery.dropped", "--data", str(data)])
    assert [line.split("\t")[6] for line in result.stdout.splitlines()] == [first[1]]

"""`timbra mail`: e-mails are listed, requeued and dropped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.store_records import claim
from typer.testing import CliRunner

from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.events.build import dispatch_events
from timbra.operations.build import operations_services
from timbra.settings import Settings
from timbra.stamping.build import stamping_services


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a CFDI that has a waiting e-mail and a dead letter."""
    with open_container(Settings(data=tmp_path)) as container:
        container.get(stamping_services).stamps.claim(
            [replace(claim(1), mail_to=("ana@example.com", "luis@example.com"))]
        )
        dispatch_events(container)
        [email] = container.get(operations_services).email_outbox.lease(1)
        container.get(operations_services).email_outbox.mark_dead(email, "550 no")
    return tmp_path


def run(data: Path, *arguments: str) -> tuple[int, list[list[str]]]:
    done = CliRunner().invoke(app, ["mail", *arguments, "--data", str(data)])
    return done.exit_code, [line.split("\t") for line in done.stdout.splitlines()]


def test_list_shows_waiting_and_dead_emails(data: Path) -> None:
    code, rows = run(data, "list", "--dead")
    assert code == 0
    assert [(row[1], row[3], row[4], row[5]) for row in rows] == [("ana@example.com", "", "1", "550 no")]
    assert [row[1] for row in run(data, "list")[1]] == ["ana@example.com", "luis@example.com"]


def test_retry_requeues_dead_emails(data: Path) -> None:
    [[folio, *_]] = run(data, "list", "--dead")[1]
    assert run(data, "retry", folio) == (0, [["1"]])
    assert run(data, "retry", folio) == (1, [["0"]])
    assert run(data, "retry", "--all") == (0, [["0"]])
    assert run(data, "retry")[0] == 2


def test_drop_deletes_all_emails_of_a_cfdi(data: Path) -> None:
    [[folio, *_], _] = run(data, "list")[1]
    assert run(data, "drop", folio.upper()) == (0, [["2"]])
    assert run(data, "list") == (0, [])
    assert run(data, "drop", folio) == (1, [["0"]])

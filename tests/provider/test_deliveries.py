"""`timbra deliveries` and `timbra provider`: answers, waiting deliveries, acuses, uses of keys."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.databases import prepare_sqlite
from tests.support.events import write_deliveries
from tests.support.store_records import claim
from typer.testing import CliRunner, Result

from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox
from timbra.delivery.receptions import ReceptionRepository, StoredReception
from timbra.events.build import signature_counter
from timbra.settings import Settings
from timbra.stamps.build import database_stamps

LATE = "late"
REJECTED = "rejected"

TODAY = datetime.now(UTC)


@pytest.fixture
def folios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folios of a late, of a rejected and of a waiting document."""
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "rehearsal")
    monkeypatch.setenv("TIMBRA_DATA", str(tmp_path))
    prepare_sqlite(tmp_path)
    with open_container(Settings(data=tmp_path, environment="rehearsal")) as container:
        claims = [replace(one, record=replace(one.record, environment="rehearsal")) for one in map(claim, range(3))]
        container.get(database_stamps).claim(claims)
        write_deliveries(container.get(opened_database))
        store = ReceptionRepository(container.get(opened_database))
        for one, state in zip(claims, (LATE, REJECTED), strict=False):
            store.conclude(
                StoredReception(
                    uuid=one.record.uuid,
                    account_id=1,
                    issuer_rfc=one.record.issuer_rfc,
                    version="4.0",
                    stamped_at=TODAY - timedelta(seconds=90),
                    uploaded_at=TODAY,
                    acknowledged_at=TODAY,
                    attempts=2,
                    state=state,
                    status="503" if state == REJECTED else "Comprobante recibido satisfactoriamente",
                    incidencias=[],
                    acuse=b"<acuse/>",
                )
            )
        for _ in range(7):
            container.get(signature_counter)("00001000000500000001")
    return [one.record.uuid for one in claims]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def rows(*arguments: str) -> list[list[str]]:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_list_shows_answers_by_state(folios: list[str]) -> None:
    assert {row[0]: (row[1], row[4], row[5]) for row in rows("deliveries", "list")} == {
        folios[0]: ("late", "90.0", "2"),
        folios[1]: ("rejected", "90.0", "2"),
    }
    assert [row[0] for row in rows("deliveries", "list", "--state", "late")] == folios[:1]


def test_list_shows_what_waits_and_what_is_dead(folios: list[str]) -> None:
    assert [row[:2] for row in rows("deliveries", "list", "--state", "waiting")] == [[folios[2], "waiting"]]
    [dead] = rows("deliveries", "list", "--state", "dead")
    assert (dead[:2], dead[5]) == ([folios[1], "dead"], "El SAT rechazó el comprobante: 503")


def test_requeue_delivers_a_rejected_document_again(folios: list[str]) -> None:
    assert rows("deliveries", "requeue", folios[1]) == [["1"]]
    assert len(rows("deliveries", "list", "--state", "waiting")) == 2
    assert run("deliveries", "requeue", "unknown").exit_code == 1
    assert run("deliveries", "requeue").exit_code == 2


def test_requeue_of_all_leaves_cancellations_unless_asked(folios: list[str]) -> None:
    with open_container(Settings()) as container:
        with container.get(opened_database).write() as connection:
            container.get(authority_outbox).add(connection, "cancellation", "7")
        [cancellation] = container.get(authority_outbox).list_pending(10, kind="cancellation")
        container.get(authority_outbox).mark_dead(cancellation, "no")
        assert rows("deliveries", "requeue", "--all") == [["1"]]
        assert container.get(authority_outbox).backlog().dead == {"cancellation": 1}
        assert rows("deliveries", "requeue", "--all", "--cancellations") == [["1"]]
        assert container.get(authority_outbox).backlog().dead == {}
    assert run("deliveries", "requeue", folios[0], "--cancellations").exit_code == 2


def test_acuse_is_written_as_received(folios: list[str]) -> None:
    assert run("deliveries", "acuse", folios[0].upper()).stdout == "<acuse/>"
    assert run("deliveries", "acuse", folios[2]).exit_code == 1


def test_usage_shows_signatures_by_day(folios: list[str]) -> None:
    assert rows("provider", "usage") == [[TODAY.date().isoformat(), "00001000000500000001", "7"]]


def test_check_fails_without_a_provider_and_names_every_condition(folios: list[str]) -> None:
    done = run("provider", "check")
    found = {line.split("\t")[0]: line.split("\t")[1:] for line in done.stdout.splitlines()}
    assert done.exit_code == 1
    assert found["ambiente"] == ["ok", "ensayo"]
    assert found["autoridades"] == ["error", "Un ensayo necesita TIMBRA_REHEARSAL_AUTHORITY."]
    assert found["entrega al SAT"] == [
        "error",
        "Falta TIMBRA_SAT_RECEPTION_LOGIN_URL. Falta TIMBRA_SAT_RECEPTION_URL. Falta TIMBRA_SAT_CONTAINER_URL. "
        "Falta TIMBRA_SAT_ACCESS_SIGNATURE.",
    ]
    assert found["lista LCO"] == ["error", "No se ha importado."]
    assert found["cola de entregas"][0] == "warning"


def test_commands_do_not_exist_in_a_sandbox(tmp_path: Path) -> None:
    prepare_sqlite(tmp_path)
    for arguments in (("provider", "check"), ("provider", "usage"), ("deliveries", "list")):
        done = run(*arguments, "--data", str(tmp_path))
        assert done.exit_code == 1
        assert "no existe en el ambiente de pruebas" in done.output

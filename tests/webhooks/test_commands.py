"""`timbra webhook`: endpoints, secrets, and the delivery log."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.settings import Settings

ANA, URL = "ana@example.com", "https://erp.example/hook"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_container(Settings(data=tmp_path)) as container:
        container.get(account_services).accounts.create(ANA, "una contraseña larga")
    return tmp_path


def run(data: Path, command: str, *arguments: str, stdin: str = "") -> tuple[int, list[str]]:
    done = CliRunner().invoke(app, ["webhook", command, ANA, *arguments, "--data", str(data)], input=stdin)
    return done.exit_code, done.stdout.splitlines()


def test_webhook_is_managed_from_the_command_line(data: Path) -> None:
    code, [webhook, secret] = run(data, "create", URL, "--event", "batch.done", "--description", "ERP")
    assert (code, secret[:6]) == (0, "whsec_")
    [line] = run(data, "list")[1]
    assert line.split("\t") == [webhook, URL, "events", "enabled", "batch.done", "ERP"]
    code, [rotated] = run(data, "rotate-secret", webhook, "--hours", "1")
    assert (code, rotated != secret) == (0, True)
    code, [event] = run(data, "test", webhook)
    assert run(data, "deliveries", webhook)[1][0].split("\t")[:2] == [event, "webhook.test"]
    assert run(data, "redeliver", webhook, event) == (0, ["1"])
    assert run(data, "redeliver", webhook)[0] == 2
    assert run(data, "disable", webhook)[0] == 0
    assert "disabled (account)" in run(data, "list")[1][0]
    assert run(data, "enable", webhook)[0] == 0
    assert run(data, "redeliver", webhook, "--all") == (0, ["1"])
    assert "cfdi.rejected" in run(data, "update", webhook, "--event", "*")[1][0]
    assert run(data, "remove", webhook)[0] == 0
    assert run(data, "list") == (0, [])


def test_sw_webhook_reads_its_password_from_standard_input(data: Path) -> None:
    code, [_] = run(data, "create", URL, "--sw-user", "erp", "--sw-password-stdin", stdin="clave\n")
    assert code == 0
    assert run(data, "list")[1][0].split("\t")[2:5] == ["sw-batch", "enabled", "batch.done"]
    assert run(data, "create", URL, "--sw-user", "erp")[0] == 2

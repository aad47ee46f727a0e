"""`timbra listen` beside a running server, and its choice of an account."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from tests.support.dev_server import issue_example, running_dev
from tests.support.forked_program import start
from tests.support.waiting import wait_until
from tests.support.webhook_receiver import receiving
from typer.testing import CliRunner

from timbra.accounts.build import account_services
from timbra.app.composition import open_container
from timbra.cli.main import app
from timbra.settings import Settings
from timbra.webhooks.endpoints import WebhookService


def webhooks_of(data: Path, user: str) -> list[str]:
    with open_container(Settings(data=data)) as container:
        account = container.get(account_services).accounts.find(user).account_id
        return [each.url for each in container.groups[WebhookService]().list(account)]


def test_listen_forwards_events_until_it_is_interrupted(tmp_path: Path) -> None:
    data, environment = tmp_path / "data", {**os.environ, "TIMBRA_LANG": "en"}
    with receiving() as receiver, running_dev("--data", str(data)) as server:
        command = ("timbra.cli", "listen", f"{receiver.url}/hook", "--event", "cfdi.stamped", "--data", str(data))
        with start(*command, environment=environment, stdout=subprocess.PIPE) as listening:
            assert listening.stdout is not None
            first, secret, again = (listening.stdout.readline().strip() for _ in range(3))
            assert first == f"Events of {server.printed['user']} go to {receiver.url}/hook; Ctrl-C ends."
            assert secret.startswith("Secret of the signatures: whsec_")
            assert again.startswith(f"Send one again: timbra webhook redeliver {server.printed['user']} wh_")
            assert issue_example(server.printed["api"], server.printed["token"])["status"] == "success"
            line = listening.stdout.readline().split()
            assert line[1] == "cfdi.stamped"
            assert line[4:6] == ["204", "in"]
            [request] = receiver.requests
            assert (request.path, request.headers["Timbra-Event-Id"]) == ("/hook", line[3])
            receiver.status = 500
            assert CliRunner().invoke(app, [*again.split()[4:-1], line[3], "--data", str(data)]).exit_code == 0
            assert listening.stdout.readline().split()[3:5] == [line[3], "500"]
            assert webhooks_of(data, server.printed["user"]) == [f"{receiver.url}/hook"]
            listening.send_signal(signal.SIGINT)
            assert listening.wait(30) == 0
        wait_until(lambda: webhooks_of(data, server.printed["user"]) == [])


def test_listen_needs_a_choice_among_accounts(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        for user in ("ana@example.com", "luis@example.com"):
            container.get(account_services).accounts.create(user, "una contraseña larga")
    result = CliRunner().invoke(app, ["listen", "http://127.0.0.1:9/hook", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "--user" in result.stderr

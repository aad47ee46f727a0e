"""What is checked in a container of the image; every failure is an ImageCheckError."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tools.image_check.build import ImageConfig
from tools.image_check.commands import ImageCheckError
from tools.image_check.container import STOP_SECONDS, Container, Server

TOKEN = "token-of-the-image-check"  # noqa: S105 - of a sandbox that ends with the check
VARIABLES = {"TIMBRA_DEV_USER": "app@example.com", "TIMBRA_DEV_PASSWORD": "desarrollo local", "TIMBRA_DEV_TOKEN": TOKEN}
DEVELOPMENT = ("dev", "--host", "0.0.0.0", "--port", "8080", "--data")  # noqa: S104 - in a network namespace
ISSUE = """
import json, sys
import httpx2
form = {"xml": ("invoice.xml", sys.stdin.buffer.read())}
headers = {"Authorization": "Bearer " + sys.argv[1]}
print(httpx2.post("http://127.0.0.1:8080/cfdi33/issue/v4", files=form, headers=headers, timeout=60).text)
"""


@dataclass(frozen=True, slots=True)
class Measurements:
    """Times in seconds.

    Attributes:
        serve_start: From the start of the default command to the line with its address.
        serve_stop: From SIGTERM to the end.
        dev_start: From the start of `timbra dev` to its last line, certificates included.
        uuid: Folio of the invoice.
    """

    serve_start: float
    serve_stop: float
    dev_start: float
    uuid: str


def check_container(container: Container, config: ImageConfig) -> Measurements:
    """Start the default command and `timbra dev`, issue an invoice, and start with bad input."""
    with container.running(config.command) as server:
        serve_start = server.wait_for("Timbra listening on ")
        _check_process(server, config)
        _check_root(container, server)
        _check_health(container, server, config)
        code, serve_stop = server.stop()
        if code != 0:
            raise ImageCheckError(f"The server ended with exit code {code} after SIGTERM.\n{''.join(server.output)}")
    with container.running([*DEVELOPMENT, config.volume], VARIABLES) as server:
        dev_start = server.wait_for("ready\t")
        _check_health(container, server, config)
        uuid = _issue(container, server)
        _check_taken_port(container, server, config)
    _check_rejected_start(
        container, config, VARIABLES, "The data folder /var/lib/timbra is read-only.", data_options="ro"
    )
    _check_rejected_start(container, config, {"TIMBRA_DEV_TOKEN": "short"}, "TIMBRA_DEV_TOKEN must have")
    return Measurements(serve_start, serve_stop, dev_start, uuid)


def _check_process(server: Server, config: ImageConfig) -> None:
    """The process has the user and the group of the image, and no others."""
    status = Path(f"/proc/{server.process.pid}/status").read_text("utf-8")
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    user, group = config.user.split(":")
    if set(lines["Uid"].split()) != {user} or set(lines["Gid"].split()) != {group}:
        raise ImageCheckError(f"The server runs as {lines['Uid']}, group {lines['Gid']}.")


def _check_root(container: Container, server: Server) -> None:
    """Even root cannot write outside of the volumes."""
    tried = container.execute(server, ["touch", "/opt/timbra/written"], user="0:0")
    if tried.returncode == 0 or "Read-only file system" not in tried.stderr:
        raise ImageCheckError(f"The root of the container is not read-only: {tried.stderr}")


def _check_health(container: Container, server: Server, config: ImageConfig) -> None:
    tried = container.execute(server, config.health)
    if tried.returncode != 0:
        raise ImageCheckError(f"The health check of the image fails.\n{tried.stderr}{''.join(server.output)}")


def _issue(container: Container, server: Server) -> str:
    """Issue an example invoice with the token of TIMBRA_DEV_TOKEN; return its folio."""
    example = container.execute(server, ["timbra", "example", "ingreso", "--unsealed"])
    answer = container.execute(server, ["python", "-c", ISSUE, TOKEN], stdin=example.stdout)
    if answer.returncode != 0 or '"success"' not in answer.stdout:
        raise ImageCheckError(f"The invoice was not stamped.\n{example.stderr}{answer.stdout}{answer.stderr}")
    return str(json.loads(answer.stdout)["data"]["uuid"])


def _check_taken_port(container: Container, server: Server, config: ImageConfig) -> None:
    tried = container.execute(server, [*config.entrypoint, *config.command])
    if tried.returncode != 1 or not tried.stderr.startswith("Cannot listen on "):
        raise ImageCheckError(f"A second server on the same port: {tried.returncode}\n{tried.stdout}{tried.stderr}")


def _check_rejected_start(
    container: Container, config: ImageConfig, variables: dict[str, str], sentence: str, *, data_options: str = ""
) -> None:
    """`timbra dev` ends with exit code 1 and one sentence."""
    with container.running([*DEVELOPMENT, config.volume], variables, data_options=data_options) as server:
        code = server.process.wait(STOP_SECONDS)
        lines = list(iter(server.lines.get, None))
    if code != 1 or len(lines) != 1 or not lines[0].startswith(sentence):
        raise ImageCheckError(f"Exit code {code} instead of 1 with `{sentence}`:\n{''.join(map(str, lines))}")

"""`timbra sat-emulator` as a process: start, shared sandbox, stop, and starts that fail."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from httpx2 import get, post
from tests.emulator.emulator_support import WAIT_SECONDS
from tests.support.forked_program import Program, run, start
from tests.support.waiting import wait_until

from timbra.app.composition import open_container
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings

COMMAND = ("tests.support.guarded", "sat-emulator")
FREE = ("--port", "0", "--control-port", "0")


def environment(data: Path, **variables: str) -> Mapping[str, str]:
    return {**os.environ, "TIMBRA_DATA": str(data), "TIMBRA_LANG": "en", **variables}


@contextmanager
def started(data: Path, *arguments: str) -> Iterator[tuple[Program, str, str, list[str]]]:
    """Run the command until the end of the block; yields the process, both addresses and the lines about providers."""
    command = (*COMMAND, *FREE, *arguments)
    with start(*command, environment=environment(data), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline().strip() for _ in range(3 + arguments.count("--provider"))]
            yield process, lines[0].split()[-1], lines[1].split()[-1], lines[2:]
        finally:
            process.terminate()
            process.wait(WAIT_SECONDS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_command_serves_until_a_signal_and_ends_without_an_error(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path / "data") as (process, address, control, providers):
        state = get(f"{control}/state").json()
        assert (state["address"], len(state["providers"])) == (address, 1)
        assert str(tmp_path / "data" / "emulator" / "providers") in providers[0]
        process.send_signal(number)
        assert process.wait(WAIT_SECONDS) == 0


def test_command_serves_https_with_the_names_of_the_sat(tmp_path: Path) -> None:
    with started(tmp_path / "data", "--https") as (_, address, _control, [line]):
        context = ssl.create_default_context(cafile=line.split(": ")[1])
        answer = post(f"{address}/descarga-masiva/cfdi/SolicitaDescargaService.svc", content=b"<a/>", verify=context)
        assert (address[:8], answer.status_code) == ("https://", 500)
        target = ("127.0.0.1", int(address.rpartition(":")[2]))
        name = "retendescargamasivasolicitud.clouda.sat.gob.mx"
        with socket.create_connection(target) as plain, context.wrap_socket(plain, server_hostname=name) as secure:
            assert secure.version()


def test_command_shares_the_sandbox_of_its_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with started(data, "--provider", "PAC010101AB1") as (_, address, control, _lines):
        assert "PAC010101AB1" in get(f"{control}/state").json()["providers"]
        with open_container(Settings(data=data)) as container:
            authority = container.get(sandbox_services).authority_ca.certificate
            number = authority.number
            folders = (number[:6], number[6:12], number[12:14], number[14:16], number[16:18])
            published = get(f"{address}/rccf/{'/'.join(folders)}/{number}.cer")
            container.get(sandbox_services).clock_control.set("2020-01-01T00:00:00")
        assert published.content == authority.der
        wait_until(lambda: get(f"{control}/state").json()["fiscal_time"].startswith("2020-01-01"))


def test_command_keeps_providers_and_tokens_over_a_restart(tmp_path: Path) -> None:
    with started(tmp_path / "data", "--provider", "PAC010101AB1") as (_, _address, control, _lines):
        before = get(f"{control}/providers").json()
    with started(tmp_path / "data") as (_, _address, control, _lines):
        after = get(f"{control}/providers").json()
    assert [found["access_signature"] for found in after] == [found["access_signature"] for found in before]
    assert [found["rfc"] for found in after] == [found["rfc"] for found in before]


def failure(data: Path, *arguments: str, **variables: str) -> str:
    """Return standard error of a start that fails with code 1."""
    done = run(*COMMAND, *arguments, environment=environment(data, **variables))
    assert done.returncode == 1, done.stderr
    return done.stderr


def test_command_fails_when_the_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"127.0.0.1:{port}" in failure(tmp_path / "data", "--port", port, "--control-port", "0")


def test_command_fails_in_production(tmp_path: Path) -> None:
    assert "sandbox" in failure(tmp_path / "data", *FREE, TIMBRA_ENVIRONMENT="production")


def test_command_fails_for_a_malformed_provider(tmp_path: Path) -> None:
    assert "está mal formado" in failure(tmp_path / "data", *FREE, "--provider", "x")


def test_command_fails_for_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert "missing.json" in failure(tmp_path / "data", *FREE, "--config", str(tmp_path / "missing.json"))

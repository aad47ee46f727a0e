"""SIGHUP to `timbra serve`: what a provider rotates is in use without a restart, and every request is answered."""

from __future__ import annotations

import os
import re
import signal
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from httpx2 import Client
from tests.emulator.emulator_support import PROVIDER, EmulatorRun, running_emulator
from tests.support.effort import LONG
from tests.support.forked_program import run
from tests.support.rehearsal import RehearsedProvider
from tests.support.rehearsal_server import environment_of
from tests.support.server import Server, running
from tests.support.waiting import wait_until

from timbra.accounts.build import account_services
from timbra.emulator.credentials import write_credential
from timbra.sandbox.authority.build import sandbox_authority
from timbra.sandbox.authority.certificates.authority import OWN_VALIDITY
from timbra.seals.certificates.certificate import CertificateKind

OTHER_KEY = b64encode(b"another key of thirty-two bytes!").decode()
NUMBER = re.compile(r'NoCertificadoSAT="(\d{20})"')
CHANGED_AT = "2026-01-01T00:00:00"
long = pytest.mark.skipif(not LONG, reason="TIMBRA_TEST_LONG is not set")


class Node:
    """A server of a provider whose settings are in a file."""

    def __init__(self, provider: RehearsedProvider, config: Path) -> None:
        self._config = config
        self.provider = provider
        self.values = environment_of(provider.settings)
        self.write()
        self.environment = {**os.environ, "TIMBRA_CONFIG": str(config), "TIMBRA_DATA": str(provider.settings.data)}
        self.token = provider.container.get(account_services).accounts.create_infinite_token(provider.caller.user)

    def write(self) -> None:
        self._config.write_text("".join(f"{name}='{value}'\n" for name, value in self.values.items()))

    def change(self, server: Server, **values: str) -> None:
        """Change settings; an empty value removes one. Wait until all workers have them."""
        before = set(workers(server))
        self.values |= {f"TIMBRA_{name.upper()}": value for name, value in values.items()}
        self.values = {name: value for name, value in self.values.items() if value}
        self.write()
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: before.isdisjoint(workers(server)))


def workers(server: Server) -> list[int]:
    with open(f"/proc/{server.process.pid}/task/{server.process.pid}/children", encoding="ascii") as children:
        return [int(pid) for pid in children.read().split()]


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    with running_emulator(tmp_path_factory.mktemp("emulator"), clock="") as started:
        yield started


@pytest.fixture(scope="module")
def node(emulator: EmulatorRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    folder = tmp_path_factory.mktemp("node")
    provider = RehearsedProvider(emulator, folder / "provider")
    yield Node(provider, folder / "timbra.env")
    provider.close()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def server(node: Node, log: Path) -> Iterator[Server]:
    data, environment = node.provider.settings.data, {"TIMBRA_CONFIG": node.environment["TIMBRA_CONFIG"]}
    with log.open("wb") as file, running(data, token=node.token, environment=environment, log=file) as started:
        yield started


def issue(client: Client, provider: RehearsedProvider) -> dict[str, str]:
    answer = client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", provider.request().xml)})
    assert answer.status_code == 200, answer.text
    data: dict[str, str] = answer.json()["data"]
    return data


@contextmanager
def load(server: Server, provider: RehearsedProvider) -> Iterator[list[str]]:
    """Issue documents one after another, on a connection that is kept open, until the end of the block."""
    ended, numbers = Event(), list[str]()

    def issue_all() -> None:
        with server.client() as client:
            while not ended.is_set():
                numbers.extend(NUMBER.findall(issue(client, provider)["cfdi"]))
                ended.wait(0.05)

    with ThreadPoolExecutor(1) as pool:
        issued = pool.submit(issue_all)
        wait_until(lambda: bool(numbers) or issued.done())
        try:
            yield numbers
        finally:
            ended.set()
            issued.result()


@long
def test_provider_certificate_is_replaced_while_the_server_stamps(
    emulator: EmulatorRun, node: Node, server: Server, tmp_path: Path
) -> None:
    authority = emulator.container.get(sandbox_authority)
    names = (PROVIDER, CertificateKind.CSD, PROVIDER)
    following = authority.mint(*names, *OWN_VALIDITY, branch="PAC CFDI_PRUEBAS", listed=False)
    write_credential(tmp_path, "next", following)
    with load(server, node.provider) as numbers:
        node.change(
            server,
            provider_next_certificate=str(tmp_path / "next.cer"),
            provider_next_key_file=str(tmp_path / "next.key"),
            provider_next_key_password=following.password,
            provider_change_over=CHANGED_AT,
        )
        wait_until(lambda: numbers[-1] == following.certificate.number)
    assert set(numbers) == {numbers[0], following.certificate.number}
    assert numbers[0] != following.certificate.number


@long
def test_master_key_is_replaced_while_the_server_stamps(node: Node, server: Server) -> None:
    first = (node.provider.settings.data / "master.key").read_text().strip()
    with load(server, node.provider):
        node.change(server, previous_master_keys=OTHER_KEY)
        node.change(server, master_key=OTHER_KEY, previous_master_keys=first)
        rotated = run("timbra.cli", "vault", "rotate", environment=node.environment)
        assert int(rotated.stdout) > 0, rotated.stderr
        node.change(server, previous_master_keys="")
    assert first not in node._config.read_text()


def test_upload_signature_is_replaced_and_waiting_documents_are_delivered(
    emulator: EmulatorRun, node: Node, server: Server
) -> None:
    replaced = emulator.emulator.providers.rotate(PROVIDER)
    with server.client() as client:
        uuid = issue(client, node.provider)["uuid"]
        node.change(server, sat_access_signature=replaced.access_signature)
        wait_until(lambda: node.provider.state(uuid).state == "received")


def test_settings_that_a_server_cannot_start_with_change_nothing(node: Node, server: Server, log: Path) -> None:
    before = set(workers(server))
    node.values["TIMBRA_MASTER_KEY"] = b64encode(b"an unknown key of 32 bytes......").decode()
    node.write()
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "settings not reloaded" in log.read_text())
    assert "otra llave maestra" in log.read_text()
    with server.client() as client:
        issue(client, node.provider)
    assert set(workers(server)) == before

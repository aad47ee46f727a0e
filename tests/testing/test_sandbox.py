"""The sandbox server as a child process, and its controls."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import psutil  # type: ignore[import-untyped]
import pytest
from httpx2 import Client
from tests.support.dev_server import sandbox_with_cached_keys

from timbra.seals.keys.private_key import load_private_key
from timbra.testing import Sandbox, SandboxError, running_sandbox, sandbox_at

ISSUE = "/cfdi33/issue/v4"


@pytest.fixture(scope="module", autouse=True)
def _cached_keys() -> Iterator[None]:
    """The servers of the other test of this folder generate their keys."""
    with sandbox_with_cached_keys():
        yield


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with running_sandbox() as running:
        yield running


def issue(sandbox: Sandbox) -> str:
    """Issue the example invoice and return its UUID."""
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    with Client(base_url=sandbox.url, headers=headers, trust_env=False) as client:
        answer = client.post(ISSUE, files={"xml": ("a.xml", sandbox.example().encode())}).json()
    assert answer["status"] == "success", answer
    return str(answer["data"]["uuid"])


def test_sandbox_lists_its_stamps_and_forgets_them(sandbox: Sandbox) -> None:
    sandbox.reset()
    uuid = issue(sandbox)
    [stamp] = sandbox.stamps()
    assert (stamp.uuid.lower(), stamp.kind, stamp.issuer_rfc) == (uuid.lower(), "I", "EKU9003173C9")
    assert stamp.total == Decimal("232.00")
    sandbox.reset()
    assert sandbox.stamps() == []


def test_clock_is_set_advanced_and_reset(sandbox: Sandbox) -> None:
    start = datetime(2026, 11, 17, 18, tzinfo=UTC)
    assert sandbox.clock.set("2026-11-17T12:00:00") == start
    assert sandbox.clock.advance(timedelta(hours=73)) == sandbox.clock.now() == start + timedelta(hours=73)
    assert sandbox.clock.set(start, running=True) >= start
    sandbox.clock.reset()
    assert abs(sandbox.clock.now() - datetime.now(UTC)) < timedelta(minutes=5)


def test_faults_are_set_and_cleared(sandbox: Sandbox) -> None:
    assert sandbox.faults.set("latency", times=3, seconds=0.5).remaining == 3
    assert [fault.name for fault in sandbox.faults.active()] == ["latency"]
    sandbox.faults.clear("latency")
    chosen = sandbox.faults.set("unavailable", seconds=1, probability=0.5, seed=3, route="/cfdi33", account="ana")
    assert (chosen.probability, chosen.seed, chosen.route, chosen.account) == (0.5, 3, "/cfdi33", "ana")
    sandbox.faults.set("authority-down")
    sandbox.faults.clear()
    assert sandbox.faults.active() == []


def test_mint_csd_returns_the_files_of_the_sat(sandbox: Sandbox) -> None:
    csd = sandbox.mint_csd("ekU9003173C9", password="12345678a")
    assert (csd.rfc, len(csd.number), csd.password) == ("EKU9003173C9", 20, "12345678a")
    assert load_private_key(csd.key, csd.password).key_size == 2048
    new = sandbox.mint_csd("TIN130215QR7", name="TINTORERIA DEL NORTE", postal_code="64000", regimes=["601"])
    assert new.rfc == "TIN130215QR7"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda sandbox: sandbox.mint_csd("TIN130215QR8"), "TIN130215QR8"),
        (lambda sandbox: sandbox.faults.set("none"), "authority-down"),
        (lambda sandbox: sandbox.clock.set("yesterday"), "time-invalid"),
        (lambda sandbox: sandbox.example("factura"), "timbra example --list"),
    ],
)
def test_rejections_are_sentences(sandbox: Sandbox, wrong: object, words: str) -> None:
    with pytest.raises(SandboxError, match=words):
        wrong(sandbox)  # type: ignore[operator]


def test_sandbox_at_uses_a_running_server(sandbox: Sandbox) -> None:
    with sandbox_at(f"{sandbox.url}/", sandbox.token) as other:
        assert (other.url, other.stamps()) == (sandbox.url, sandbox.stamps())
    with pytest.raises(SandboxError, match="GET /sandbox/clock"), sandbox_at(sandbox.url, "none"):
        pass


def test_a_port_that_is_taken_is_a_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = f"did not start.*exit code 1.*\n.*127.0.0.1:{port}"
        with pytest.raises(SandboxError, match=sentence), running_sandbox(port=port):
            pass
    with pytest.raises(SandboxError, match="does not answer"), sandbox_at(f"http://127.0.0.1:{port}", "token"):
        pass


def test_a_killed_server_is_a_sentence() -> None:
    others = children(os.getpid())
    with running_sandbox() as sandbox:
        [server] = set(children(os.getpid())) - set(others)
        server.kill()
        with pytest.raises(SandboxError, match="ended with exit code -9"):
            sandbox.reset()


def test_the_server_ends_with_the_process_that_started_it() -> None:
    program = (
        "from timbra.testing import running_sandbox\nwith running_sandbox():\n    print(1, flush=True)\n    input()"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "1\n"
        [server] = children(parent.pid)
        parent.kill()
        assert psutil.wait_procs([server], 30)[1] == []


def children(parent: int) -> list[psutil.Process]:
    """Return the servers that a process started."""
    return [found for found in psutil.Process(parent).children() if "--stop-with-stdin" in found.cmdline()]

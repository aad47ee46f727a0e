"""The configurations for PostgreSQL of several machines; `tests/resilience/test_patroni.py` runs them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.deploy.files import DEPLOY, documents
from tests.support.deployed_files import replaced_in
from tests.support.requirements import need

CONNECTIONS = 17
"""Of a worker at most, as docs/operations.md has it."""


def test_patroni_waits_for_a_second_machine_and_keeps_its_rule_of_times() -> None:
    [file] = documents(DEPLOY / "patroni" / "patroni.yml")
    shared = file["bootstrap"]["dcs"]
    assert (shared["synchronous_mode"], shared["synchronous_mode_strict"]) == (True, True)
    assert shared["postgresql"]["parameters"]["synchronous_commit"] == "on"
    assert shared["loop_wait"] + 2 * shared["retry_timeout"] <= shared["ttl"]


def test_pooler_has_sessions_and_connections_for_two_workers() -> None:
    text = (DEPLOY / "pgbouncer" / "pgbouncer.ini").read_text("utf-8")
    settings = dict(re.findall(r"^(\w+) = (.+)$", text, re.MULTILINE))
    assert settings["pool_mode"] == "session"
    assert int(settings["default_pool_size"]) >= 2 * CONNECTIONS


def test_haproxy_accepts_the_proxy_of_the_leader(tmp_path: Path) -> None:
    program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    need("haproxy", program, "HAProxy is not installed")
    file = tmp_path / "haproxy.cfg"
    names = {f"db-{letter}.internal": "127.0.0.1" for letter in "abc"}
    file.write_text(replaced_in("haproxy/postgresql.cfg", names))
    subprocess.run([str(program), "-c", "-q", "-f", str(file)], check=True)

"""The page about the emulator: its commands work in their order, its tables are those of the code."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import yaml
from tests.support.requirements import need

from timbra.authority.emulator import faults
from timbra.authority.emulator.faults import EmulatedService, FaultKind
from timbra.authority.emulator.options import EmulatorFile, EmulatorOptions

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sat-emulator.md").read_text("utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TIMEOUT_SECONDS = 300
PROGRAM = """set -eu
timbra() { exec_python -m timbra.cli "$@"; }
exec_python() { "$PYTHON" "$@"; }
"""


def free_ports(count: int) -> list[str]:
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(listener.getsockname()[1]) for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def test_commands_of_the_page_work_in_their_order(tmp_path: Path) -> None:
    need("curl", shutil.which("curl"), "the commands of the page use curl")
    script = "\n".join(COMMANDS)
    for port, free in zip(("8090", "8091"), free_ports(2), strict=True):
        script = script.replace(port, free)
    # The background process is the command itself, so that the page can end it.
    script = script.replace("timbra sat-emulator", '"$PYTHON" -m timbra.cli sat-emulator')
    environment = {**os.environ, "PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path), "TIMBRA_LANG": "en"}
    done = subprocess.run(
        ["bash", "-c", PROGRAM + script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert '"providers":["PAC010101AB1","TIM010101SB9"]' in done.stdout
    assert "answer-lost" in done.stdout
    assert '"token_seconds":60' in done.stdout
    assert (tmp_path / "csd").is_dir()


def test_faults_of_the_page_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", PAGE.split("## Faults")[1].split("```")[0], re.MULTILINE)
    documented = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", faults.__doc__ or "", re.MULTILINE)
    assert rows == documented
    assert {name for name, _ in rows} == set(FaultKind.__args__)  # type: ignore[attr-defined]


def test_services_of_the_page_are_those_of_the_code() -> None:
    table = PAGE.split("## Services")[1].split("\n\n")[1]
    assert set(re.findall(r"\| `([a-z-]+)` \|$", table, re.MULTILINE)) == set(EmulatedService)


def test_file_of_the_page_has_the_default_options() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    read = EmulatorFile.model_validate(yaml.safe_load(text))
    assert read.options == EmulatorOptions()
    assert len(read.faults) == 2
    named = set(re.findall(r"^\| `([a-z_]+)` \|", PAGE.split("| option |")[1], re.MULTILINE))
    assert named == set(EmulatorOptions.model_fields)

"""The page about production: its commands work in their order, with real processes, a killed server and faults."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.test_sat_emulator_page import PROGRAM, ROOT, TIMEOUT_SECONDS, free_ports
from tests.support.requirements import need
from tests.support.softhsm import MODULES

from timbra.environments import ENVIRONMENTS
from timbra.settings import Settings
from timbra.store.outbox.receptions import ANSWERED_STATES, WAITING

PAGE = (ROOT / "docs" / "production.md").read_text("utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_commands_of_the_page_work_in_their_order(tmp_path: Path) -> None:
    for program in ("curl", "openssl", "softhsm2-util"):
        need(program, shutil.which(program), f"the commands of the page use {program}")
    module = next((path for path in MODULES if Path(path).is_file()), None)
    need("softhsm", module, "Debian's package softhsm2 is not installed")
    script = "\n".join(COMMANDS).replace("/usr/lib/softhsm/libsofthsm2.so", str(module))
    for port, free in zip(("8080", "8090", "8091"), free_ports(3), strict=True):
        script = script.replace(port, free)
    # The background processes are the commands themselves, so that the page can end them.
    for command in ("sat-emulator", "serve"):
        script = script.replace(f"timbra {command}", f'"$PYTHON" -m timbra.cli {command}')
    variables = {name: value for name, value in os.environ.items() if not name.startswith("TIMBRA_")}
    environment = {**variables, "PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(sys.path), "TIMBRA_LANG": "en"}
    ended = "trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT\n"
    done = subprocess.run(
        ["bash", "-c", PROGRAM + ended + script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert '"environment":"rehearsal"' in done.stdout
    assert "Comprobante recibido satisfactoriamente" in done.stdout
    assert '"state":"received"' in done.stdout
    assert "EstatusUUID>201" in done.stdout
    assert "CA1101" in done.stdout
    assert "autenticación de cancelación\tok" in done.stdout


@pytest.mark.parametrize("name", re.findall(r"TIMBRA_([A-Z0-9_]*[A-Z0-9])\b(?!_|\.)", PAGE))
def test_settings_of_the_page_exist(name: str) -> None:
    fields = Settings.model_fields
    assert name == "CONFIG" or name.lower() in fields or any(field.startswith(name.lower()) for field in fields)


def test_states_and_environments_of_the_page_are_those_of_the_code() -> None:
    states = PAGE.split("| state | meaning |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", states, re.MULTILINE) == [WAITING, *ANSWERED_STATES]
    (head,) = re.findall(r"^\| \| (.*) \|$", PAGE, re.MULTILINE)
    assert head.split(" | ") == list(ENVIRONMENTS)

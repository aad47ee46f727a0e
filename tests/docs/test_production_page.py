"""The page about production: its commands work in their order, with real processes, a killed server and faults."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.support.effort import LONG
from tests.support.page_code import read_page
from tests.support.page_runner import PageRun
from tests.support.requirements import need

from timbra.core.environments import ENVIRONMENTS
from timbra.settings import Settings
from timbra.testing.services.soft_token import find_module

ANSWERED_STATES = ("received", "received-with-incidencia", "late", "rejected")
WAITING = "waiting"

PAGE = read_page(Path(__file__).parents[2] / "docs" / "production.md")


@pytest.mark.skipif(not LONG, reason="45 s of commands; make test-long")
def test_commands_of_the_page_work_in_their_order(tmp_path: Path) -> None:
    for program in ("curl", "openssl", "softhsm2-util"):
        need(program, shutil.which(program), f"the commands of the page use {program}")
    module = find_module()
    need("softhsm", module, "Debian's package softhsm2 is not installed")
    with PageRun(PAGE, tmp_path, replaced={"/usr/lib/softhsm/libsofthsm2.so": str(module)}) as run:
        run.run()
    assert '"environment":"rehearsal"' in run.output
    assert "Comprobante recibido satisfactoriamente" in run.output
    assert '"state":"received"' in run.output
    assert "EstatusUUID>201" in run.output
    assert "CA1101" in run.output
    assert "autenticación de cancelación\tok" in run.output


@pytest.mark.parametrize("name", re.findall(r"TIMBRA_([A-Z0-9_]*[A-Z0-9])\b(?!_|\.)", PAGE.text))
def test_settings_of_the_page_exist(name: str) -> None:
    fields = Settings.model_fields
    assert name == "CONFIG" or name.lower() in fields or any(field.startswith(name.lower()) for field in fields)


def test_states_and_environments_of_the_page_are_those_of_the_code() -> None:
    states = PAGE.text.split("| state | meaning |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", states, re.MULTILINE) == [WAITING, *ANSWERED_STATES]
    (head,) = re.findall(r"^\| \| (.*) \|$", PAGE.text, re.MULTILINE)
    assert head.split(" | ") == list(ENVIRONMENTS)

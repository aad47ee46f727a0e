"""Variables TIMBRA_* that nothing reads: named, with the setting that was probably meant."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.forked_program import run

from timbra.settings import DEPRECATED_NAMES, Settings
from timbra.settings.unknown_names import OTHER_NAMES, unknown_names

SOURCES = Path(__file__).parents[2] / "src" / "timbra"
NAMES = sorted(f"TIMBRA_{name.upper()}" for name in Settings.model_fields)


def named(environment: dict[str, str]) -> dict[str, str]:
    return {one.name: one.nearest for one in unknown_names(environment)}


def test_unknown_names_are_none_for_everything_that_is_read() -> None:
    read = dict.fromkeys((*NAMES, *(OTHER_NAMES - {"TIMBRA_CONFIG"}), "TIMBRA_TEST_LONG", "PATH", "timbra_data"), "1")
    former = {f"TIMBRA_{name.upper()}": "1" for name in DEPRECATED_NAMES}
    assert named({**read, **former}) == {}


def test_every_variable_of_the_sources_is_known() -> None:
    text = "".join(path.read_text() for path in SOURCES.rglob("*.py"))
    variables = {name for name in re.findall(r"\bTIMBRA_[A-Z0-9_]+", text) if not name.startswith("TIMBRA_TEST_")}
    written = {name for name in variables if not name.endswith("_")} - {"TIMBRA_CONFIG"}
    assert set(named(dict.fromkeys(written, ""))) == set()


@given(st.sampled_from(NAMES), st.data())
def test_unknown_names_have_the_setting_that_is_one_edit_away(name: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(len("TIMBRA_") + 1, len(name) - 1))
    written = name[:position] + data.draw(st.sampled_from(["", "X", name[position] * 2])) + name[position + 1 :]
    found = named({written: "1"})
    assert set(found) == ({written} - set(NAMES))
    assert all(nearest for nearest in found.values())


def test_unknown_names_are_read_from_the_file_of_settings(tmp_path: Path) -> None:
    file = tmp_path / "timbra.env"
    file.write_text("TIMBRA_ENVIRONMENT=sandbox\nTIMBRA_SMPT_HOST=mail.example.com\nOTHER=1\n")
    assert named({"TIMBRA_CONFIG": str(file)}) == {"TIMBRA_SMPT_HOST": "TIMBRA_SMTP_HOST"}


@pytest.mark.parametrize("environment", ["production", "rehearsal"])
def test_serve_does_not_start_with_an_unknown_name(environment: str, tmp_path: Path) -> None:
    variables = {"TIMBRA_ENVIRONMENT": environment, "TIMBRA_SMPT_HOST": "mail.example.com", "TIMBRA_LANG": "en"}
    arguments = ("serve", "--port", "0", "--data", str(tmp_path / "data"))
    ended = run("timbra.cli", *arguments, environment={**os.environ, **variables})
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == ["TIMBRA_SMPT_HOST is no setting; TIMBRA_SMTP_HOST is the nearest one."]
    assert not (tmp_path / "data").exists()

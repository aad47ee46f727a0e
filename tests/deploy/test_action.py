"""The GitHub Action: its form, zizmor's audits, and its steps run by bash as the runner does."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from check_jsonschema.builtin_schemas import get_builtin_schema  # type: ignore[import-untyped]
from jsonschema.validators import validator_for  # type: ignore[import-untyped]
from tests.deploy.files import ACTION, ROOT, Document, documents
from tests.support.dev_server import issue_example

from timbra import examples

TOKEN = "token-of-the-action-test"
LONG_TIMEOUT = "300"
"""For a busy machine; a job of its own has the default."""
BIN = Path(sys.executable).parent


@dataclass(frozen=True)
class StepResult:
    """What a step did. outputs: the lines of GITHUB_OUTPUT."""

    code: int
    printed: str
    outputs: Mapping[str, str]


def action() -> Document:
    [found] = documents(ACTION / "action.yml")
    return found


def run_step(folder: Path, number: int, **inputs: str) -> StepResult:
    """Run the script of a step with its environment, in which the inputs take the place of the expressions."""
    step = action()["runs"]["steps"][number]
    defaults = {name: entry["default"] for name, entry in action()["inputs"].items()}
    values = defaults | {"timeout": LONG_TIMEOUT} | inputs
    environment = {name: values[text.split("inputs.")[1].removesuffix(" }}")] for name, text in step["env"].items()}
    script, output = folder / "step.sh", folder / "output"
    script.write_text(step["run"])
    output.write_text("")
    variables = {"PATH": f"{BIN}:{os.environ['PATH']}", "RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(output)}
    finished = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        env={**variables, "HOME": str(folder), "TIMBRA_LANG": "en", **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    pairs = (line.partition("=") for line in output.read_text().splitlines())
    return StepResult(finished.returncode, finished.stdout + finished.stderr, {name: value for name, _, value in pairs})


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for a job; the processes that the job left are ended, as the runner does."""
    yield tmp_path
    for process in left_behind(tmp_path):
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def left_behind(folder: Path) -> list[psutil.Process]:
    return [one for one in psutil.process_iter(["cmdline"]) if any(str(folder) in w for w in one.info["cmdline"] or ())]


def test_action_is_valid_and_passes_the_audits() -> None:
    schema = get_builtin_schema("vendor.github-actions")
    assert [error.message for error in validator_for(schema)(schema).iter_errors(action())] == []
    audits = [str(BIN / "zizmor"), "--offline", "--quiet", "--config", ".github/zizmor.yml", str(ACTION)]
    finished = subprocess.run(audits, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout


def test_action_installs_the_version_of_the_repository() -> None:
    assert action()["inputs"]["package"]["default"] == f"timbra=={version('timbra')}"


def test_every_input_is_used_by_a_step_and_every_output_is_written_by_one() -> None:
    steps = action()["runs"]["steps"]
    used = {text for step in steps for text in step["env"].values()}
    assert used == {f"${{{{ inputs.{name} }}}}" for name in action()["inputs"]}
    for name, output in action()["outputs"].items():
        assert output["value"] == f"${{{{ steps.start.outputs.{name} }}}}"
        assert f'echo "{name}=' in steps[1]["run"]


def test_install_step_is_content_with_an_installed_package(tmp_path: Path) -> None:
    assert run_step(tmp_path, 0, package="").code == 0


def test_install_step_says_that_the_command_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.deploy.test_action.BIN", tmp_path)
    monkeypatch.setenv("PATH", str(Path(shutil.which("bash") or "").parent))
    result = run_step(tmp_path, 0, package="")
    assert (result.code, result.printed) == (1, "::error::There is no command timbra; set the input package.\n")


def test_start_step_leaves_a_server_that_issues(folder: Path) -> None:
    result = run_step(folder, 1, token=TOKEN, user="ci@example.com")
    assert result.code == 0, result.printed
    assert f"::add-mask::{TOKEN}" in result.printed
    assert (result.outputs["token"], result.outputs["user"]) == (TOKEN, "ci@example.com")
    assert result.outputs.keys() == action()["outputs"].keys()
    assert examples.KEMPER.rfc in result.outputs["rfc"].split()
    answer = issue_example(result.outputs["url"], result.outputs["token"])
    assert answer["status"] == "success"


def test_start_step_reports_why_the_server_ended(folder: Path) -> None:
    result = run_step(folder, 1, token="short")
    assert result.code == 1
    assert result.printed.startswith("::error::timbra dev ended: TIMBRA_DEV_TOKEN must have 16 to 4096")


def test_start_step_reports_a_taken_port(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run_step(folder, 1, port=str(port))
    assert result.code == 1
    assert result.printed.startswith(f"::error::timbra dev ended: Cannot listen on 127.0.0.1:{port}: ")


def test_start_step_ends_a_server_that_is_not_ready_in_time(folder: Path) -> None:
    result = run_step(folder, 1, timeout="0")
    assert result.code == 1
    assert result.printed.startswith("::error::timbra dev does not accept requests after 0 seconds")
    deadline = time.monotonic() + 30
    while left_behind(folder) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left_behind(folder) == []

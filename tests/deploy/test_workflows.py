"""The workflows of the repository: their form, zizmor's audits, and what they name in the repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from check_jsonschema.builtin_schemas import get_builtin_schema  # type: ignore[import-untyped]
from jsonschema.validators import validator_for  # type: ignore[import-untyped]
from tests.deploy.files import ROOT, Document, build_arguments, documents
from tests.deploy.test_action import BIN

FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.yml"))
NEXT_LXML = FOLDER / "lxml.yml"


def workflow(file: Path) -> Document:
    [found] = documents(file)
    return found


def scripts(file: Path) -> list[str]:
    return [step["run"] for job in workflow(file)["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflow_is_valid_and_passes_the_audits(file: Path) -> None:
    schema = get_builtin_schema("vendor.github-workflows")
    text = workflow(file)
    # YAML 1.1 reads the key `on` as a boolean.
    text = {{"True": "on"}.get(str(key), key): value for key, value in text.items()}
    assert [error.message for error in validator_for(schema)(schema).iter_errors(text)] == []
    audits = [str(BIN / "zizmor"), "--offline", "--quiet", "--config", ".github/zizmor.yml", str(file)]
    finished = subprocess.run(audits, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflow_names_targets_and_folders_that_exist(file: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for script in scripts(file):
        for words in re.findall(r"^make (.+)$", script, re.MULTILINE):
            assert {word for word in words.split() if not word.startswith(".venv/")} <= targets
        for place in re.findall(r"(?<= )(?:tests|src)/\S+", script):
            assert (ROOT / place).exists(), place


def test_workflows_and_image_have_one_version_of_python() -> None:
    versions = {
        step["with"]["python-version"]
        for file in WORKFLOWS
        for job in workflow(file)["jobs"].values()
        for step in job["steps"]
        if "python-version" in step.get("with", {})
    }
    images = {re.sub(r"python:(\d+\.\d+)-.*", r"\1", image) for image in build_arguments().values()}
    assert versions == images == {"3.13"}


def test_next_lxml_is_tried_above_the_bound_of_the_native_code(tmp_path: Path) -> None:
    [install] = [script for script in scripts(NEXT_LXML) if "--prerelease allow" in script]
    command = install.splitlines()[0]
    copy = tmp_path / "src" / "timbra" / "_native" / "availability.py"
    copy.parent.mkdir(parents=True)
    before = (ROOT / copy.relative_to(tmp_path)).read_text("utf-8")
    copy.write_text(before, "utf-8")
    subprocess.run(["bash", "-ec", command], cwd=tmp_path, check=True)
    assert before.count("\nLXML_BEFORE = (7, 0)\n") == 1
    assert copy.read_text("utf-8") == before.replace("LXML_BEFORE = (7, 0)", "LXML_BEFORE = (99, 0)")

"""The Containerfile follows the rules of image linters."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from tests.deploy.files import ROOT, arguments_of, build_arguments, command_of_image, instructions, stages
from tools.image_context import LOCK, WHEELS

NAME = r"[a-z0-9-]+"


def test_base_images_have_a_version_and_no_host() -> None:
    images = [rest.split()[0] for word, rest in instructions() if word == "FROM"]
    assert images == ["${BUILDER}", "${BASE}"]
    for image in build_arguments().values():
        assert re.fullmatch(rf"{NAME}:(?!latest)[a-z0-9.-]+", image)


def test_image_runs_as_unprivileged_user() -> None:
    [user] = arguments_of("USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    assert f"--uid {user.partition(':')[0]} " in " ".join(arguments_of("RUN"))
    order = [word for word, _ in stages()[-1]]
    assert order.index("USER") < order.index("CMD")
    assert "RUN" not in order[order.index("USER") :]


@pytest.mark.parametrize("word", ["ADD", "MAINTAINER", "SHELL", "ONBUILD"])
def test_containerfile_has_no_discouraged_instruction(word: str) -> None:
    assert word not in {found for found, _ in instructions()}


@pytest.mark.parametrize("words", ["sudo ", "apt-get", "curl ", "wget ", "chmod 777", "|"])
def test_run_has_no_discouraged_command(words: str) -> None:
    assert not [rest for word, rest in instructions() if word == "RUN" and words in rest]


def test_pip_install_requires_hashes_or_local_packages() -> None:
    steps = [step for word, rest in instructions() if word == "RUN" for step in rest.split("&&")]
    installs = [step for step in steps if "pip install" in step]
    assert installs
    for step in installs:
        assert "--no-cache-dir" in step
        assert "--require-hashes" in step
        assert "--no-index" in step


def test_build_context_has_the_files_of_the_repository_only() -> None:
    """The build makes the wheel from the repository; what else is in the folder, such as data, stays out."""
    lines = (ROOT / "deploy" / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert lines[0] == "*"
    tracked = {"LICENSE", "Makefile", "NOTICE", "bench", "deploy", "docs", "examples", "hatch_build.py"}
    tracked |= {"requirements", "src", "tests", "tools", "*.md", "*.toml"}
    assert allowed == tracked | {WHEELS, LOCK}
    assert [name for name in tracked if not list(ROOT.glob(name))] == []


def run_step(folder: Path, **replaced: str) -> subprocess.CompletedProcess[str]:
    """Run the first step of the build in a folder, as the stage `build` does."""
    [step] = [rest for word, rest in stages()[0] if word == "RUN"]
    for old, new in replaced.items():
        step = step.replace(f"/opt/{old}", new)
    return subprocess.run(["sh", "-c", step], cwd=folder, capture_output=True, text=True, check=False)


def test_build_says_in_one_sentence_that_the_wheels_are_missing(tmp_path: Path) -> None:
    tried = run_step(tmp_path)
    assert tried.returncode == 1
    assert tried.stderr == "The build context has no wheels: run make image-context, and build from build/image.\n"


def test_build_rejects_a_wheel_with_another_hash(tmp_path: Path) -> None:
    (tmp_path / WHEELS).mkdir()
    (tmp_path / WHEELS / "example-1.0-py3-none-any.whl").write_bytes(b"other content")
    (tmp_path / LOCK).write_text(f"example==1.0 --hash=sha256:{'0' * 64}\n")
    tried = run_step(tmp_path, timbra=str(tmp_path / "environment"))
    assert tried.returncode != 0
    assert "DO NOT MATCH THE HASHES" in tried.stderr


def test_expose_and_healthcheck_use_the_port_of_the_command() -> None:
    command = command_of_image()
    port = command[command.index("--port") + 1]
    assert arguments_of("EXPOSE") == [port]
    assert f":{port}/health/ready" in arguments_of("HEALTHCHECK")[0]


def test_last_stage_copies_only_the_build() -> None:
    assert [rest for word, rest in stages()[-1] if word == "COPY"] == ["--from=build /opt/timbra /opt/timbra"]

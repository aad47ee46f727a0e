"""The Containerfile follows the rules of image linters."""

from __future__ import annotations

import re

import pytest
from tests.deploy.files import ROOT, arguments_of, command_of_image, instructions, stages

NAME = r"[a-z0-9-]+"


def test_base_images_have_a_version_and_no_host() -> None:
    images = [rest.split()[0] for word, rest in instructions() if word == "FROM"]
    assert len(images) == 2
    for image in images:
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
        assert "--require-hashes" in step or ("--no-deps" in step and "--no-index" in step)


def test_copied_files_exist_and_are_not_ignored() -> None:
    copied = [rest.split() for word, rest in instructions() if word == "COPY" and not rest.startswith("--from")]
    assert [source for *sources, _ in copied for source in sources if not (ROOT / source).exists()] == []
    allowed = (ROOT / "deploy" / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    assert {source.strip("/") for *sources, _ in copied for source in sources} <= {
        line.removeprefix("!") for line in allowed
    }


def test_expose_and_healthcheck_use_the_port_of_the_command() -> None:
    command = command_of_image()
    port = command[command.index("--port") + 1]
    assert arguments_of("EXPOSE") == [port]
    assert f":{port}/health/ready" in arguments_of("HEALTHCHECK")[0]


def test_last_stage_copies_only_the_build() -> None:
    assert [rest for word, rest in stages()[-1] if word == "COPY"] == ["--from=build /opt/timbra /opt/timbra"]

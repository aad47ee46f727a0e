"""The recipe for testcontainers: its command, variables and wait strategy, on a process instead of a container."""

from __future__ import annotations

import inspect
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from testcontainers.core import container as engine
from tests.deploy.files import ROOT, arguments_of
from tests.deploy.test_names import port_of, understood
from tests.support.dev_server import issue_example, running_dev

RECIPE = ROOT / "examples" / "python" / "timbra_container.py"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module; a container of it has no engine."""
    monkeypatch.setattr(engine, "DockerClient", lambda **_: SimpleNamespace())
    spec = spec_from_file_location("timbra_container", RECIPE)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def command_of(container: Any) -> list[str]:
    return list(container._command)


def test_page_has_the_recipe() -> None:
    page = (ROOT / "docs" / "containers.md").read_text("utf-8")
    assert RECIPE.read_text("utf-8") in BLOCK.findall(page)


def test_recipe_uses_the_command_port_and_volume_of_the_image(recipe: ModuleType) -> None:
    container = recipe.timbra_container()
    words = command_of(container)
    assert understood(words)
    assert [str(port_of(words))] == arguments_of("EXPOSE")
    assert words[words.index("--data") + 1] == arguments_of("VOLUME")[0]
    assert list(container.ports) == [str(recipe.PORT)]


def test_recipe_waits_for_the_server_and_its_token_issues(
    recipe: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    container = recipe.timbra_container()
    program, *options = command_of(container)
    assert program == "dev"
    options += ["--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path / "data")]
    with running_dev(*options, variables=container.env) as server:
        address = urlsplit(server.printed["api"])
        monkeypatch.setattr(engine.DockerContainer, "get_container_host_ip", lambda _: address.hostname)
        monkeypatch.setattr(engine.DockerContainer, "get_exposed_port", lambda _, __: address.port)
        monkeypatch.setattr(engine.DockerContainer, "start", lambda self: self)
        monkeypatch.setattr(engine.DockerContainer, "stop", lambda self: None)
        container._wait_strategy.wait_until_ready(container)
        for sandbox in inspect.unwrap(recipe.pac)():
            assert issue_example(sandbox.url, recipe.TOKEN)["status"] == "success"
            assert len(sandbox.stamps()) == 1

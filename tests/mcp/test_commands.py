"""`timbra mcp` without its library, and with folders that do not exist."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest.mock import MagicMock, Mock, call

import pytest
from typer.testing import CliRunner

from timbra.cli.main import app


def test_mcp_names_the_extra_of_a_missing_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "timbra.mcp.server", raising=False)
    result = CliRunner().invoke(app, ["mcp"])
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "timbra[mcp]" in result.stderr


def test_mcp_serves_with_the_folders_of_its_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server, previewer = Mock(), MagicMock()
    monkeypatch.setattr("timbra.mcp.server.mcp_server", server)
    monkeypatch.setattr("timbra.mcp.preview.Previewer", previewer)
    lists, trust, data = tmp_path / "lists", tmp_path / "trust", tmp_path / "data"
    lists.mkdir()
    trust.mkdir()
    result = CliRunner().invoke(app, ["mcp", "--lists", str(lists), "--trust", str(trust), "--data", str(data)])
    opened = previewer.return_value.__enter__.return_value
    assert (result.exit_code, server.mock_calls) == (0, [call(lists, trust, opened), call().run()])
    previewer.assert_called_once_with(data)
    previewer.return_value.__exit__.assert_called_once()


@pytest.mark.parametrize("option", ["--lists", "--trust"])
def test_mcp_rejects_a_folder_that_does_not_exist(option: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["mcp", option, str(tmp_path / "absent")])
    assert result.exit_code == 2

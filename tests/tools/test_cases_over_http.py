"""The harness of the HTTP API agrees with the cases of the sandbox that the server has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.support.dev_server import running_dev
from tests.support.effort import cases
from tools.cases.comparison import Outcome, compare, read_cases
from tools.cases.export import build

from timbra.rules.registry import RULE_SETS

SETS = [each for each in RULE_SETS if each.name in cases(["sellos", "ine11"], [one.name for one in RULE_SETS])]


def test_server_agrees_with_its_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, data = tmp_path / "cases", tmp_path / "sandbox"
    build(folder, data, SETS)
    with running_dev("--data", str(data)) as server:
        monkeypatch.setenv("TIMBRA_TOKEN", server.printed["token"])
        command = [sys.executable, "-m", "tools.cases.over_http", server.printed["api"]]
        found = compare("timbra-http", command, folder, read_cases(folder))
    assert found.differences == []
    assert {each.case["rule"] for each in found.of(Outcome.CANNOT_EVALUATE)} == {"401", "T401"}

"""`make rules-check`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.sandbox_examples import SandboxExamples

from timbra.app.composition import Container, open_container
from timbra.rules.rulesets import certificates
from timbra.settings import Settings
from tools import rules_check


@pytest.mark.parametrize("path", rules_check.RECORD_TESTS, ids=lambda path: path.stem)
def test_each_test_of_records_exists(path: Path) -> None:
    assert path.is_file()


def test_run_tests_prints_why_pytest_could_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rules_check, "RECORD_TESTS", (tmp_path / "test_absent.py",))
    assert rules_check._run_tests() != 0
    assert "test_absent.py" in capsys.readouterr().err


@pytest.fixture
def container(tmp_path: Path) -> Iterator[Container]:
    with open_container(Settings(data=tmp_path, environment="sandbox", database_url="")) as container:
        yield container


@pytest.mark.parametrize("code", ["401", "T401"])
def test_examples_of_rules_about_the_moment_are_stamped_or_rejected(container: Container, code: str) -> None:
    examples, rule = SandboxExamples(container), certificates.RULE_SET.rule(code)
    assert examples.passing(certificates.RULE_SET, rule) == set()
    assert examples.failing(certificates.RULE_SET, rule) == {code}

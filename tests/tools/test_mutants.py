"""The mutation test in its short form: a few mutants of the shared amounts, drawn with a fixed seed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.support.effort import LONG
from tools.mutants import AREAS, ROOT, Area, AreaCoverage, Candidate, run, sample
from tools.mutation import Mutant

from tools import mutants

AMOUNTS = Area("amounts", ("src/timbra/rules/shared/amounts.py",), ("tests/rules/test_amounts.py",))


def test_sample_draws_the_same_mutants_for_a_seed() -> None:
    assert sample(AREAS, 300, 1) == sample(AREAS, 300, 1)
    assert sample(AREAS, 300, 1) != sample(AREAS, 300, 2)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_areas_name_existing_files(area: Area) -> None:
    assert area.source_paths()
    assert area.test_paths()


@pytest.mark.skipif(not LONG, reason="runs the tests of an area; make test-long")
def test_run_kills_mutants_of_amounts_and_leaves_checkout_unchanged() -> None:
    before = (ROOT / AMOUNTS.source_paths()[0]).read_bytes()
    report = run(sample([AMOUNTS], 3, seed=9), workers=2, limit_seconds=120)
    assert report.counts["killed"] >= 2, [str(survivor) for survivor in report.survivors]
    assert report.counts.total() == 3
    assert (ROOT / AMOUNTS.source_paths()[0]).read_bytes() == before


def test_run_starts_no_mutant_after_the_limit(passing: None) -> None:
    report = run(sample([AMOUNTS], 2, seed=1), workers=1, limit_seconds=-1)
    assert report.counts == {"not run": 2}
    assert report.score == 0


def test_run_reports_survivors(passing: None) -> None:
    candidates: list[Candidate] = sample([AMOUNTS], 2, seed=1)
    report = run(candidates, workers=1, limit_seconds=60)
    assert report.survivors == tuple(candidates)


def test_select_returns_tests_of_the_lines_the_fastest_first() -> None:
    mutant = Mutant(0, 5, 7, "comparison", "a <\n b", "a <= b", in_function=True)
    candidate = Candidate(AMOUNTS, "a.py", mutant)
    tests_of_line = {("a.py", 7): frozenset({"slow", "fast"}), ("a.py", 8): frozenset({"other"}), ("b.py", 7): NOTHING}
    coverage = AreaCoverage({"slow": 3.0, "fast": 1.0, "other": 2.0, "elsewhere": 0.1}, tests_of_line)
    assert coverage.select(candidate) == ["fast", "other", "slow"]


@pytest.mark.parametrize(("in_function", "selected"), [(True, []), (False, ["a", "b"])])
def test_select_takes_every_test_for_lines_that_run_at_import(in_function: bool, selected: list[str]) -> None:
    mutant = Mutant(0, 1, 7, "constant", "1", "2", in_function)
    coverage = AreaCoverage({"b": 2.0, "a": 1.0}, {})
    assert coverage.select(Candidate(AMOUNTS, "a.py", mutant)) == selected


NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test passes with every mutant."""

    def cover(_copy: Path, area: Area) -> AreaCoverage:
        every = frozenset({"tests/test_any.py::test_any"})
        lines = {(path, line): every for path in area.source_paths() for line in range(1, 1_000)}
        return AreaCoverage(dict.fromkeys(every, 0.0), lines)

    def run_pytest(_copy: Path, arguments: Iterable[str], _limit: float | None) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(list(arguments), 0, "", "")

    monkeypatch.setattr(mutants, "_cover", cover)
    monkeypatch.setattr(mutants, "_pytest", run_pytest)

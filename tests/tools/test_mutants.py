"""The mutation test in its short form: a few mutants of the shared amounts, drawn with a fixed seed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tools.mutants import AREAS, ROOT, Area, Candidate, run, sample

from tools import mutants

AMOUNTS = Area("amounts", ("src/timbra/rules/shared/amounts.py",), ("tests/rules/test_amounts.py",))


def test_sample_draws_the_same_mutants_for_a_seed() -> None:
    assert sample(AREAS, 300, 1) == sample(AREAS, 300, 1)
    assert sample(AREAS, 300, 1) != sample(AREAS, 300, 2)


@pytest.mark.parametrize("area", AREAS, ids=lambda area: area.name)
def test_areas_name_existing_files(area: Area) -> None:
    assert area.source_paths()
    assert area.test_paths()


def test_run_kills_mutants_of_amounts_and_leaves_checkout_unchanged() -> None:
    before = (ROOT / AMOUNTS.source_paths()[0]).read_bytes()
    report = run(sample([AMOUNTS], 3, seed=3), workers=2, limit_seconds=120)
    assert report.counts["killed"] >= 2, [str(survivor) for survivor in report.survivors]
    assert report.counts.total() == 3
    assert (ROOT / AMOUNTS.source_paths()[0]).read_bytes() == before


def test_run_starts_no_mutant_after_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "_pytest", _passing)
    report = run(sample([AMOUNTS], 2, seed=1), workers=1, limit_seconds=-1)
    assert report.counts == {"not run": 2}
    assert report.score == 0


def test_run_reports_survivors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "_pytest", _passing)
    candidates: list[Candidate] = sample([AMOUNTS], 2, seed=1)
    report = run(candidates, workers=1, limit_seconds=60)
    assert report.survivors == tuple(candidates)


def _passing(copy: Path, area: Area, time_limit: float | None) -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess([], 0, "", "")

"""The fuzz targets: their corpus reaches the code that they are for, and inputs that once failed no longer fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.fuzz.coverage import Coverage, measure
from tools.fuzz.targets import TARGETS

from timbra._native import STATE

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus"
FAILURES = FOLDER / "failures"
MOST_BYTES = 1_000_000


def inputs(name: str) -> list[bytes]:
    return [file.read_bytes() for file in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize("name", TARGETS)
def test_corpus_reaches_the_lines_of_its_target(name: str) -> None:
    target = TARGETS[name]
    if target.is_native and not STATE.active:
        pytest.skip("without native code no document is plain")

    def work() -> None:
        for data in inputs(name):
            target.run(data)

    coverage = measure(work, target.modules)
    print(f"{name}: {coverage.reached} of {coverage.lines} lines, {coverage.percent} %")
    assert coverage.percent >= target.least > 0


def test_measure_counts_no_line_of_a_harness_that_does_not_call_its_target() -> None:
    coverage = measure(lambda: None, TARGETS["xml"].modules)
    assert coverage.lines > 30
    assert coverage == Coverage(0, coverage.lines)


@pytest.mark.parametrize("file", sorted(FAILURES.iterdir()) if FAILURES.is_dir() else [], ids=lambda file: file.name)
def test_target_accepts_inputs_that_once_failed(file: Path) -> None:
    TARGETS[file.name.rpartition("-")[0]].run(file.read_bytes())


def test_corpus_is_small_and_belongs_to_targets() -> None:
    assert sorted(folder.name for folder in CORPUS.iterdir()) == sorted(TARGETS)
    assert sum(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) < MOST_BYTES

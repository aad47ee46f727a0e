"""Mutation testing of the critical code: `make mutants`.

A seeded sample of mutants (see `tools.mutation`) is run in copies of the tree, one copy for each worker; the checkout
is never changed. The tests of each area run once on unchanged code, to record which test executes which line. For each
mutant the tests that execute its lines run, the fastest first, up to the first failure; all tests of the area when the
lines run at import. A mutant is killed when a test fails or exceeds the time limit, and survives when all pass or when
no test executes its lines.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tools.mutation import Mutant, mutants_of

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "tools", "pyproject.toml", "docs", "bench")
PASSED, FAILED, USAGE_ERROR, NO_TESTS = 0, 1, 4, 5
TIME_LIMIT_FACTOR, MIN_TIME_LIMIT = 5, 60
"""The time limit of a mutant in seconds is a multiple of the unchanged run of its tests, and at least this."""
PLUGIN = ("-p", "tools.line_coverage")


@dataclass(frozen=True)
class Area:
    """Source files, and the tests that must detect a change in them.

    Attributes:
        sources, tests: globs from the root of the repository.
    """

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def source_paths(self) -> list[str]:
        """Return the source files."""
        return _matches(self.sources)

    def test_paths(self) -> list[str]:
        """Return the test files."""
        return _matches(self.tests)


AREAS = (
    Area(
        "rules engine",
        ("src/timbra/rules/engine/*.py",),
        ("tests/rules/test_*.py", "tests/rules/cfdi40/test_*.py", "tests/evaluation/test_sound_parts.py"),
    ),
    Area(
        "shared amounts",
        ("src/timbra/rules/shared/amounts.py", "src/timbra/core/money.py"),
        (
            "tests/core/test_money.py",
            "tests/rules/test_amounts.py",
            "tests/rules/pagos20/test_amounts.py",
            "tests/rules/pagos20/test_dates.py",
            "tests/rules/comercioexterior20/test_values.py",
        ),
    ),
    Area(
        "claim resolution",
        ("src/timbra/stamps/claim_resolution.py",),
        (
            "tests/stamps/test_claim_resolution.py",
            "tests/stamps/test_repository.py",
            "tests/stamps/test_balances.py",
            "tests/stamps/test_confirmations.py",
        ),
    ),
    Area(
        "XML signatures",
        ("src/timbra/seals/xml_signatures/*.py",),
        (
            "tests/seals/test_xmldsig*.py",
            "tests/seals/test_ws_security.py",
            "tests/seals/test_blank_text.py",
            "tests/cfdi/cancelacion/test_*.py",
            "tests/cancellation/test_cancellation.py",
        ),
    ),
    Area(
        "PKCS#11 session",
        ("src/timbra/seals/signers/pkcs11*.py",),
        ("tests/seals/test_pkcs11_session.py", "tests/seals/signers/test_pkcs11*.py"),
    ),
    Area(
        "stamping checks",
        ("src/timbra/stamping/checks.py", "src/timbra/stamping/stamp_factory.py"),
        (
            "tests/stamping/test_article_69b.py",
            "tests/stamping/test_check*.py",
            "tests/stamping/test_read_back.py",
            "tests/stamping/test_repeats.py",
            "tests/stamping/test_retenciones.py",
            "tests/stamping/test_sta[gm]*.py",
            "tests/validation/test_complements.py",
            "tests/validation/test_payrolls.py",
            "tests/accounts/test_balances_service.py",
        ),
    ),
)


@dataclass(frozen=True)
class Candidate:
    """A mutant of the source file at `path`, tested by the area's tests."""

    area: Area
    path: str
    mutant: Mutant

    def __str__(self) -> str:
        before, after = (" ".join(text.split()) for text in (self.mutant.before, self.mutant.after))
        return f"{self.path}:{self.mutant.line}: {self.mutant.operator}: {before} -> {after}"


@dataclass(frozen=True)
class MutationReport:
    """Counts by outcome (`killed`, `timeout`, `survived`, `not run`) and the mutants that survived."""

    counts: Counter[str]
    survivors: tuple[Candidate, ...]

    @property
    def score(self) -> float:
        """Share of the executed mutants that were killed, timeouts included; 0 when none was executed."""
        ran = self.counts.total() - self.counts["not run"]
        return (ran - self.counts["survived"]) / ran if ran else 0.0


@dataclass(frozen=True)
class AreaCoverage:
    """The tests of an area on unchanged code.

    Attributes:
        seconds: duration of each test, by its node id.
        tests_of_line: the tests that execute a line, by source path and line.
    """

    seconds: Mapping[str, float]
    tests_of_line: Mapping[tuple[str, int], frozenset[str]]

    def select(self, candidate: Candidate) -> list[str]:
        """Return the tests of a mutant, the fastest first; empty when no test executes its lines.

        Lines that no test executes, but that run at import, are those outside of functions: every test may detect them.
        """
        mutant = candidate.mutant
        lines = range(mutant.line, mutant.line + mutant.before.count("\n") + 1)
        tests: set[str] = set().union(*(self.tests_of_line.get((candidate.path, line), ()) for line in lines))
        if not tests and not mutant.in_function:
            tests = set(self.seconds)
        return sorted(tests, key=lambda test: self.seconds[test])

    def time_limit(self, tests: Iterable[str]) -> float:
        """Return the limit of a run of tests, in seconds."""
        return max(MIN_TIME_LIMIT, TIME_LIMIT_FACTOR * sum(self.seconds[test] for test in tests))


def sample(areas: Iterable[Area], count: int, seed: int) -> list[Candidate]:
    """Draw mutants of the areas.

    Args:
        areas: the areas.
        count: number of mutants; fewer when there are not as many.
        seed: the same seed draws the same mutants.
    """
    every = [
        Candidate(area, path, mutant)
        for area in areas
        for path in area.source_paths()
        for mutant in mutants_of((ROOT / path).read_bytes())
    ]
    return random.Random(seed).sample(every, min(count, len(every)))  # noqa: S311


def run(candidates: Sequence[Candidate], workers: int, limit_seconds: float) -> MutationReport:
    """Test the mutants in parallel.

    Args:
        candidates: the mutants.
        workers: number of parallel test runs.
        limit_seconds: time after which no mutant is started; the remaining ones are `not run`.

    Raises:
        RuntimeError: the tests of an area fail on unchanged code.
    """
    with _copies(workers) as copies, ThreadPoolExecutor(workers) as executor:

        def cover(area: Area) -> AreaCoverage:
            with _borrowed(copies) as copy:
                return _cover(copy, area)

        areas = sorted({candidate.area for candidate in candidates}, key=lambda area: area.name)
        coverage = dict(zip(areas, executor.map(cover, areas), strict=True))
        deadline = time.monotonic() + limit_seconds

        def outcome(candidate: Candidate) -> str:
            if time.monotonic() > deadline:
                return "not run"
            with _borrowed(copies) as copy:
                return _outcome(copy, candidate, coverage[candidate.area])

        outcomes = list(executor.map(outcome, candidates))
    paired = zip(candidates, outcomes, strict=True)
    return MutationReport(Counter(outcomes), tuple(candidate for candidate, name in paired if name == "survived"))


@contextmanager
def _copies(workers: int) -> Iterator[SimpleQueue[Path]]:
    with tempfile.TemporaryDirectory(prefix="timbra-mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(workers):
            copy = Path(folder) / str(number) / "timbra"
            copy.mkdir(parents=True)
            for name in COPIED:
                _copy(ROOT / name, copy / name)
            copies.put(copy)
        yield copies


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    else:
        shutil.copy2(source, target)


@contextmanager
def _borrowed(copies: SimpleQueue[Path]) -> Iterator[Path]:
    copy = copies.get()
    try:
        yield copy
    finally:
        copies.put(copy)


def _cover(copy: Path, area: Area) -> AreaCoverage:
    record = copy / "lines.json"
    options = [f"--record-lines={record}", *(f"--record-source={path}" for path in area.source_paths())]
    done = _pytest(copy, [*options, *area.test_paths()], None)
    if done.returncode != PASSED:
        raise RuntimeError(f"{area.name}: the tests fail on unchanged code\n{done.stdout}{done.stderr}")
    recorded = json.loads(record.read_text("utf-8"))
    tests_of_line: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for test, run_of_test in recorded.items():
        for source, lines in run_of_test["lines"].items():
            path = Path(source).relative_to(copy.resolve()).as_posix()
            for line in lines:
                tests_of_line[path, line].add(test)
    seconds = {test: run_of_test["seconds"] for test, run_of_test in recorded.items()}
    return AreaCoverage(seconds, {line: frozenset(tests) for line, tests in tests_of_line.items()})


def _outcome(copy: Path, candidate: Candidate, coverage: AreaCoverage) -> str:
    tests = coverage.select(candidate)
    if not tests:
        return "survived"
    selection = copy / "selection.json"
    selection.write_text(json.dumps(tests), encoding="utf-8")
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    file = copy / candidate.path
    original = file.read_bytes()
    _write(file, candidate.mutant.apply(original))
    try:
        done = _pytest(copy, [f"--select-tests={selection}", *files], coverage.time_limit(tests))
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        _write(file, original)
    if done.returncode in (USAGE_ERROR, NO_TESTS) and "ImportError while loading conftest" not in done.stderr:
        raise RuntimeError(f"{candidate}: pytest did not run\n{done.stdout}{done.stderr}")
    return "survived" if done.returncode == PASSED else "killed"


_ticks = iter(range(1, 1_000_000))


def _write(file: Path, content: bytes) -> None:
    """Write the file with a new modification time: Python compares compiled files by whole seconds and size."""
    file.write_bytes(content)
    instant = 1_000_000_000 + next(_ticks)
    os.utime(file, (instant, instant))


def _pytest(copy: Path, arguments: Iterable[str], time_limit: float | None) -> subprocess.CompletedProcess[str]:
    options = ["-x", "-q", *PLUGIN, "--tb=short"]
    command = [sys.executable, "-m", "pytest", *options, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    environment.pop("TIMBRA_TEST_REQUIRE", None)
    return subprocess.run(  # noqa: S603
        command, check=False, capture_output=True, text=True, cwd=copy, env=environment, timeout=time_limit
    )


def _matches(patterns: Iterable[str]) -> list[str]:
    found: list[str] = []
    for pattern in patterns:
        paths = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))
        if not paths:
            raise FileNotFoundError(f"tools/mutants.py: no file matches {pattern}")
        found += paths
    return found


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Mutation testing of the critical code")
    parser.add_argument("--count", type=int, default=300, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=1, help="the same seed draws the same mutants")
    parser.add_argument("--workers", type=int, default=2, help="how many run at the same time")
    parser.add_argument("--minutes", type=float, default=30, help="no mutant is started after this time")
    parser.add_argument("--area", choices=[area.name for area in AREAS], action="append", help="only these areas")
    arguments = parser.parse_args()
    areas = [area for area in AREAS if not arguments.area or area.name in arguments.area]
    candidates = sample(areas, arguments.count, arguments.seed)
    report = run(candidates, arguments.workers, arguments.minutes * 60)
    print(f"{len(candidates)} mutants, seed {arguments.seed}: {report.score:.0%} killed")
    print(", ".join(f"{name} {count}" for name, count in sorted(report.counts.items())))
    for survivor in report.survivors:
        print(f"survived: {survivor}")


if __name__ == "__main__":
    main()

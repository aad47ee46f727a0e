"""Mutation testing of the critical code: `make mutants`.

A seeded sample of mutants (see `tools.mutation`) is run in copies of the tree, one copy for each worker; the checkout
is never changed. For each mutant the test files of its area run with `-x`. A mutant is killed when they fail or exceed
the time limit, and survives when they pass.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tools.mutation import Mutant, mutants_of

ROOT = Path(__file__).parents[1]
COPIED = ("src", "tests", "tools", "pyproject.toml", "docs", "bench")
PASSED, FAILED, USAGE_ERROR, NO_TESTS = 0, 1, 4, 5
TIME_LIMIT_FACTOR, MIN_TIME_LIMIT = 5, 30
"""The time limit of a mutant in seconds is a multiple of the unchanged run, and at least this."""


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
        (
            "tests/rules/test_engine.py",
            "tests/rules/test_versions.py",
            "tests/rules/test_instants.py",
            "tests/rules/test_amounts.py",
            "tests/rules/test_list_freshness.py",
            "tests/rules/cfdi40/test_*.py",
        ),
    ),
    Area(
        "shared amounts",
        ("src/timbra/rules/shared/amounts.py", "src/timbra/money.py"),
        ("tests/rules/test_amounts.py", "tests/rules/pagos20/test_amounts.py", "tests/rules/pagos20/test_dates.py"),
    ),
    Area(
        "claim resolution",
        ("src/timbra/store/stamps/claim_resolution.py",),
        ("tests/store/test_claim_resolution.py", "tests/store/test_repository.py"),
    ),
    Area("XML signatures", ("src/timbra/seals/xml_signatures/*.py",), ("tests/seals/test_xmldsig.py",)),
    Area(
        "PKCS#11 session",
        ("src/timbra/seals/signers/pkcs11*.py",),
        ("tests/seals/test_pkcs11_session.py", "tests/seals/signers/test_pkcs11.py"),
    ),
    Area(
        "stamping checks",
        ("src/timbra/service/stamping/checks.py", "src/timbra/service/stamping/stamp_factory.py"),
        ("tests/service/test_checks.py", "tests/service/test_stamping.py"),
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
    deadline = time.monotonic() + limit_seconds
    with _copies(workers) as copies:
        limits = {area: _time_limit(copies, area) for area in {candidate.area for candidate in candidates}}

        def outcome(candidate: Candidate) -> str:
            if time.monotonic() > deadline:
                return "not run"
            copy = copies.get()
            try:
                return _outcome(copy, candidate, limits[candidate.area])
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(workers) as executor:
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


def _time_limit(copies: SimpleQueue[Path], area: Area) -> float:
    copy = copies.get()
    try:
        start = time.monotonic()
        done = _pytest(copy, area, None)
        if done.returncode != PASSED:
            raise RuntimeError(f"{area.name}: the tests fail on unchanged code\n{done.stdout}{done.stderr}")
        return max(MIN_TIME_LIMIT, TIME_LIMIT_FACTOR * (time.monotonic() - start))
    finally:
        copies.put(copy)


def _outcome(copy: Path, candidate: Candidate, time_limit: float) -> str:
    file = copy / candidate.path
    original = file.read_bytes()
    _write(file, candidate.mutant.apply(original))
    try:
        done = _pytest(copy, candidate.area, time_limit)
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


def _pytest(copy: Path, area: Area, time_limit: float | None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=short", *area.test_paths()]
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

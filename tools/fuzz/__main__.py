"""`python -m tools.fuzz --minutes N`: fuzz every target in turn with atheris.

New inputs that reach more code are kept in `build/fuzz/TARGET`, beside the small corpus of `tests/fuzz/corpus`. An
input that fails is written to `tests/fuzz/failures/TARGET-HASH`, where it is a test from then on.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path

from tools.fuzz.coverage import measure
from tools.fuzz.targets import BASE_SECONDS, TARGETS, Target

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
FAILURES = ROOT / "tests" / "fuzz" / "failures"
WORK = ROOT / "build" / "fuzz"
MAX_BYTES = 16_384
TIMEOUT_SECONDS = 20
MEMORY_MEBIBYTES = 2_048


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10, help="for all targets together")
    parser.add_argument("--target", choices=TARGETS, action="append", help="default: all")
    parser.add_argument("--child", choices=TARGETS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, default=FAILURES, help="where failing inputs are written")
    options, rest = parser.parse_known_args()
    if options.child:
        _fuzz(TARGETS[options.child], rest)
        return
    names = options.target or list(TARGETS)
    failed = [
        name for name in names if not _run(name, max(5, round(options.minutes * 60 / len(names))), options.folder)
    ]
    if failed:
        raise SystemExit(f"failing inputs of {', '.join(failed)} are in {options.folder}")


def _run(name: str, seconds: int, failures: Path) -> bool:
    """Fuzz one target in a process of its own, print its result and return whether no input failed."""
    work, artifacts = WORK / name, WORK / f"{name}-artifacts"
    for folder in (work, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={seconds}", f"-max_len={MAX_BYTES}", f"-timeout={TIMEOUT_SECONDS}"]
    limits += [f"-rss_limit_mb={MEMORY_MEBIBYTES}", f"-artifact_prefix={artifacts}/", "-print_final_stats=1"]
    command = [sys.executable, "-m", "tools.fuzz", "--child", name, *limits, str(work), str(CORPUS / name)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603
    (WORK / f"{name}.log").write_text(ended.stderr + ended.stdout, "utf-8")
    found = [_keep(file, name, failures) for file in sorted(artifacts.iterdir())]
    executions = next((line.split()[-1] for line in ended.stderr.splitlines() if "number_of_executed" in line), "?")
    target = TARGETS[name]
    inputs = [file.read_bytes() for folder in (CORPUS / name, work) for file in sorted(folder.iterdir())]

    def repeat() -> None:
        for data in inputs:
            target.run(data)

    coverage = None if found else measure(repeat, target.modules)
    reached = f"{coverage.reached}/{coverage.lines} lines ({coverage.percent} %)" if coverage else "-"
    state = "ok" if ended.returncode == 0 and not found else f"FAILED, {len(found)} inputs"
    print(f"{name:14} {executions:>10} executions  {reached:>24}  {len(inputs):5} inputs  {state}", flush=True)
    return ended.returncode == 0 and not found


def _keep(artifact: Path, name: str, failures: Path) -> Path:
    failures.mkdir(parents=True, exist_ok=True)
    kept = failures / f"{name}-{sha256(artifact.read_bytes()).hexdigest()[:16]}"
    shutil.move(artifact, kept)
    return kept


def _fuzz(target: Target, arguments: list[str]) -> None:
    import atheris

    os.environ.setdefault("TIMBRA_NATIVE", "0")
    for module in target.modules:
        for function in vars(import_module(module)).values():
            if getattr(function, "__module__", "") == module and hasattr(function, "__code__"):
                atheris.instrument_func(function)
            elif isinstance(function, type) and function.__module__ == module:
                _instrument_methods(function)
    atheris.Setup([sys.argv[0], *arguments], partial(run_in_time, target))
    atheris.Fuzz()


def run_in_time(target: Target, data: bytes) -> None:
    """Run an input; RuntimeError when it took more processor time than its size allows, the best of two runs.

    The first run of a process prepares schemas and caches.
    """
    most = BASE_SECONDS + len(data) * target.microseconds_per_byte / 1e6
    for _ in range(2):
        begun = time.process_time()
        target.run(data)
        spent = time.process_time() - begun
        if spent <= most:
            return
    raise RuntimeError(f"{len(data)} bytes took {spent:.1f} s, more than {most:.1f} s")


def _instrument_methods(owner: type) -> None:
    import atheris

    for member in vars(owner).values():
        function = getattr(member, "__func__", getattr(member, "fget", member))
        if hasattr(function, "__code__"):
            atheris.instrument_func(function)


if __name__ == "__main__":
    main()

"""Forked programs of the tests run as in an interpreter of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.support.forked_program import ForkedProgram, run, start

SHOWS_ITSELF = """
import atexit, json, os, signal, sys, threading, time
atexit.register(print, "atexit", file=sys.stderr)
threading.Thread(target=lambda: (time.sleep(0.05), print("thread", file=sys.stderr))).start()
main = sys.modules["__main__"]
print(json.dumps({
    "arguments": sys.argv, "folder": os.getcwd(), "path": sys.path[0], "environment": dict(os.environ),
    "module": [__name__, main.__spec__.name, main.__dict__ is globals()], "session": os.getsid(0), "nice": os.nice(0),
    "input": sys.stdin.read(), "terminals": [file.isatty() for file in (sys.stdin, sys.stdout, sys.stderr)],
    "buffered": [sys.stdout.line_buffering, sys.stderr.line_buffering], "encoding": sys.stdout.encoding,
    "handlers": [str(signal.getsignal(number)) for number in sorted(signal.valid_signals())],
    "blocked": str(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:-1],
}))
sys.exit(int(sys.argv[1]))
"""
SHOWS_IMPORTS = "import sys; print('timbra.app.api_factory' in sys.modules)"
WAITS = "import signal; print('ready', flush=True); signal.pause()"
FAILS = "raise LookupError('no such thing')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIMBRA_OF_A_TEST", "ñ")
    for name, text in {"shows": SHOWS_ITSELF, "imports": SHOWS_IMPORTS, "waits": WAITS, "fails": FAILS}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "input").write_text("what the program reads")
    return tmp_path


def outcome(module: str, *arguments: str, fresh: bool) -> tuple[int, str, str]:
    with open("input") as given:
        done = run(module, *arguments, stdin=given, fresh=fresh)
    return done.returncode, done.stdout, done.stderr


def test_start_gives_a_forked_program_what_an_interpreter_has(folder: Path) -> None:
    code, printed, errors = outcome("shows", "3", "--option", fresh=False)
    shown = json.loads(printed)
    assert (code, errors) == (3, "thread\natexit\n")
    assert (shown["input"], shown["environment"]["TIMBRA_OF_A_TEST"]) == ("what the program reads", "ñ")
    code, printed, errors = outcome("shows", "3", "--option", fresh=True)
    fresh = json.loads(printed)
    assert (code, errors) == (3, "thread\natexit\n")
    assert {name: (value, fresh[name]) for name, value in shown.items() if value != fresh[name]} == {}
    assert shown.keys() == fresh.keys()


def test_start_forks_from_a_process_that_has_imported_timbra(folder: Path) -> None:
    assert outcome("imports", fresh=False) == (0, "True\n", "")
    assert outcome("imports", fresh=True) == (0, "False\n", "")


@pytest.mark.parametrize(("name", "imported"), [("TIMBRA_LOG_LEVEL", "True"), ("TIMBRA_NATIVE", "False")])
def test_start_starts_an_interpreter_when_a_variable_is_read_at_its_start(
    folder: Path, name: str, imported: str
) -> None:
    done = run("imports", environment={**os.environ, name: "0"})
    assert done.stdout == f"{imported}\n"


def test_forked_program_reports_the_error_that_ends_it(folder: Path) -> None:
    code, printed, errors = outcome("fails", fresh=False)
    assert (code, printed) == (1, "")
    assert errors.splitlines()[-1] == "LookupError: no such thing"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_forked_program_gets_signals_and_reports_the_one_that_ended_it(folder: Path, number: signal.Signals) -> None:
    with start("waits", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        assert program.stdout
        assert program.stdout.readline() == "ready\n"
        assert program.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            program.wait(0.01)
        program.send_signal(number)
        assert program.wait(30) == -number
        program.kill()  # after the end, without effect
        assert program.poll() == -number


def test_process_that_forks_has_one_thread(folder: Path) -> None:
    with start("waits", stdout=subprocess.PIPE) as program:
        assert isinstance(program, ForkedProgram)
        forking = parent(parent(program.pid))
        assert len(os.listdir(f"/proc/{forking}/task")) == 1
        program.kill()


def parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])

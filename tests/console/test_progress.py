"""Progress bars on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from timbra.console.progress import print_line, track

PROGRAM = """
from timbra.console.progress import print_line, track
for number in track(range(3), 3, "counting"):
    print_line(f"line {number}")
    print_line(f"error {number}", err=True)
"""


def test_track_shows_a_bar_on_the_terminal_and_leaves_redirected_output_complete() -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-c", PROGRAM]
    environment = {**os.environ, "TERM": "xterm"}
    finished = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=environment, check=True, text=True)
    shown = os.read(controller, 65536).decode()
    os.close(controller)
    os.close(terminal)
    assert finished.stdout == "line 0\nline 1\nline 2\n"
    assert "counting" in shown
    assert "error 2" in shown


def test_track_shows_no_bar_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    for number in track(range(2), 2, "counting"):
        print_line(str(number))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("0\n1\n", "")

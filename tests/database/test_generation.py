"""The file by which processes of a node notify each other of changes."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from timbra.database.generation import SIZE, Generation

ADVANCE = (
    "import sys; from pathlib import Path; from timbra.database.generation import Generation\n"
    "generation = Generation(Path(sys.argv[1]))\n"
    "for _ in range(200): generation.advance()\n"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "generation"


def test_generation_changes_for_others_when_one_advances_it(path: Path) -> None:
    one, other = Generation(path), Generation(path)
    seen = {other.cell[0]}
    for _ in range(100):
        one.advance()
        assert one.cell[0] == other.cell[0]
        seen.add(other.cell[0])
    assert len(seen) == 101


def test_generation_is_unchanged_without_an_advance(path: Path) -> None:
    generation = Generation(path)
    first = generation.cell[0]
    assert Generation(path).cell[0] == first
    generation.refresh()
    assert generation.cell[0] == first


def test_generation_is_its_owners_alone(path: Path) -> None:
    Generation(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_size == SIZE


def test_generation_follows_other_processes(path: Path) -> None:
    generation = Generation(path)
    before = generation.cell[0]
    processes = [subprocess.Popen([sys.executable, "-c", ADVANCE, str(path)]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0] * 3
    assert generation.cell[0] != before
    assert generation.cell[0] == Generation(path).cell[0]


@pytest.mark.parametrize("content", [b"", b"short"])
def test_generation_completes_a_file_that_is_too_short(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    one, other = Generation(path), Generation(path)
    one.advance()
    assert one.cell[0] == other.cell[0] != 0


def test_generation_completes_a_file_that_was_truncated_meanwhile(path: Path) -> None:
    one, other = Generation(path), Generation(path)
    os.truncate(path, 0)
    one.refresh()
    other.refresh()
    before = other.cell[0]
    one.advance()
    assert one.cell[0] == other.cell[0] != before


@pytest.mark.parametrize("replaced", [False, True])
def test_generation_is_mapped_again_when_the_file_is_gone(path: Path, replaced: bool) -> None:
    one, other = Generation(path), Generation(path)
    path.unlink()
    if replaced:
        path.write_bytes(bytes(SIZE))
    one.advance()
    other.refresh()
    before = other.cell[0]
    one.advance()
    assert other.cell[0] != before


def test_generation_that_cannot_be_made_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "missing" / "generation"
    with caplog.at_level(logging.WARNING):
        generation = Generation(path)
        generation.refresh()
        generation.advance()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    path.parent.mkdir()
    generation.refresh()
    before = generation.cell[0]
    Generation(path).advance()
    assert generation.cell[0] != before


def test_generation_without_a_path_never_changes() -> None:
    generation = Generation(None)
    before = generation.cell[0]
    generation.advance()
    generation.refresh()
    assert generation.cell[0] == before

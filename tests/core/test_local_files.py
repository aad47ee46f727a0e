"""Local files: contents with a limit of size, and suffixes of names."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

from timbra.core.local_files import read_at_most, suffix_of_name


@pytest.mark.parametrize(("size", "limit", "expected"), [(0, 10, 0), (9, 10, 9), (10, 10, 10), (11, 10, 10), (5, 0, 0)])
def test_read_at_most_limits_the_size(size: int, limit: int, expected: int, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(b"x" * size)

    assert read_at_most(str(tmp_path / "a.xml"), limit) == b"x" * expected


def test_read_at_most_reads_a_pipe_to_its_end(tmp_path: Path) -> None:
    pipe, content = tmp_path / "pipe", os.urandom(300_000)
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    found = read_at_most(str(pipe), 1_000_000)
    writer.join()

    assert found == content


def test_read_at_most_raises_for_a_folder(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_at_most(str(tmp_path), 10)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.xml", ".xml"),
        ("a.XML", ".xml"),
        (".xml", ""),
        ("a.", ""),
        ("a", ""),
        ("a.b.Zip", ".zip"),
        ("..xml", ".xml"),
        ("..", ""),
        ("a..xml", ".xml"),
        ("a. xml", ". xml"),
        ("", ""),
    ],
)
def test_suffix_of_name_is_that_of_a_path(name: str, suffix: str) -> None:
    """As Python 3.11 has it; a name that ends with a point has the suffix "." since 3.14."""
    assert suffix_of_name(name) == suffix

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.core.errors import ServiceError
from timbra.lists.sources.part_file import PIECE, PartFile


def read(path: Path, largest: int = 2**40) -> bytes:
    return b"".join(PartFile(path, max_bytes=largest))


def rejection(path: Path, largest: int = 2**40) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        read(path, largest)
    assert caught.value.code == "list-unreadable"
    assert caught.value.detail is not None
    assert path.name in caught.value.detail
    return caught.value


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, 3 * PIECE + 7])
def test_part_file_decompresses_and_reports_progress(tmp_path: Path, size: int) -> None:
    data = hashlib.shake_128(b"noise").digest(size)
    path = tmp_path / "part"
    path.write_bytes(gzip.compress(data))
    progress: list[int] = []
    part = PartFile(path, progress.append)
    assert b"".join(part) == data
    assert sum(progress) == path.stat().st_size
    assert part.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("filling", [b"", b"\0" * 10, b"\0" * (PIECE + 10)])
def test_part_file_reads_members_and_ignores_trailing_zeros(tmp_path: Path, filling: bytes) -> None:
    path = tmp_path / "part"
    path.write_bytes(gzip.compress(b"one") + gzip.compress(b"two") + filling)
    assert read(path) == b"onetwo"


def test_part_file_returns_uncompressed_files_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b"\x30\x80" + b"x" * PIECE)
    assert read(path) == path.read_bytes()


def test_part_file_stops_a_decompression_bomb_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "part"
    squeeze = zlib.compressobj(9, wbits=31)
    path.write_bytes(b"".join(squeeze.compress(bytes(2**20)) for _ in range(64)) + squeeze.flush())
    lengths: list[int] = []
    with pytest.raises(ServiceError, match="33554432"):
        lengths.extend(len(piece) for piece in PartFile(path, max_bytes=2**25))
    assert sum(lengths) <= 2**25
    assert max(lengths) <= PIECE


@pytest.mark.parametrize("size", [1, 10, 17, 20])
def test_part_file_rejects_a_truncated_file(tmp_path: Path, size: int) -> None:
    path = tmp_path / "part"
    path.write_bytes(gzip.compress(b"some content")[:-size])
    assert "incompleto" in str(rejection(path))


def test_part_file_rejects_a_missing_file(tmp_path: Path) -> None:
    rejection(tmp_path / "part")
    rejection(tmp_path)


@given(st.data())
def test_part_file_detects_a_changed_byte(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """The checksum of gzip covers everything but its header."""
    packed = bytearray(gzip.compress(b"RFC|SNCF|SUBCONTRATACION\r\n" * 20, mtime=0))
    place = data.draw(st.integers(10, len(packed) - 1))
    packed[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_bytes(packed)
    try:
        assert read(path) == b"RFC|SNCF|SUBCONTRATACION\r\n" * 20
    except ServiceError as rejected:
        assert rejected.code == "list-unreadable"  # noqa: PT017

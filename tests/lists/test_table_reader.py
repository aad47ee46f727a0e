from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timbra.core.errors import ServiceError
from timbra.lists.packed import table_writer
from timbra.lists.packed.table_reader import PackedList
from timbra.lists.packed.table_writer import Merge, Spools, joined, last_wins, spool_rows, write_packed

KEYS = st.from_regex(r"[A-Z&Ñ]{1,4}[0-9]{0,6}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)


def pack(folder: Path, rows: list[tuple[str, str]], merge: Merge = last_wins) -> PackedList:
    spool_folder = folder / "spools"
    spool_folder.mkdir(exist_ok=True)
    with Spools(spool_folder) as spools:
        for key, value in rows:
            spool_rows(spools, [(key.encode(), f"{key}|{value}\n".encode())])
        progress: list[int] = []
        keys = write_packed(folder / "list", spools, merge, {"kind": "test"}, lambda done, _: progress.append(done))
    assert progress == list(range(1, 257))
    packed = PackedList(folder / "list")
    assert packed.keys == keys
    assert packed.meta["kind"] == "test"
    assert packed.size == (folder / "list").stat().st_size
    return packed


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(KEYS, VALUES), max_size=60), others=st.lists(KEYS, max_size=20))
def test_get_agrees_with_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], others: list[str]
) -> None:
    packed = pack(tmp_path_factory.mktemp("packed"), rows)
    expected = dict(rows)
    assert packed.keys == len(expected)
    for key in (*expected, *others):
        found = packed.get(key.encode())
        assert (None if found is None else found.decode()) == expected.get(key)


@settings(max_examples=20)
@given(rows=st.lists(st.tuples(KEYS, VALUES.filter(lambda value: "|" not in value)), max_size=60))
def test_get_returns_joined_rows_in_order_of_arrival(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    packed = pack(tmp_path_factory.mktemp("packed"), rows, joined)
    for key in dict(rows):
        assert packed.get(key.encode()) == "".join(value for other, value in rows if other == key).encode()


def test_get_finds_rows_in_many_buckets(tmp_path: Path) -> None:
    rows = [(f"AAA{number:06}XX1", f"{number}") for number in range(30_000)]
    packed = pack(tmp_path, rows)
    assert all(packed.get(key.encode()) == value.encode() for key, value in rows)
    assert all(packed.get(f"AAB{number:06}XX1".encode()) is None for number in range(30_000))
    assert packed.meta["bits"] == 11


def test_get_does_not_match_inside_another_row(tmp_path: Path) -> None:
    packed = pack(tmp_path, [("AB", "x|CD|y"), ("ABC", "z")])
    assert packed.get(b"CD") is None
    assert packed.get(b"B") is None
    assert packed.get(b"A") is None
    assert packed.get(b"AB") == b"x|CD|y"


def test_get_reads_a_file_that_was_deleted(tmp_path: Path) -> None:
    packed = pack(tmp_path, [("AB", "x")])
    (tmp_path / "list").unlink()
    assert packed.get(b"AB") == b"x"


def rejection(path: Path) -> str:
    with pytest.raises(ServiceError) as caught:
        PackedList(path)
    return caught.value.code


def test_packed_list_rejects_an_incomplete_file(tmp_path: Path) -> None:
    pack(tmp_path, [(f"A{number}", "x") for number in range(100)])
    data = (tmp_path / "list").read_bytes()
    for size in (0, 1, 16, 100, len(data) // 2, len(data) - 1):
        (tmp_path / "cut").write_bytes(data[:size])
        assert rejection(tmp_path / "cut") == "list-damaged"
    (tmp_path / "cut").write_bytes(data[:100] + data[101:])
    assert rejection(tmp_path / "cut") == "list-damaged"
    with pytest.raises(FileNotFoundError):
        PackedList(tmp_path / "none")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("good")
    pack(folder, [("AB", "x"), ("CD", "y")])
    return (folder / "list").read_bytes()


@settings(max_examples=100)
@given(data=st.data())
def test_get_raises_only_service_errors_when_a_byte_changed(
    tmp_path_factory: pytest.TempPathFactory, good: bytes, data: st.DataObject
) -> None:
    changed = bytearray(good)
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "changed.list"
    path.write_bytes(changed)
    try:
        PackedList(path).get(b"AB")
    except ServiceError as rejected:
        assert rejected.code == "list-damaged"  # noqa: PT017


def test_write_packed_spools_rows_to_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_writer, "MAX_BUFFERED_ROWS", 100)
    rows = [(f"AAA{number:06}XX1", f"{number}") for number in range(2_050)]
    packed = pack(tmp_path, rows)
    assert any(path.stat().st_size == 0 for path in (tmp_path / "spools").iterdir())
    assert all(packed.get(key.encode()) == value.encode() for key, value in rows)
    assert packed.keys == len(rows)


def test_write_packed_merges_rows_across_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_writer, "MAX_BUFFERED_ROWS", 1)
    assert pack(tmp_path, [("A", "1"), ("A", "2")]).get(b"A") == b"2"
    assert pack(tmp_path, [("A", "1"), ("A", "2")], joined).get(b"A") == b"12"

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timbra.core.errors import ServiceError
from timbra.lists.packed.name_set import NameSet, spool_names, write_names
from timbra.lists.packed.table_writer import Spools


def written(folder: Path, names: list[str]) -> NameSet:
    (folder / "spools").mkdir()
    with Spools(folder / "spools") as spools:
        spool_names(spools, (name.encode() for name in names))
        write_names(folder / "set", spools)
    return NameSet(folder / "set")


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1)), st.lists(st.text()))
def test_name_set_contains_exactly_the_written_names(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], others: list[str]
) -> None:
    names = [name for name in names if name.isprintable()]
    found = written(tmp_path_factory.mktemp("names"), names)
    assert all(name in found for name in names)
    assert [other in found for other in others] == [other in set(names) for other in others]


def test_name_set_ignores_empty_names(tmp_path: Path) -> None:
    found = written(tmp_path, ["", "MUÑOZ"])
    assert "" not in found
    assert "MUÑOZ" in found
    assert "MUNOZ" not in found
    assert "\ud800" not in found


def test_write_names_stores_repeated_names_once(tmp_path: Path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    once.mkdir()
    twice.mkdir()
    assert written(once, ["A", "B"]).size == written(twice, ["A", "B", "A", "B"]).size


@pytest.mark.parametrize("data", [b"", b"x", b"timbra names ?\n\0" + bytes(8)])
def test_name_set_rejects_an_incomplete_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "set").write_bytes(data)
    with pytest.raises(ServiceError) as caught:
        NameSet(tmp_path / "set")
    assert caught.value.code == "list-damaged"


def test_name_set_rejects_a_truncated_file(tmp_path: Path) -> None:
    written(tmp_path, ["A", "B"])
    (tmp_path / "cut").write_bytes((tmp_path / "set").read_bytes()[:-1])
    with pytest.raises(ServiceError, match="completo"):
        NameSet(tmp_path / "cut")

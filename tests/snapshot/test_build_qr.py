from __future__ import annotations

from functools import reduce
from itertools import product
from operator import xor
from pathlib import Path

import pytest
import segno

from timbra.snapshot.build.qr import MASK, _correction, _generator, _times, write_tables
from timbra.snapshot.picture import CAPACITY, QUIET, header_digits, length, size, width


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[int, bytes]:
    folder = tmp_path_factory.mktemp("snapshot")
    write_tables(folder)
    assert {file.name for file in (folder / "qr").iterdir()} == {f"{version}.bin" for version in CAPACITY}
    return {version: (folder / f"qr/{version}.bin").read_bytes() for version in CAPACITY}


def _codewords(version: int) -> int:
    return CAPACITY[version] + header_digits(version) // 2 + 1


@pytest.mark.parametrize("version", CAPACITY)
def test_there_is_one_pattern_for_every_data_bit(tables: dict[int, bytes], version: int) -> None:
    assert len(tables[version]) == length(version) * (1 + 8 * _codewords(version))


@pytest.mark.parametrize("version", CAPACITY)
def test_patterns_touch_data_modules_alone(tables: dict[int, bytes], version: int) -> None:
    patterns = [
        int.from_bytes(tables[version][start : start + length(version)])
        for start in range(length(version), len(tables[version]), length(version))
    ]
    touched = reduce(lambda left, right: left | right, patterns)
    rows = [touched >> (size(version) - 1 - row) * width(version) for row in range(size(version))]
    padding = (size(version) + 2 * QUIET) % 2
    edge = (1 << QUIET + padding) - 1

    assert len(set(patterns)) == len(patterns)
    for row in (bits & (1 << width(version)) - 1 for bits in rows):
        assert row & edge == 0
        assert row >> width(version) - 2 - QUIET == 0


@pytest.mark.parametrize("version", CAPACITY)
def test_the_first_entry_and_the_patterns_make_segno_s_matrix(tables: dict[int, bytes], version: int) -> None:
    table, step = tables[version], length(version)
    text = ("https://example.org/" * 13)[: CAPACITY[version]]
    bits = f"0100{len(text):0{4 * header_digits(version) - 4}b}" + "".join(f"{byte:08b}" for byte in text.encode())
    chosen = [index + 1 for index, bit in enumerate(bits) if bit == "1"]
    picture = reduce(xor, (int.from_bytes(table[index * step : (index + 1) * step]) for index in (0, *chosen)))
    code = segno.make(text, version=version, error="m", mask=MASK, mode="byte", boost_error=False, micro=False)

    place = size(version) * width(version) - 3 - QUIET
    side = range(size(version))
    drawn = [[1 - (picture >> place - row * width(version) - column & 1) for column in side] for row in side]

    assert drawn == [[int(module) for module in line] for line in code.matrix]


def test_building_twice_gives_the_same_bytes(tables: dict[int, bytes], tmp_path: Path) -> None:
    write_tables(tmp_path)

    assert {version: (tmp_path / f"qr/{version}.bin").read_bytes() for version in CAPACITY} == tables


def test_the_field_is_that_of_the_norm() -> None:
    assert _times(0x80, 2) == 0x1D
    for left, right in product((0, 1, 2, 77, 255), repeat=2):
        assert _times(left, right) == _times(right, left)
        assert _times(left, right ^ 3) == _times(left, right) ^ _times(left, 3)
    powers = [1]
    while (after := _times(powers[-1], 2)) != 1:
        powers.append(after)
    assert len(powers) == 255


@pytest.mark.parametrize("degree", [22, 26, 30])
def test_a_message_with_its_correction_vanishes_at_every_root(degree: int) -> None:
    data = [(7 * index + 3) % 256 for index in range(40)]
    message = data + _correction(data, degree)

    assert len(_generator(degree)) == degree
    root = 1
    for _ in range(degree):
        value = 0
        for codeword in message:
            value = _times(value, root) ^ codeword
        assert value == 0
        root = _times(root, 2)

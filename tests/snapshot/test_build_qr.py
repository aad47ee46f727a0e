from __future__ import annotations

from functools import reduce
from itertools import product
from operator import xor
from pathlib import Path

import pytest
import segno

from timbra.snapshot.build.qr import MASK, _correction, _generator, _times, write_tables
from timbra.snapshot.qr_tables import CAPACITY, header_digits, module_count, pattern_bytes, row_bits

QUIET_ZONE = 4


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[int, bytes]:
    folder = tmp_path_factory.mktemp("snapshot")
    write_tables(folder)
    assert {file.name for file in (folder / "qr").iterdir()} == {f"{version}.bin" for version in CAPACITY}
    return {version: (folder / f"qr/{version}.bin").read_bytes() for version in CAPACITY}


def _codewords(version: int) -> int:
    return CAPACITY[version] + header_digits(version) // 2 + 1


@pytest.mark.parametrize("version", CAPACITY)
def test_table_has_one_pattern_per_data_bit(tables: dict[int, bytes], version: int) -> None:
    assert len(tables[version]) == pattern_bytes(version) * (1 + 8 * _codewords(version))


@pytest.mark.parametrize("version", CAPACITY)
def test_patterns_touch_only_data_modules(tables: dict[int, bytes], version: int) -> None:
    patterns = [
        int.from_bytes(tables[version][start : start + pattern_bytes(version)])
        for start in range(pattern_bytes(version), len(tables[version]), pattern_bytes(version))
    ]
    touched = reduce(lambda left, right: left | right, patterns)
    rows = [touched >> (module_count(version) - 1 - row) * row_bits(version) for row in range(module_count(version))]
    padding = (module_count(version) + 2 * QUIET_ZONE) % 2
    edge = (1 << QUIET_ZONE + padding) - 1

    assert len(set(patterns)) == len(patterns)
    for row in (bits & (1 << row_bits(version)) - 1 for bits in rows):
        assert row & edge == 0
        assert row >> row_bits(version) - 2 - QUIET_ZONE == 0


@pytest.mark.parametrize("version", CAPACITY)
def test_patterns_compose_the_matrix_of_segno(tables: dict[int, bytes], version: int) -> None:
    table, step = tables[version], pattern_bytes(version)
    text = ("https://example.org/" * 13)[: CAPACITY[version]]
    bits = f"0100{len(text):0{4 * header_digits(version) - 4}b}" + "".join(f"{byte:08b}" for byte in text.encode())
    chosen = [index + 1 for index, bit in enumerate(bits) if bit == "1"]
    picture = reduce(xor, (int.from_bytes(table[index * step : (index + 1) * step]) for index in (0, *chosen)))
    code = segno.make(text, version=version, error="m", mask=MASK, mode="byte", boost_error=False, micro=False)

    place = module_count(version) * row_bits(version) - 3 - QUIET_ZONE
    side = range(module_count(version))
    drawn = [[1 - (picture >> place - row * row_bits(version) - column & 1) for column in side] for row in side]

    assert drawn == [[int(module) for module in line] for line in code.matrix]


def test_write_tables_is_reproducible(tables: dict[int, bytes], tmp_path: Path) -> None:
    write_tables(tmp_path)

    assert {version: (tmp_path / f"qr/{version}.bin").read_bytes() for version in CAPACITY} == tables


def test_galois_field_follows_the_standard() -> None:
    assert _times(0x80, 2) == 0x1D
    for left, right in product((0, 1, 2, 77, 255), repeat=2):
        assert _times(left, right) == _times(right, left)
        assert _times(left, right ^ 3) == _times(left, right) ^ _times(left, 3)
    powers = [1]
    while (after := _times(powers[-1], 2)) != 1:
        powers.append(after)
    assert len(powers) == 255


@pytest.mark.parametrize("degree", [22, 26, 30])
def test_error_correction_has_every_root_of_the_generator(degree: int) -> None:
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

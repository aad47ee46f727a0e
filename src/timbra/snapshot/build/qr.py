"""Generation of the tables of `timbra.snapshot.qr_tables`.

`segno` draws one matrix of each version, from which everything constant (finders, timing, format, mask) is derived.

Source: ISO/IEC 18004 for the blocks, the error correction and the order of the modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, reduce
from itertools import chain, product, zip_longest
from operator import xor
from pathlib import Path
from typing import Any

import segno
from segno import consts

from timbra.core.bounds import Bound, BoundKind
from timbra.snapshot.qr_tables import CAPACITY, QUIET_ZONE, header_digits, module_count, pattern_bytes, row_bits

MASK = 2


def write_tables(destination: Path) -> None:
    """Write `destination/qr/VERSION.bin` for every version."""
    folder = destination / "qr"
    folder.mkdir(parents=True, exist_ok=True)
    for version in CAPACITY:
        (folder / f"{version}.bin").write_bytes(_table(version))


def _table(version: int) -> bytes:
    patterns = [_picture(modules, version) for modules in _patterns(version)]
    text, codewords = _sample(version)
    bits = (codeword >> place & 1 for codeword in codewords for place in range(7, -1, -1))
    spread = reduce(xor, (pattern for pattern, bit in zip(patterns, bits, strict=True) if bit))
    code = segno.make(text, version=version, error="m", mask=MASK, mode="byte", boost_error=False, micro=False)
    dark = [(row, column) for row, line in enumerate(code.matrix) for column, module in enumerate(line) if module]
    blank = _picture(dark, version) ^ _light(version) ^ spread
    return b"".join(pattern.to_bytes(pattern_bytes(version)) for pattern in (blank, *patterns))


def _sample(version: int) -> tuple[str, list[int]]:
    """Return a text that fills the version, and its data codewords."""
    text = "A" * CAPACITY[version]
    count_bits = 4 * header_digits(version) - 4
    message = (0b0100 << count_bits | len(text)) << 8 * len(text) | int.from_bytes(text.encode())
    return text, list((message << 4).to_bytes(len(text) + header_digits(version) // 2 + 1))


def _patterns(version: int) -> Iterator[list[tuple[int, int]]]:
    """Yield, for every data bit in order, the modules that it inverts."""
    blocks = _blocks(version)
    modules = list(_data_modules(version))
    for block, (_, count) in enumerate(blocks):
        for position in range(count):
            for value in (0x80, 0x40, 0x20, 0x10, 8, 4, 2, 1):
                yield _turned(_codewords(version, block, position, value), modules)


def _turned(codewords: Sequence[int], modules: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    filled = ((8 * place + 7, codeword) for place, codeword in enumerate(codewords) if codeword)
    return [modules[last - place] for last, codeword in filled for place in range(8) if codeword >> place & 1]


def _blocks(version: int) -> list[tuple[int, int]]:
    """Return the numbers of all codewords and of data codewords of every block, level M."""
    groups: Any = consts.ECC
    level_m = groups[version][consts.ERROR_LEVEL_M]
    return [(group.num_total, group.num_data) for group in level_m for _ in range(group.num_blocks)]


def _codewords(version: int, block: int, position: int, value: int) -> list[int]:
    """Return the interleaved codewords of a message with a single codeword that is not zero."""
    data, correction = [], []
    for index, (total, count) in enumerate(_blocks(version)):
        codewords = [0] * count
        if index == block:
            codewords[position] = value
        data.append(codewords)
        correction.append(_correction(codewords, total - count))
    return [*_interleaved(data), *_interleaved(correction)]


def _interleaved(blocks: list[list[int]]) -> Iterator[int]:
    return (codeword for column in zip_longest(*blocks) for codeword in column if codeword is not None)


def _correction(data: Sequence[int], count: int) -> list[int]:
    """Return the Reed-Solomon remainder of the data, `count` codewords."""
    remainder = [0] * count
    if any(data):
        divisor = _generator(count)
        for codeword in data:
            factor = codeword ^ remainder.pop(0)
            remainder.append(0)
            remainder = [old ^ _times(coefficient, factor) for old, coefficient in zip(remainder, divisor, strict=True)]
    return remainder


@cache
def _generator(degree: int) -> list[int]:
    """Return the coefficients of the product of (x - 2^i) for i below the degree, without the leading 1."""
    coefficients = [0] * (degree - 1) + [1]
    root = 1
    for _ in range(degree):
        shifted = [*coefficients[1:], 0]
        coefficients = [_times(now, root) ^ after for now, after in zip(coefficients, shifted, strict=True)]
        root = _times(root, 2)
    return coefficients


@cache
def _times(left: int, right: int) -> int:
    """Multiply in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1."""
    result = 0
    while right:
        if right & 1:
            result ^= left
        left = left << 1 ^ (0x11D if left & 0x80 else 0)
        right >>= 1
    return result


def _data_modules(version: int) -> Iterator[tuple[int, int]]:
    """Yield row and column of the modules for data, in the order of the bits."""
    last = module_count(version) - 1
    taken = _function_modules(version)
    upwards = True
    for right in chain(range(last, 6, -2), range(5, 0, -2)):
        for row in range(last, -1, -1) if upwards else range(last + 1):
            yield from ((row, column) for column in (right, right - 1) if (row, column) not in taken)
        upwards = not upwards


def _function_modules(version: int) -> set[tuple[int, int]]:
    """Return the modules of finders with format, timing, alignment and version information."""
    side = module_count(version)
    corners = ((range(9), range(9)), (range(9), range(side - 8, side)), (range(side - 8, side), range(9)))
    versions = ((range(6), range(side - 11, side - 8)), (range(side - 11, side - 8), range(6)))
    taken = {(row, column) for rows, columns in corners + versions for row in rows for column in columns}
    taken |= {(6, place) for place in range(side)} | {(place, 6) for place in range(side)}
    for center in product(consts.ALIGNMENT_POS[version - 2], repeat=2):
        if center not in {(6, 6), (6, side - 7), (side - 7, 6)}:
            taken |= {(center[0] + row, center[1] + column) for row, column in product(range(-2, 3), repeat=2)}
    return taken


def _picture(modules: Sequence[tuple[int, int]], version: int) -> int:
    """Return an image in which the bits of these modules are set."""
    width = row_bits(version)
    first = module_count(version) * width - 3 - QUIET_ZONE
    return reduce(lambda bits, module: bits | 1 << first - module[0] * width - module[1], modules, 0)


def _light(version: int) -> int:
    """Return an image in which all modules and the quiet zones beside them are set."""
    modules = module_count(version) + 2 * QUIET_ZONE
    row = ((1 << modules) - 1) << modules % 2
    return reduce(lambda bits, _: bits << row_bits(version) | row, range(module_count(version)), 0)


BOUNDS = (
    Bound(
        "_generator",
        BoundKind.CACHE,
        "the elements of a field of 256, the degrees of a code",
        "There are no further values.",
    ),
    Bound(
        "_times",
        BoundKind.CACHE,
        "the elements of a field of 256, the degrees of a code",
        "There are no further values.",
    ),
)

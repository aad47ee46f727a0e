"""The packed files of the snapshot: sets of all-digit keys, tables of such keys, and postal codes with their columns.

A key set is a line of text with the widths of the key's parts ("8", or "4|5" for a neighborhood and its postal code)
followed by the keys, parts joined, as ascending little-endian 32-bit numbers.

A table is a line of JSON (widths, columns, number of keys, and the distinct rows of values), the keys as in a key set,
and one little-endian 16-bit number per key: that of its row, counted from 0.

Postal codes are a line of JSON (columns, and the distinct rows of their values) followed by 100,000 little-endian
16-bit numbers, one per code: 0 for a code that does not exist, else the number of its row, counted from 1.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

POSTAL_CODES = 100_000
KEY_BYTES = 4

TIME_ZONES = (
    "Tiempo del Centro",
    "Tiempo del Centro en Frontera",
    "Tiempo del Noroeste",
    "Tiempo del Pacífico",
    "Tiempo del Sureste",
)
"""The labels of time zones in c_CodigoPostal; the build fails for any other label."""


def key_number(key: str, widths: Sequence[int]) -> int | None:
    """Convert a key to its number.

    Args:
        key: such as "84111506", "0001|01000" with the key of its parent, or "48|3009|26" of three parts.
        widths: digits of each part.

    Returns:
        The number ("0001|01000" of widths 4 and 5 is 101000); None when the key has another form.
    """
    width = widths[0]
    if len(widths) > 1:
        parts = key.split("|")
        if [*map(len, parts)] != [*widths]:
            return None
        key, width = "".join(parts), sum(widths)
    return int(key) if len(key) == width and key.isdigit() and key.isascii() else None


def key_text(number: int, widths: Sequence[int]) -> str:
    """Return the key of a number; the inverse of `key_number`."""
    digits, parts = f"{number:0{sum(widths)}}", []
    for width in widths:
        parts.append(digits[:width])
        digits = digits[width:]
    return "|".join(parts)


def pack_keys(keys: Iterable[str], widths: Sequence[int]) -> bytes:
    """Pack a set of keys.

    Args:
        keys: the keys, in any order.
        widths: as for `key_number`.

    Raises:
        ValueError: a key has another form.
    """
    numbers = set()
    for key in keys:
        number = key_number(key, widths)
        if number is None:
            raise ValueError(f"not a key of widths {tuple(widths)}: {key!r}")
        numbers.add(number)
    return "|".join(map(str, widths)).encode() + b"\n" + _to_bytes("I", sorted(numbers))


def unpack_keys(data: bytes) -> tuple[tuple[int, ...], array[int]]:
    """Return widths and ascending numbers of a file of `pack_keys`."""
    header, _, body = data.partition(b"\n")
    return tuple(int(width) for width in header.split(b"|")), _from_bytes("I", body)


class TableRows(NamedTuple):
    """An unpacked table.

    Attributes:
        widths: digits of each part of a key.
        columns: names of the values of a row.
        rows: distinct rows.
        numbers: keys, ascending.
        places: for each key, the index of its row.
    """

    widths: tuple[int, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: array[int]
    places: array[int]


def pack_table(columns: Sequence[str], values: Mapping[str, Sequence[str]], widths: Sequence[int]) -> bytes:
    """Pack a table of all-digit keys.

    Args:
        columns: names of the columns after the key.
        values: values of the columns by key.
        widths: as for `key_number`.

    Raises:
        ValueError: a key has another form, or another number of values.
    """
    rows: dict[tuple[str, ...], int] = {}
    places: dict[int, int] = {}
    for key, row in values.items():
        number = key_number(key, widths)
        if number is None or len(row) != len(columns):
            raise ValueError(f"not a key of widths {tuple(widths)} with {len(columns)} columns: {key!r}")
        places[number] = rows.setdefault(tuple(row), len(rows))
    header = {"columns": [*columns], "count": len(places), "rows": [*rows], "widths": [*widths]}
    numbers = sorted(places)
    body = _to_bytes("I", numbers) + _to_bytes("H", (places[number] for number in numbers))
    return json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" + body


def unpack_table(data: bytes) -> TableRows:
    """Unpack a file of `pack_table`; ValueError when it is truncated."""
    line, _, body = data.partition(b"\n")
    header = json.loads(line)
    end = header["count"] * KEY_BYTES
    numbers, places = _from_bytes("I", body[:end]), _from_bytes("H", body[end:])
    if not len(numbers) == len(places) == header["count"]:
        raise ValueError(f"{len(numbers)} keys and {len(places)} places instead of {header['count']}")
    rows = tuple(tuple(map(sys.intern, row)) for row in header["rows"])
    return TableRows(tuple(header["widths"]), tuple(header["columns"]), rows, numbers, places)


class PostalRows(NamedTuple):
    """Unpacked postal codes.

    Attributes:
        columns: names of the values of a row.
        rows: distinct rows.
        numbers: row number from 1 for every code from 00000 to 99999; 0 for a code that does not exist.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: array[int]


def pack_postal_codes(columns: Sequence[str], codes: Mapping[str, Sequence[str]]) -> bytes:
    """Pack postal codes with the values of their columns.

    Raises:
        ValueError: a code is not five digits, or has another number of values.
    """
    numbers: dict[tuple[str, ...], int] = {}
    index = [0] * POSTAL_CODES
    for code in sorted(codes):
        number = key_number(code, (5,))
        values = tuple(codes[code])
        if number is None or len(values) != len(columns):
            raise ValueError(f"not a postal code with {len(columns)} columns: {code!r}")
        index[number] = numbers.setdefault(values, len(numbers) + 1)
    header = json.dumps({"columns": list(columns), "rows": list(numbers)}, ensure_ascii=False, separators=(",", ":"))
    return header.encode() + b"\n" + _to_bytes("H", index)


def unpack_postal_codes(data: bytes) -> PostalRows:
    """Unpack a file of `pack_postal_codes`; ValueError when it is truncated."""
    header, _, body = data.partition(b"\n")
    described = json.loads(header)
    rows = tuple(tuple(map(sys.intern, row)) for row in described["rows"])
    index = _from_bytes("H", body)
    if len(index) != POSTAL_CODES:
        raise ValueError(f"{len(index)} postal codes instead of {POSTAL_CODES}")
    return PostalRows(tuple(described["columns"]), rows, index)


def _to_bytes(kind: str, numbers: Iterable[int]) -> bytes:
    packed = array(kind, numbers)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def _from_bytes(kind: str, body: bytes) -> array[int]:
    packed: array[int] = array(kind)
    packed.frombytes(body)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed

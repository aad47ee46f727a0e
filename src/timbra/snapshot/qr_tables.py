"""The format of `qr/VERSION.bin`: patterns of a QR code of level M and mask 2, to be combined by XOR.

At a fixed version, level and mask a QR code is a linear code over GF(2): the matrix of a message is the matrix of the
all-zero message plus one pattern for every bit that is set, error correction included. The file has that matrix and
then the pattern of every bit of the data codewords, most significant first, all of one length.

A pattern is an image without the rows of the quiet zone above and below. Each row has two zero bits (the filter byte,
after each bit is scaled to four pixels), the quiet zone, the modules, the quiet zone, and a padding bit where the count
would be odd. Light is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

QUIET_ZONE = 4
CAPACITY: Mapping[int, int] = MappingProxyType({9: 180, 10: 213, 11: 251})
"""Version -> bytes of text at level M. The SAT's verification address has 154 to 234."""


def module_count(version: int) -> int:
    """Return the number of modules of a side."""
    return 17 + 4 * version


def row_bits(version: int) -> int:
    """Return the number of bits of an image row: an even number of half bytes after the scaling by four."""
    modules = module_count(version) + 2 * QUIET_ZONE
    return 2 + modules + modules % 2


def pattern_bytes(version: int) -> int:
    """Return the number of bytes of a pattern. If its rows do not fill whole bytes, the first bits are zero."""
    return -(-row_bits(version) * module_count(version) // 8)


def header_digits(version: int) -> int:
    """Return the number of half bytes before the text: the mode and the count of bytes."""
    return 5 if version >= 10 else 3

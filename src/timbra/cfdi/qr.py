"""The QR code of an invoice: the SAT's verification address, drawn as PNG.

The mask is fixed, which readers accept; drawing is then an XOR of precomputed patterns, see
`timbra.snapshot.qr_tables`.

Source: Anexo 20 of RMF, section "código de barras bidimensional": level M, the address with id, re, rr, tt and fe.
"""

from __future__ import annotations

import struct
import zlib
from decimal import Decimal
from functools import reduce
from itertools import chain, cycle, islice
from operator import getitem, xor
from urllib.parse import quote

from timbra.snapshot import Snapshot
from timbra.snapshot.qr_tables import CAPACITY, QUIET_ZONE, header_digits, module_count, pattern_bytes, row_bits

ADDRESS = "https://verificacfdi.facturaelectronica.sat.gob.mx/default.aspx"
SCALE = 4
_PREFIX = f"{ADDRESS}?id=".encode()
_PADDING = b"\xec\x11"
_VALUES = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


def printed_total(total: Decimal) -> str:
    """Format a total for the printed expression: no superfluous zeros, at least one decimal ("0.0", "14300.5")."""
    whole, _, decimals = format(total, "f").partition(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"


def verification_url(uuid: str, issuer_rfc: str, receiver_rfc: str, total: Decimal, seal: str) -> str:
    """Return the address at which the SAT shows the status of an invoice.

    Characters with a meaning in addresses are percent-encoded: & and Ñ of an RFC, + of the seal.

    Args:
        uuid: folio.
        issuer_rfc: RFC of the issuer.
        receiver_rfc: RFC of the receiver.
        total: Total of the invoice.
        seal: the issuer's Sello in base64; the address has its last 8 characters.
    """
    return (
        f"{ADDRESS}?id={uuid}&re={quote(issuer_rfc, safe='')}&rr={quote(receiver_rfc, safe='')}"
        f"&tt={printed_total(total)}&fe={quote(seal[-8:], safe='/=')}"
    )


class QrPainter:
    """Draws texts as QR codes from the tables of a snapshot; tables are read at first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._tables: dict[int, _Patterns] = {}

    def png(self, text: str) -> bytes:
        """Draw a QR code.

        Args:
            text: ASCII, at most 251 characters. Verification addresses are fastest, because of their constant prefix.

        Returns:
            PNG of one bit per pixel, 4 pixels per module, with the quiet zone.

        Raises:
            ValueError: the text is too long or not ASCII.
        """
        data = text.encode("ascii")
        version = next((version for version, room in CAPACITY.items() if len(data) <= room), None)
        if version is None:
            raise ValueError(f"a text of {len(data)} characters is too long for a QR code")
        patterns = self._patterns(version)
        return patterns.frame.png(patterns.picture(data))

    def _patterns(self, version: int) -> _Patterns:
        if version not in self._tables:
            self._tables[version] = _Patterns(version, self._snapshot.read(f"qr/{version}.bin"))
        return self._tables[version]


class _Patterns:
    """The patterns of one version. The sum of the constant prefix is computed once for every length of text."""

    def __init__(self, version: int, table: bytes) -> None:
        self.frame = _Frame(version)
        self._version = version
        self._table = table
        self._length = pattern_bytes(version)
        self._start = header_digits(version) + 2 * len(_PREFIX)
        self._rows = [self._row(4 * digit) for digit in range(self._start, self._end(CAPACITY[version]))]
        self._constant: dict[int, int] = {}

    def picture(self, data: bytes) -> int:
        if not data.startswith(_PREFIX):
            return self._sum(self._codewords(data))
        constant = self._constant.get(len(data))
        if constant is None:
            blank = _PREFIX + bytes(len(data) - len(_PREFIX))
            constant = self._constant[len(data)] = self._sum(self._codewords(blank))
        digits = data[len(_PREFIX) :].hex().encode().translate(_VALUES)
        return reduce(xor, map(getitem, self._rows, digits), constant)

    def _end(self, count: int) -> int:
        return header_digits(self._version) + 2 * count

    def _codewords(self, data: bytes) -> bytes:
        """Return mode (bytes), count, data, terminator and padding."""
        digits = header_digits(self._version)
        message = (0b0100 << 4 * digits - 4 | len(data)) << 8 * len(data) | int.from_bytes(data)
        written = (message << 4).to_bytes(len(data) + digits // 2 + 1)
        return written + bytes(islice(cycle(_PADDING), CAPACITY[self._version] - len(data)))

    def _sum(self, codewords: bytes) -> int:
        bits = chain.from_iterable((codeword >> place & 1 for place in range(7, -1, -1)) for codeword in codewords)
        patterns = (self._pattern(index) for index, bit in enumerate(bits) if bit)
        return reduce(xor, patterns, int.from_bytes(self._table[: self._length]))

    def _pattern(self, bit: int) -> int:
        start = (bit + 1) * self._length
        return int.from_bytes(self._table[start : start + self._length])

    def _row(self, first: int) -> list[int]:
        """Return the sums of four consecutive patterns, by the half byte that selects them."""
        row = [0]
        for bit in range(first + 3, first - 1, -1):
            pattern = self._pattern(bit)
            row += [pattern ^ other for other in row]
        return row


class _Frame:
    """The constant parts of the PNG files of one version."""

    def __init__(self, version: int) -> None:
        rows, self._row_bytes = module_count(version), row_bits(version) // 2
        side = SCALE * (rows + 2 * QUIET_ZONE)
        same_as_above = b"\2" + bytes(self._row_bytes - 1)
        light = b"\0" + b"\xff" * (self._row_bytes - 1)
        self._digits = f"0{row_bits(version) * rows}b"
        self._repeated = same_as_above * (SCALE - 1)
        self._top = light + same_as_above * (SCALE * QUIET_ZONE - 1)
        self._bottom = self._repeated + self._top
        self._starts = range(0, self._row_bytes * rows, self._row_bytes)
        self._head = b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0))

    def png(self, picture: int) -> bytes:
        """Return the file: every row of modules once, then SCALE - 1 copies by the PNG filter "up"."""
        pixels = bytes.fromhex(format(picture, self._digits).replace("1", "f"))
        lines = self._repeated.join([pixels[start : start + self._row_bytes] for start in self._starts])
        content = zlib.compress(self._top + lines + self._bottom, 1)
        return self._head + _chunk(b"IDAT", content) + _END


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


_END = _chunk(b"IEND", b"")

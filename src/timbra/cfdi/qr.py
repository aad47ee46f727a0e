"""The QR code of an invoice: the SAT's verification address, drawn as PNG.

The mask is fixed, which readers accept. Without native code drawing is then an XOR of precomputed patterns, see
`timbra.snapshot.qr_tables`.

Source: Anexo 20 of RMF, section "código de barras bidimensional": level M, the address with id, re, rr, tt and fe.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from itertools import chain, cycle, islice
from operator import getitem, xor
from urllib.parse import quote

from timbra._native import qr_png
from timbra.core.bounded_dict import BoundedDict
from timbra.core.bounds import Bound, BoundKind
from timbra.snapshot import Snapshot
from timbra.snapshot.qr_tables import CAPACITY, QUIET_ZONE, header_digits, module_count, pattern_bytes, row_bits

PAGE = "/default.aspx"
"""Path of the page, at the SAT and at the page of the sandbox."""
ADDRESS = f"https://verificacfdi.facturaelectronica.sat.gob.mx{PAGE}"
"""Address of the SAT's page."""
RETENCIONES_ADDRESS = "https://prodretencionverificacion.clouda.sat.gob.mx/"
"""Address of the SAT's page for retenciones."""
RETENCIONES_PAGE = "/Home/ConsultaRetencion"
"""Path of what that page shows; the page of the sandbox has it for the QR code too."""
MAX_CONTENT = max(CAPACITY.values())
"""Characters that a QR code holds."""
SCALE = 4
MAX_CONSTANTS = 256
"""Sums of prefixes that are kept; an address has one for each length of its queries."""
MAX_PREFIX_LENGTHS = 4
"""Lengths of prefixes whose rows are kept: some hundred KiB each."""
_QUERY = b"?id="
_PADDING = b"\xec\x11"
_VALUES = bytes.maketrans(b"0123456789abcdef", bytes(range(16)))


@dataclass(frozen=True, slots=True)
class VerificationQuery:
    """The query, with its question mark, for which a page of the SAT shows the status of a document."""

    text: str
    is_retencion: bool


@dataclass(frozen=True, slots=True)
class VerificationPages:
    """Addresses of the pages that QR codes lead to; by default those of the SAT."""

    cfdi: str = ADDRESS
    retenciones: str = RETENCIONES_ADDRESS

    @classmethod
    def at(cls, base: str) -> VerificationPages:
        """Return the pages of a server with the paths of the SAT's."""
        return cls(base + PAGE, base + RETENCIONES_PAGE)

    def url(self, query: VerificationQuery) -> str:
        """Return the content of a QR code: the SAT's address when a QR code does not hold the one of the page."""
        if query.is_retencion:
            page, official = self.retenciones, RETENCIONES_ADDRESS
        else:
            page, official = self.cfdi, ADDRESS
        url = page + query.text
        return url if len(url) <= MAX_CONTENT and url.isascii() else official + query.text


SAT_PAGES = VerificationPages()


def printed_total(total: Decimal) -> str:
    """Format a total for the printed expression: no superfluous zeros, at least one decimal ("0.0", "14300.5")."""
    whole, _, decimals = format(total, "f").partition(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"


def verification_query(uuid: str, issuer_rfc: str, receiver_rfc: str, total: Decimal, seal: str) -> VerificationQuery:
    """Return the query of an invoice.

    Characters with a meaning in addresses are percent-encoded: & and Ñ of an RFC, + of the seal.

    Args:
        seal: the issuer's Sello in base64; the query has its last 8 characters.
    """
    text = (
        f"?id={uuid}&re={quote(issuer_rfc, safe='')}&rr={quote(receiver_rfc, safe='')}"
        f"&tt={printed_total(total)}&fe={quote(seal[-8:], safe='/=')}"
    )
    return VerificationQuery(text, is_retencion=False)


def retenciones_verification_query(
    uuid: str, issuer_rfc: str, receiver_rfc: str, receiver_tax_id: str, total: Decimal, seal: str
) -> VerificationQuery:
    """Return the query of a retención.

    A tax id that does not fit into a QR code, which takes characters other than ASCII, is left out.

    Args:
        uuid: folio.
        issuer_rfc: RfcE.
        receiver_rfc: RfcR; empty for a receiver who resides abroad.
        receiver_tax_id: NumRegIdTribR of a receiver who resides abroad, empty when it has none.
        total: MontoTotOperacion.
        seal: the issuer's Sello in base64; the query has its last 8 characters.

    Source: Anexo 20 of RMF, rubro II.D.
    """
    head = f"?id={uuid}&re={quote(issuer_rfc, safe='')}"
    tail = f"&tt={printed_total(total)}&fe={quote(seal[-8:], safe='/=')}"
    if receiver_rfc:
        receiver = f"&rr={quote(receiver_rfc, safe='')}"
    else:
        receiver = f"&nr={quote(receiver_tax_id, safe='')}"
        if len(f"{RETENCIONES_ADDRESS}{head}{receiver}{tail}") > MAX_CONTENT:
            receiver = "&nr="
    return VerificationQuery(head + receiver + tail, is_retencion=True)


class QrPainter:
    """Draws texts as QR codes, natively or from the tables of a snapshot, which are read at first use."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._tables: dict[int, _Patterns] = {}

    def png(self, text: str) -> bytes:
        """Draw a QR code.

        Args:
            text: ASCII, at most 251 characters. Verification addresses are fastest, because their prefix repeats.

        Returns:
            PNG of one bit per pixel, 4 pixels per module, with the quiet zone.

        Raises:
            ValueError: the text is too long or not ASCII.
        """
        data = text.encode("ascii")
        version = next((version for version, room in CAPACITY.items() if len(data) <= room), None)
        if version is None:
            raise ValueError(f"a text of {len(data)} characters is too long for a QR code")
        if qr_png is not None:
            return qr_png(data, version)
        patterns = self._patterns(version)
        return patterns.frame.png(patterns.picture(data))

    def _patterns(self, version: int) -> _Patterns:
        if version not in self._tables:
            self._tables[version] = _Patterns(version, self._snapshot.read(f"qr/{version}.bin"))
        return self._tables[version]


class _Patterns:
    """The patterns of one version. The sum of a constant prefix is computed once for every length of text."""

    def __init__(self, version: int, table: bytes) -> None:
        self.frame = _Frame(version)
        self._version = version
        self._table = table
        self._length = pattern_bytes(version)
        self._rows = BoundedDict[int, list[list[int]]](MAX_PREFIX_LENGTHS)
        self._constants = BoundedDict[tuple[bytes, int], int](MAX_CONSTANTS)

    def picture(self, data: bytes) -> int:
        address, separator, _ = data.partition(_QUERY)
        if not separator:
            return self._sum(self._codewords(data))
        prefix = address + separator
        constant = self._constant(prefix, len(data))
        digits = data[len(prefix) :].hex().encode().translate(_VALUES)
        return reduce(xor, map(getitem, self._rows_after(len(prefix)), digits), constant)

    def _constant(self, prefix: bytes, length: int) -> int:
        """Return the sum of the prefix, followed by zeros up to a length."""
        found = self._constants.get((prefix, length))
        if found is None:
            found = self._sum(self._codewords(prefix + bytes(length - len(prefix))))
            self._constants[prefix, length] = found
        return found

    def _rows_after(self, count: int) -> list[list[int]]:
        """Return the rows of the half bytes after so many characters; they are computed at first use."""
        rows = self._rows.get(count)
        if rows is None:
            digits, end = header_digits(self._version), CAPACITY[self._version]
            rows = [self._row(4 * digit) for digit in range(digits + 2 * count, digits + 2 * end)]
            self._rows[count] = rows
        return rows

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


BOUNDS = (
    Bound(
        "_Patterns",
        BoundKind.CACHE,
        f"{MAX_PREFIX_LENGTHS} lengths, {MAX_CONSTANTS:,} constants",
        "The entry that was written longest ago is dropped.",
    ),
)

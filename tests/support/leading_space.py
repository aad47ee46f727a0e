"""What may precede the root of a document without declaration."""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"
BLANKS = (b" ", b"\t", b"\r", b"\n", b"\r\n \t\r", b" " * 100_000)
LEADING = (b"", BOM, *BLANKS, *(BOM + blanks for blanks in BLANKS))
"""Nothing, a BOM, white space, and both."""

"""Exports that are sent in parts."""

from __future__ import annotations

from timbra.web.table_exports import PART


def joined(parts: bytes) -> tuple[int, bytes]:
    """Return the number of rows and the file of an answer in parts."""
    rows, content = 0, b""
    while parts:
        number, size = PART.unpack_from(parts)
        content += parts[PART.size : PART.size + size]
        rows, parts = rows + number, parts[PART.size + size :]
    return rows, content

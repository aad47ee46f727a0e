"""Exports of lists: CSV and workbooks that are made page by page while they are sent."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from starlette.responses import Response, StreamingResponse

from timbra.core.spreadsheets import BYTE_ORDER_MARK, Cell, WorkbookStream, csv_line

CSV: Final = "text/csv; charset=utf-8"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP: Final = "application/zip"
PROGRESS: Final = "x-progress"
"""A request with this header gets the file in parts, each behind `PART`, so that the page shows how far it is."""
PART: Final = struct.Struct(">II")
"""Rows and bytes of a part."""
Piece = tuple[int, bytes]
"""A piece of a file, with the number of rows that it adds."""
RunDatabase = Callable[..., Awaitable[Any]]
Item = TypeVar("Item")


def csv_pieces(
    head: Sequence[str], pages: Iterator[Sequence[Item]], cells: Callable[[Item], Sequence[Cell]]
) -> Iterator[Piece]:
    """Yield a CSV file: its head, then each page."""
    yield 0, (BYTE_ORDER_MARK + csv_line(head)).encode()
    for rows in pages:
        yield len(rows), "".join(csv_line(cells(row)) for row in rows).encode()


def workbook_pieces(
    sheet: str, head: Sequence[str], pages: Iterator[Sequence[Item]], cells: Callable[[Item], Sequence[Cell]]
) -> Iterator[Piece]:
    """Yield a workbook: its first bytes, then each page."""
    book = WorkbookStream(sheet, head)
    yield 0, book.add(())
    for rows in pages:
        yield len(rows), book.add(map(cells, rows))
    yield 0, book.close()


async def in_threads(run_database: RunDatabase, items: Iterator[Item]) -> AsyncIterator[Item]:
    """Yield items, each made in a database thread while the client takes the one before."""
    while (item := await run_database(next, items, None)) is not None:
        yield item


def send_pieces(headers: Mapping[str, str], pieces: AsyncIterator[Piece], name: str, media_type: str) -> Response:
    """Send a file while it is made. `headers`: Of the request."""
    has_parts = PROGRESS in headers

    async def sent() -> AsyncIterator[bytes]:
        async for number, piece in pieces:
            yield PART.pack(number, len(piece)) + piece if has_parts else piece

    return StreamingResponse(sent(), media_type=media_type, headers=named(name))


def named(name: str) -> dict[str, str]:
    """Return the headers of a download."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}

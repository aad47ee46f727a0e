"""Hostile ZIP archives."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED

XML = b"<a/>" * 20
LARGE = 64 * 1024 * 1024


def zipped(members: Mapping[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def directory(archive: bytes) -> int:
    """Return the offset of the directory."""
    return int.from_bytes(archive[-6:-2], "little")


def bent(archive: bytes, offset: int, value: bytes, *, from_directory: bool = True) -> bytes:
    """Return the archive with other bytes at an offset of the directory or of the file."""
    place = offset + (directory(archive) if from_directory else 0)
    return archive[:place] + value + archive[place + len(value) :]


def overlapping(count: int = 50) -> bytes:
    """Return an archive with members of equal content."""
    archive = zipped({"a.xml": XML})
    begin = directory(archive)
    entry, end = archive[begin:-22], archive[-22:]
    entries = b"".join(entry[:-5] + b"%05d" % number for number in range(count))
    counted = struct.pack("<HHI", count, count, len(entries))
    return archive[:begin] + entries + end[:8] + counted + end[16:]


def nameless() -> bytes:
    """Return an archive whose member has an empty name in its local header and in the directory."""
    archive = ONE.replace(b"a.xml", b"").replace(b"\x05\0", b"\0\0")
    begin = archive.index(b"PK\1\2")
    return archive[:-10] + struct.pack("<II", len(archive) - 22 - begin, begin) + archive[-2:]


def untrue(archive: bytes, size: int) -> bytes:
    """Return an archive that declares a small size for a large member."""
    return archive.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))


def many(count: int) -> bytes:
    return zipped({f"{number}/": b"" for number in range(count)})


SYSTEM_NAMES = (
    "__MACOSX/",
    "__MACOSX/._a.xml",
    "__MACOSX/lote/._a.xml",
    "._a.xml",
    "lote/._b.xml",
    ".DS_Store",
    "lote/.DS_Store",
    "lote/Thumbs.db",
    "lote\\desktop.ini",
)
"""Members that macOS and Windows add to an archive or a folder."""


def with_system_files(members: Mapping[str, bytes]) -> bytes:
    """Return an archive as file managers make it: documents, folders and files of the system."""
    folders = {f"{name.rpartition('/')[0]}/": b"" for name in members if "/" in name}
    return zipped({**folders, **dict.fromkeys(SYSTEM_NAMES, b"\0\x05\x16\x07"), **members})


class Archives(Mapping[str, bytes]):
    """Archives by name, each made at its first use: to compress the large ones takes seconds."""

    def __init__(self, makers: Mapping[str, Callable[[], bytes]]) -> None:
        self._makers = {name: cache(maker) for name, maker in makers.items()}

    def __getitem__(self, name: str) -> bytes:
        return self._makers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


ONE = zipped({"a.xml": XML})

HOSTILE: Archives = Archives(
    {
        "bzip2": lambda: zipped({"a.xml": bytes(LARGE)}, ZIP_BZIP2),
        "lzma": lambda: zipped({"a.xml": bytes(LARGE)}, ZIP_LZMA),
        "unknown method": lambda: bent(ONE, 10, b"\x63"),
        "method of the local header": lambda: bent(bent(ONE, 8, b"\x0c", from_directory=False), 10, b"\x0c"),
        "bomb": lambda: zipped({"a.xml": bytes(LARGE)}),
        "bomb that lies": lambda: untrue(HOSTILE["bomb"], LARGE),
        "no name": lambda: zipped({"a.xml": XML}).replace(b"a.xml", b"\0.xml"),
        "name of no length": nameless,
        "name that is no UTF-8": lambda: bent(ONE, 8, b"\x00\x08").replace(b"a.xml", b"\xff.xml"),
        "offset beyond the end": lambda: bent(ONE, 42, b"\xff\xff\xff\x7f"),
        "offset into the content": lambda: bent(ONE, 42, b"\x05\0\0\0"),
        "directory before the beginning": lambda: ONE[:-6] + b"\xff\xff\xff\x7f" + ONE[-2:],
        "overlapping": overlapping,
        "content into the directory": lambda: bent(zipped({"a.xml": XML}, ZIP_STORED), 20, b"\xff\x00\0\0"),
        "encrypted": lambda: bent(ONE, 8, b"\x01"),
        "two of one name": lambda: zipped({"a.xml": XML, "b.xml": XML}).replace(b"b.xml", b"a.xml"),
        "many members": lambda: many(2000),
        "cut": lambda: ONE[: len(ONE) // 2],
        "head alone": lambda: b"PK\x03\x04",
        "end alone": lambda: ONE[-22:-18] + b"\0\0\0\0\1\0\1\0" + ONE[-10:],
        "damaged content": lambda: bent(ONE, 36, b"\xff\xff\xff\xff", from_directory=False),
        "other checksum": lambda: bent(ONE, 16, b"\1\2\3\4"),
        "version to come": lambda: bent(ONE, 6, b"\xff\0"),
    }
)

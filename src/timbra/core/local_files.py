"""Local files of documents: names, and contents with a limit of size."""

from __future__ import annotations

import os
from collections.abc import Iterable
from stat import S_ISREG

XML, PDF = ".xml", ".pdf"
SYSTEM_FOLDER = "__MACOSX"
SYSTEM_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
SYSTEM_PREFIX = "._"


def read_at_most(path: str, max_bytes: int) -> bytes:
    """Return the content of a file, at most `max_bytes`. Raises OSError: The file cannot be read."""
    pieces = []
    with open(path, "rb", buffering=0) as file:
        # `read` allocates what it is asked for, so a small file is asked for its size.
        status = os.fstat(file.fileno())
        missing = min(status.st_size + 1 if S_ISREG(status.st_mode) else max_bytes, max_bytes)
        # A pipe gives less than it is asked for.
        while missing and (piece := file.read(missing)):
            pieces.append(piece)
            missing -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def is_system_file(path: str) -> bool:
    """Whether the name is that of a file that macOS or Windows adds to folders and archives.

    Args:
        path: The name with its folders, separated as any system does.
    """
    folders, _, name = path.replace("\\", "/").rpartition("/")
    if name.startswith(SYSTEM_PREFIX) or name.lower() in SYSTEM_FILES:
        return True
    return SYSTEM_FOLDER in folders.split("/")


def suffix_of_name(name: str) -> str:
    """Return the suffix of a file's name in lower case, such as `.xml`, in a fraction of the time of `PurePath.suffix`.

    Args:
        name: The last part of a path.
    """
    point = name.rfind(".")
    return name[point:].lower() if 0 < point < len(name) - 1 else ""


def prints_among(names: Iterable[str]) -> frozenset[str]:
    """Return the PDF beside an XML of their name, which are the prints of documents that are there.

    Args:
        names: Names or paths, with their folders.
    """
    by_suffix: dict[str, set[str]] = {XML: set(), PDF: set()}
    for name in names:
        suffix = name[-len(XML) :].lower()
        if suffix in by_suffix:
            by_suffix[suffix].add(name)
    documents = {name[: -len(XML)] for name in by_suffix[XML]}
    return frozenset(name for name in by_suffix[PDF] if name[: -len(PDF)] in documents)

"""A memory-mapped file that signals commits to the processes of one node."""

from __future__ import annotations

import logging
import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes

log = logging.getLogger(__name__)

FILE = "generation"
SIZE = 8
_UNMAPPED: Sequence[int] = (0,)


class Generation:
    """Eight bytes of a file, replaced by random ones after each change; an equal value means that nothing changed.

    The value is random, not counted, so that writers need no lock and no value occurs twice. Writers use `write`,
    whose failure on a full disk is an exception; that of a mapping would be a signal.

    Attributes:
        cell: A sequence of one item, the current value; reading it is no system call.
    """

    def __init__(self, path: Path | None) -> None:
        """Map the file.

        Args:
            path: The file, which is created when it is missing; None for a database without a data folder. Without a
                usable file the processes of the node detect changes at their next poll.
        """
        self._path = path
        self._mapped: tuple[int, int] | None = None
        self._usable = True
        self.cell: Sequence[int] | memoryview[int] = _UNMAPPED
        self.refresh()

    def advance(self) -> None:
        """Signal a change to all processes that map the file; the caller calls it after the commit."""
        if self._path is not None:
            try:
                self._write(self._path)
            except OSError as error:
                self._report(error)

    def refresh(self) -> None:
        """Map the file again when it is missing, truncated or replaced. Called by each poll."""
        if self._path is None:
            return
        try:
            if not self._is_whole(self._path):
                self._map(self._path)
            self._usable = True
        except (OSError, ValueError) as error:
            self._report(error)
            self.cell, self._mapped = _UNMAPPED, None

    def _is_whole(self, path: Path) -> bool:
        if self._mapped is None:
            return False
        try:
            found = path.stat()
        except FileNotFoundError:
            return False
        return (found.st_dev, found.st_ino) == self._mapped and found.st_size >= SIZE

    def _map(self, path: Path) -> None:
        descriptor = _open(path)
        try:
            found = os.fstat(descriptor)
            if found.st_size < SIZE:
                os.write(descriptor, token_bytes(SIZE))
            mapping = mmap.mmap(descriptor, SIZE, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
        self.cell = memoryview(mapping).cast("Q")
        self._mapped = found.st_dev, found.st_ino

    def _write(self, path: Path) -> None:
        descriptor = _open(path)
        try:
            os.write(descriptor, token_bytes(SIZE))
        finally:
            os.close(descriptor)

    def _report(self, error: Exception) -> None:
        """Log once while the file cannot be used."""
        if self._usable:
            log.warning("%s is not usable, other processes detect changes by polling: %s", self._path, error)
        self._usable = False


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)

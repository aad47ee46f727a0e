"""Points of a fake server at which a test holds it, in files of a folder that both processes share."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

POLL_SECONDS = 0.01


@dataclass(frozen=True)
class RequestGate:
    """Requests and starting workers of a server, recorded one file each; requests are held until `release`."""

    folder: Path

    async def hold(self) -> None:
        """In the server: hold a request until the test releases it."""
        (self.folder / f"request-{uuid4()}").touch()
        while not self._released.exists():
            await asyncio.sleep(POLL_SECONDS)

    def hold_start(self) -> None:
        """In the server: hold each starting worker but the first until the test releases it."""
        try:
            (self.folder / "first").touch(exist_ok=False)
        except FileExistsError:
            (self.folder / f"start-{os.getpid()}").touch()
            while not self._released.exists():
                time.sleep(POLL_SECONDS)

    def record_drain(self, record: logging.LogRecord) -> bool:
        """In the server, as a logging filter: record that uvicorn waits for open requests after SIGTERM."""
        if record.getMessage().startswith("Waiting for connections to close"):
            (self.folder / "draining").touch()
        return record.levelno > logging.INFO

    @property
    def changes(self) -> Path:
        """File that the server reads at SIGHUP, with changed settings as JSON."""
        return self.folder / "changes.json"

    def release(self) -> None:
        """Release all requests and workers, also those that come later."""
        self._released.touch()

    def requests(self) -> int:
        """Number of requests that reached the gate."""
        return self._count("request")

    def starts(self) -> int:
        """Number of workers that reached the gate."""
        return self._count("start")

    def is_draining(self) -> bool:
        """Return whether a worker waits for its open requests after SIGTERM."""
        return (self.folder / "draining").exists()

    @property
    def _released(self) -> Path:
        return self.folder / "released"

    def _count(self, kind: str) -> int:
        return sum(1 for _ in self.folder.glob(f"{kind}-*"))

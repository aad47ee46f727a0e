"""Metrics of all workers of a node: each writes its own to a file in a common folder; any of them computes the sum."""

from __future__ import annotations

import os
from pathlib import Path

import orjson

from timbra.core.metrics import MetricsRegistry, State

SUFFIX = ".meters"


class MultiprocessMetrics:
    """The metrics of this worker, and the sum over the workers of the node. Counts of dead workers are kept.

    Args:
        metrics: those of this process.
        folder: exists as long as the server runs; None for a process without other workers.
    """

    def __init__(self, metrics: MetricsRegistry, folder: Path | None = None) -> None:
        self._metrics = metrics
        self._folder = folder
        self._published = b""
        if folder is not None:
            self._inherit(folder)

    def publish(self) -> None:
        """Write the metrics when they have changed. A periodic job calls this, and the worker once more at its end."""
        content = orjson.dumps(self._metrics.state())
        if self._folder is None or content == self._published:
            return
        mine = _own_file(self._folder)
        draft = mine.with_suffix(".draft")
        draft.write_bytes(content)
        draft.replace(mine)
        self._published = content

    def total(self) -> MetricsRegistry:
        """Return the sum over all workers, as they last published."""
        total = MetricsRegistry()
        total.add(self._metrics.state())
        for file in _others(self._folder) if self._folder is not None else ():
            if (state := _read(file)) is not None:
                total.add(state, alive=_alive(file))
        return total

    def _inherit(self, folder: Path) -> None:
        """Add the counts of dead workers to this one and delete their files."""
        for file in _others(folder):
            if _alive(file):
                continue
            claimed = file.with_suffix(f".claimed-{os.getpid()}")
            try:
                file.rename(claimed)
            except FileNotFoundError:
                continue  # another worker has claimed it
            if (state := _read(claimed)) is not None:
                self._metrics.add(state, alive=False)
            self.publish()
            claimed.unlink()


def _own_file(folder: Path) -> Path:
    return folder / f"{os.getpid()}{SUFFIX}"


def _others(folder: Path) -> list[Path]:
    return [file for file in folder.glob(f"*{SUFFIX}") if file != _own_file(folder)]


def _read(file: Path) -> State | None:
    """Return the state in a file, None when another worker has claimed it meanwhile."""
    try:
        state: State = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    return state


def _alive(file: Path) -> bool:
    try:
        os.kill(int(file.stem), 0)
    except ProcessLookupError:
        return False
    return True

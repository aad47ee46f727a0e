"""Counts of all workers: each writes its own to a file of a common folder, whoever is asked adds them up."""

from __future__ import annotations

import os
from pathlib import Path

import orjson

from timbra.meters import Meters, State

SUFFIX = ".meters"


class SharedMeters:
    """One worker's place in the folder, which lives as long as the server. What a dead worker counted is kept.

    meters: this process's own. folder: None for a process that has no others.
    What others counted since they last published is not known yet.
    """

    def __init__(self, meters: Meters, folder: Path | None = None) -> None:
        self._meters = meters
        self._folder = folder
        self._told = b""
        if folder is not None:
            self._inherit(folder)

    def publish(self) -> None:
        """Writes the counts if there are new ones. For a periodic job, and once more at the end."""
        content = orjson.dumps(self._meters.state())
        if self._folder is None or content == self._told:
            return
        mine = _own_file(self._folder)
        draft = mine.with_suffix(".draft")
        draft.write_bytes(content)
        draft.replace(mine)
        self._told = content

    def total(self) -> Meters:
        """The sum over all workers."""
        total = Meters()
        total.add(self._meters.state())
        for file in _others(self._folder) if self._folder is not None else ():
            if (state := _read(file)) is not None:
                total.add(state, alive=_alive(file))
        return total

    def _inherit(self, folder: Path) -> None:
        """Takes over what dead workers have left, so that there are never more files than workers."""
        for file in _others(folder):
            if _alive(file):
                continue
            taken = file.with_suffix(f".taken-{os.getpid()}")
            try:
                file.rename(taken)
            except FileNotFoundError:
                continue  # another worker was faster
            if (state := _read(taken)) is not None:
                self._meters.add(state, alive=False)
            self.publish()
            taken.unlink()


def _own_file(folder: Path) -> Path:
    return folder / f"{os.getpid()}{SUFFIX}"


def _others(folder: Path) -> list[Path]:
    return [file for file in folder.glob(f"*{SUFFIX}") if file != _own_file(folder)]


def _read(file: Path) -> State | None:
    """None when its worker's heir has taken it meanwhile."""
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

"""`timbra` with faults in batches of signatures: `python -m tests.resilience.faulty_batches serve ...`.

The folder that `FOLDER` names has the faults: while `lanes` exists, one lane of each batch fails its verification; a
process that finds `kill` removes it, and is killed in the middle of its batch. `batches` gets a byte for each batch
with a faulty lane. The self-test of a process has no faults.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from timbra import _rsa8
from timbra.cli.main import run
from timbra.seals.signers import batches

PROGRAM = "tests.resilience.faulty_batches"
FOLDER = "TIMBRA_TEST_FAULTY_BATCHES"
SELF_TEST = 4
"""Calls of the self-test: one of the results, three of the time."""
LOAD = _rsa8._import_compiled


class FaultyModule(ModuleType):
    """The compiled module with faults."""

    def __init__(self, module: ModuleType, folder: Path) -> None:
        super().__init__("faulty")
        self._module = module
        self._folder = folder
        self._calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def sign_blocks(self, keys: Sequence[Any], blocks: Sequence[bytes]) -> list[bytes | None]:
        """Sign the blocks; a faulty lane has no signature, as when its verification fails."""
        self._calls += 1
        signatures: list[bytes | None] = self._module.sign_blocks(keys, blocks)
        if self._calls > SELF_TEST:
            self._kill()
            if (self._folder / "lanes").exists():
                with (self._folder / "batches").open("ab") as log:
                    log.write(b".")
                signatures[self._calls % len(signatures)] = None
        return signatures

    def _kill(self) -> None:
        try:
            (self._folder / "kill").unlink()
        except FileNotFoundError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


def load() -> tuple[ModuleType | None, str]:
    """Return the module with faults, or the reason why there is none."""
    module, reason = LOAD()
    return (None, reason) if module is None else (_faulty(), "")


@cache
def _faulty() -> FaultyModule:
    module, reason = LOAD()
    assert module is not None, reason
    return FaultyModule(module, Path(os.environ[FOLDER]))


def install() -> None:
    """Replace the compiled module in this process, before a signer loads it, and use batches on a busy machine too."""
    _rsa8._import_compiled = load
    batches._seconds = _same_seconds


def _same_seconds(work: Callable[[], object]) -> float:
    """Run the work; a batch and a signature alone take as long, so that a batch of few is used."""
    work()
    return 1.0


if __name__ == "__main__":
    install()
    run()

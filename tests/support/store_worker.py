"""A process that claims stamps, forked from a test that has no open database."""

from __future__ import annotations

import multiprocessing
import random
import warnings
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection

from tests.support.store_records import MovableClock, claim

from timbra.database.database import open_database
from timbra.stamps.port import BalanceExhausted, ConfirmationUsed
from timbra.stamps.repository import DatabaseStamps

Answer = tuple[str, str, str]
_context = multiprocessing.get_context("fork")


class Worker:
    """Claims batches of random seals of `range(seals)`, `rounds` times or without end.

    It sends the kind, seal and folio of each outcome after `claim` has returned.
    """

    def __init__(self, address: str, seals: int, batch: int, rounds: int = -1) -> None:
        self._answers, sender = _context.Pipe(duplex=False)
        seed = random.getrandbits(32)
        self.process = _context.Process(target=_stamp, args=(sender, address, seals, batch, rounds, seed), daemon=True)
        with warnings.catch_warnings():
            # The runner of parallel tests has threads; the child does not use them.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        sender.close()

    def first(self) -> list[Answer]:
        """Wait for the first batch."""
        answers: list[Answer] = self._answers.recv()
        return answers

    def rest(self) -> list[Answer]:
        """Return the answers until the process ended, without an incomplete one."""
        answers = [answer for batch in self._batches() for answer in batch]
        self._answers.close()
        self.process.join(60)
        return answers

    def _batches(self) -> Iterator[list[Answer]]:
        with suppress(EOFError, OSError):
            while True:
                yield self._answers.recv()


def _stamp(sender: Connection, address: str, seals: int, batch: int, rounds: int, seed: int) -> None:
    jitter = random.Random(seed)
    database = open_database(address, "sandbox")
    stamps = DatabaseStamps(database, MovableClock())
    while rounds != 0:
        rounds -= 1
        chosen = jitter.sample(range(seals), batch)
        outcomes = stamps.claim([claim(seal, f"id {seal}" if seal % 2 else None) for seal in chosen])
        stored = (one.record for one in outcomes if not isinstance(one, BalanceExhausted | ConfirmationUsed))
        kinds = (type(one).__name__ for one in outcomes)
        sender.send([(kind, record.folio, record.uuid) for kind, record in zip(kinds, stored, strict=True)])
    stamps.close()
    database.close()

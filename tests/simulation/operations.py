"""Operations of a limited account, each of which can be done again until it has an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sqlalchemy import func, select
from tests.fsck.support import findings, run_consumers
from tests.support.cancellation_app import CancellationApp
from tests.support.store_records import MovableClock

from timbra import examples
from timbra.accounts.build import account_services
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.tables.balances import BALANCE
from timbra.database.tables.stamps import STAMP
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

ANSWERED_WITHIN = 30.0
"""Seconds; a request whose answer was lost inside waits for ever."""
ASSIGNED = 1_000_000
OPERATIONS = ("issue", "cancel", "consume", "store_key")


class Activity:
    """Operations on a sandbox with a limited account; each can be done again until it has an answer.

    Args:
        folder: An empty folder.
        fast_path: `on` or `off`.
    """

    def __init__(self, folder: Path, fast_path: str) -> None:
        self.app = CancellationApp(folder / "sandbox", wall=MovableClock(), fast_path=fast_path)
        self.container = self.app.container
        self.app.caller = replace(self.app.account("luis@example.com"), limited=True)
        self.app.store(self.app.issuer)
        balances = self.container.get(account_services).balances
        balances.set_unlimited(self.app.caller.account_id, False)
        balances.add(self.app.caller.account_id, ASSIGNED, "primeros")
        self.documents = 0

    def issue(self) -> Callable[[], None]:
        """Return what issues a new invoice; done again it finds the stamp of before."""
        xml = self._document()

        async def answered() -> None:
            order = StampRequest(self.app.caller, xml, "request")
            await asyncio.wait_for(self.container.get(stamping_services).stamping.issue(order), ANSWERED_WITHIN)

        def attempt() -> None:
            try:
                asyncio.run(answered())
            except ServiceError as error:
                if error.code != "307":
                    raise

        return attempt

    def cancel(self) -> Callable[[], None]:
        """Return what cancels a new invoice; 202 says that it was cancelled before."""
        uuid = self.app.issue(self._document()).uuid

        def attempt() -> None:
            code = self.app.cancel(uuid)
            assert code in {"201", "202"}, code

        return attempt

    def consume(self) -> Callable[[], None]:
        """Return what delivers, indexes, counts and logs a new invoice."""
        self.app.issue(self._document())
        return lambda: run_consumers(self.container)

    def store_key(self) -> Callable[[], None]:
        """Return what stores the key of the issuer again."""
        return lambda: self.app.store(self.app.issuer)

    def _document(self) -> bytes:
        self.documents += 1
        return examples.ingreso({"@Folio": f"F{self.documents}"}, fecha=self.app.fecha).encode()

    def assert_whole(self) -> None:
        """Assert that all documents are stored and paid once, and that the check of the data finds nothing."""
        run_consumers(self.container)
        with self.container.get(opened_database).read() as connection:
            stamps = connection.execute(select(func.count()).select_from(STAMP)).scalar_one()
            remaining = connection.execute(
                select(BALANCE.c.remaining).where(BALANCE.c.account_id == self.app.caller.account_id)
            ).scalar_one()
        assert (stamps, remaining) == (self.documents, ASSIGNED - self.documents)
        assert findings(self.container) == []

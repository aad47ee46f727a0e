"""Stamps an example month in a sandbox: its documents and cancellations, each at its day."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import uuid4

from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.cfdi.cancelacion.answer import ReceiverAnswer
from timbra.container import Container
from timbra.core.caller import Caller
from timbra.core.clock import CENTRAL_MEXICO, to_central_mexico
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.build import sandbox_store
from timbra.sandbox.authority.cancellation.state_machine import ACCEPTED_CODE
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.seeding.month_documents import OWN, PlannedCancellation, PlannedDocument, plan_month
from timbra.stamping.build import stamping_services
from timbra.stamping.models import DocumentKind, StampRequest

_MONTH = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])\Z", re.ASCII)
_STORED = "month."
DELAY = timedelta(minutes=5)
"""Between Fecha and the stamp."""
CANCELLATION_TIME = time(20)


@dataclass(slots=True)
class SteppedClock:
    """A clock that shows the instant that it was set to."""

    instant: datetime

    def now(self) -> datetime:
        """Return the instant."""
        return self.instant


@dataclass(frozen=True, slots=True)
class SeededMonth:
    """A month that a sandbox has.

    Attributes:
        rfc: The taxpayer whose month it is.
        documents: How many documents were stamped now; 0 when the sandbox had the month.
    """

    rfc: str
    documents: int


def parse_month(text: str, now: datetime) -> tuple[int, int]:
    """Return year and month of a text such as `2026-10`.

    Args:
        text: The month.
        now: The fiscal instant; the month must be over.

    Raises:
        ServiceError: "time-invalid" for another text, and for a month that is not over.
    """
    found = _MONTH.match(text)
    month = None if found is None else (int(found[1]), int(found[2]))
    today = now.astimezone(CENTRAL_MEXICO)
    if month is None or month >= (today.year, today.month):
        raise ServiceError("time-invalid", "El mes se escribe como 2026-10, y debe haber terminado.")
    return month


class MonthSeeder:
    """Stamps a month with a container whose clocks the seeder steps.

    Attributes:
        folios: The folio fiscal of each stamped document, by the key of its plan.
    """

    def __init__(self, container: Container, wall: SteppedClock, fiscal: SteppedClock) -> None:
        """Use a container.

        Args:
            container: A sandbox whose accounts and CSDs are prepared.
            wall: Its wall clock.
            fiscal: Its fiscal clock.
        """
        self._container = container
        self._clocks = (wall, fiscal)
        self._ends = (wall.now(), fiscal.now())
        self.folios: dict[str, str] = {}

    def seed(self, caller: Caller, month: tuple[int, int]) -> SeededMonth:
        """Stamp the documents of a month and cancel some, unless the sandbox has the month.

        Raises:
            ServiceError: A document or a cancellation is rejected.
        """
        name, store = f"{_STORED}{month[0]}-{month[1]:02d}", self._container.get(sandbox_store)
        with store.write() as transaction:
            if not transaction.values.put_if_absent(name, OWN.rfc):
                return SeededMonth(OWN.rfc, 0)
        plan = plan_month(*month)
        steps: list[tuple[datetime, PlannedDocument | PlannedCancellation]] = [
            *((_at(document.day, time(document.hour)), document) for document in plan.documents),
            *((_at(found.day, CANCELLATION_TIME), found) for found in plan.cancellations if found.day is not None),
        ]
        asyncio.run(self._stamp_all(caller, sorted(steps, key=lambda step: step[0])))
        self._clocks[0].instant, self._clocks[1].instant = self._ends
        for found in plan.cancellations:
            if found.day is None:
                self._cancel(caller, found)
        return SeededMonth(OWN.rfc, len(plan.documents))

    async def _stamp_all(
        self, caller: Caller, steps: list[tuple[datetime, PlannedDocument | PlannedCancellation]]
    ) -> None:
        for at, step in steps:
            for clock in self._clocks:
                clock.instant = at + DELAY
            if isinstance(step, PlannedDocument):
                self.folios[step.key] = await self._stamp(caller, step, at)
            else:
                await asyncio.to_thread(self._cancel, caller, step)

    async def _stamp(self, caller: Caller, document: PlannedDocument, at: datetime) -> str:
        text = document.text(to_central_mexico(at), self.folios)
        kind = DocumentKind.RETENCIONES if document.is_retencion else DocumentKind.CFDI
        order = StampRequest(caller, text.encode(), str(uuid4()), None, kind=kind)
        return (await self._container.get(stamping_services).stamping.issue(order)).uuid

    def _cancel(self, caller: Caller, planned: PlannedCancellation) -> None:
        uuid, substitute = self.folios[planned.key], self.folios.get(planned.substitute, "")
        request = CancellationRequest(planned.issuer.rfc, uuid, planned.motivo, substitute)
        cancelling = self._container.get(cancellation_services).cancelling
        codes = cancelling.by_uuid(caller, request, str(uuid4())).codes
        if set(codes.values()) != {ACCEPTED_CODE}:
            raise ServiceError("cancel-failed", f"{planned.key}: {codes}")
        if planned.reply:
            answer = ReceiverAnswer.ACCEPT if planned.reply == "accept" else ReceiverAnswer.REJECT
            self._container.get(sandbox_services).cancellation_service.respond(uuid, answer)


def _at(day: date | None, at: time) -> datetime:
    if day is None:
        raise ValueError("a step without a day")
    return datetime.combine(day, at, CENTRAL_MEXICO)

"""The service in this process: no HTTP, no store."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator
from statistics import median
from uuid import uuid4

import orjson
from bench.prepared import Prepared, unsealed

from timbra.api.wire import stamped_data, success
from timbra.service.making import make_stamp
from timbra.service.order import AFTER_REPEATS, BEFORE_REPEATS, Operation, Passage, Step
from timbra.service.orders import Stamped, StampOrder
from timbra.service.stamping import Stamping
from timbra.store.port import Claim, Outcome, Stored
from timbra.wiring import House

STAGES = ("parse", "seal", "structure", "certificate", "rules", "stamp")
_STAGE_OF = {
    "_parse": "parse",
    "_version": "parse",
    "_stamp_inside": "parse",
    "_seal": "seal",
    "_structure": "structure",
    "_sealed_document": "certificate",
    "check": "certificate",
    "_rules": "rules",
    "_known_empty": "rules",
}


class AtOnce:
    """`Claims` that every stamp wins, without a store."""

    async def claim(self, claim: Claim) -> Outcome:
        return Stored(claim.record)


def issuing(house: House, prepared: Prepared, version: str) -> Callable[[], object]:
    """Issues the next invoice and makes the body of its answer in that version."""
    stamping = Stamping(house.tools, house.authority_ca.provider, AtOnce(), "sandbox")
    documents, qr = unsealed(house), house.qr.png

    def issue() -> bytes:
        stamped = _finished(stamping.issue(StampOrder(prepared.caller, next(documents), "bench")))
        return orjson.dumps(success(stamped_data(stamped, version, base64=False, qr=qr)))

    issue()
    return issue


def _finished(work: Coroutine[object, None, Stamped]) -> Stamped:
    """What a coroutine returns that never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        stamped: Stamped = end.value
        return stamped
    raise RuntimeError("issuing without a store had to wait")


def stages(house: House, prepared: Prepared, concepts: int, repeats: int) -> dict[str, float]:
    """Median microseconds of each stage of issuing one document; the store and the answer are not among them."""
    spent: dict[str, list[float]] = defaultdict(list)
    documents = unsealed(house, concepts)
    for _ in range(repeats):
        for stage, seconds in _one(house, prepared, next(documents)):
            spent[stage].append(seconds * 1e6)
    return {stage: median(spent[stage]) for stage in STAGES}


def _one(house: House, prepared: Prepared, xml: bytes) -> Iterator[tuple[str, float]]:
    order = StampOrder(prepared.caller, xml, str(uuid4()))
    passage = Passage(order, Operation.ISSUE, house.world())
    totals = dict.fromkeys(STAGES, 0.0)
    for step in (*BEFORE_REPEATS, *AFTER_REPEATS):
        if Operation.ISSUE in step.operations:
            totals[_stage(step)] += _seconds(lambda: step.run(passage, house.tools))  # noqa: B023
    totals["stamp"] = _seconds(lambda: make_stamp(passage.cleared, passage.document, house.authority_ca.provider))
    return iter(totals.items())


def _stage(step: Step) -> str:
    return _STAGE_OF[getattr(step.run, "__name__", "")]


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun

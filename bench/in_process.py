"""Measurement of the stamping service in this process, without HTTP and without a store."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from itertools import pairwise
from statistics import median
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

import orjson
from bench.fixtures import Prepared, unsealed

from timbra.app.composition import Container
from timbra.cfdi.qr import SAT_PAGES, VerificationQuery
from timbra.evaluation.dependencies import Dependencies
from timbra.rules.ports import reference_source
from timbra.sandbox.build import sandbox_services
from timbra.seals.seal import seal
from timbra.stamping.build import stamping_services
from timbra.stamping.check_sequence import CheckSequence
from timbra.stamping.checks import BALANCE, CERTIFICATE, IDENTIFICATION, PARSING, RULES, SEALING, STRUCTURE
from timbra.stamping.models import StampingOperation, StampRequest
from timbra.stamping.sealing import finish_seal, sign_seal
from timbra.stamping.serializers import stamp_answer
from timbra.stamping.stages import SealedDocument, Submission
from timbra.stamping.stamp_factory import finish_stamp, prepare_stamp, require_read_back
from timbra.stamping.stamping import StampingService
from timbra.stamps.port import Claim, Outcome, Stored
from timbra.web.envelopes import success

STAGES = ("parse", "seal", "structure", "certificate", "rules", "stamp", "read back")

P = ParamSpec("P")
First = TypeVar("First")
Last = TypeVar("Last")
Result = TypeVar("Result")


class AlwaysStored:
    """A claim store that stores nothing and accepts every stamp."""

    async def claim(self, claim: Claim) -> Outcome:
        """Accept the stamp."""
        return Stored(claim.record)


def issuing(container: Container, prepared: Prepared, version: str) -> Callable[[], object]:
    """Return a function that issues the next invoice and builds the response body of that version."""
    stamping = StampingService(
        container.get(stamping_services).checks,
        lambda: container.get(sandbox_services).authority_ca.provider,
        AlwaysStored(),
        "sandbox",
    )
    documents, painter = unsealed(container), container.get(stamping_services).qr

    def qr(query: VerificationQuery) -> bytes:
        return painter.png(SAT_PAGES.url(query))

    def issue() -> bytes:
        stamped = finished(stamping.issue(StampRequest(prepared.caller, next(documents), "bench"), run_here))
        return orjson.dumps(success(stamp_answer(stamped, version, base64=False, qr=qr)))

    issue()
    return issue


async def run_here(work: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Result:
    """Run what would run in a thread."""
    return work(*args, **kwargs)


def finished(work: Coroutine[object, None, Result]) -> Result:
    """Return the result of a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    raise RuntimeError("work without a store had to wait")


def stages(container: Container, prepared: Prepared, concepts: int, repeats: int) -> dict[str, float]:
    """Return the median microseconds of each stage of issuing one document, without the store and the response."""
    durations: dict[str, list[float]] = defaultdict(list)
    documents = unsealed(container, concepts)
    for _ in range(repeats):
        for stage, seconds in _stage_seconds(container, prepared, next(documents)).items():
            durations[stage].append(seconds * 1e6)
    return {stage: median(durations[stage]) for stage in STAGES}


def _stage_seconds(container: Container, prepared: Prepared, xml: bytes) -> dict[str, float]:
    tools, provider = container.get(stamping_services).checks, container.get(sandbox_services).authority_ca.provider
    request = StampRequest(prepared.caller, xml, str(uuid4()))
    submission = Submission(request, StampingOperation.ISSUE, container.get(reference_source).current())
    times = [time.perf_counter()]

    def lap(value: Last) -> Last:
        times.append(time.perf_counter())
        return value

    parsed = lap(_run(PARSING, submission, tools))
    unsigned_seal = _run(SEALING, parsed, tools)
    document = finish_seal(unsigned_seal, sign_seal(unsigned_seal))
    sealed = lap(SealedDocument(submission, document, unsigned_seal.cadena))
    structured = lap(_run(STRUCTURE, sealed, tools))
    certified = lap(_run(CERTIFICATE, _run(IDENTIFICATION, structured, tools), tools))
    permit = lap(_run(BALANCE, _run(RULES, certified, tools), tools))
    unsigned = prepare_stamp(permit, provider)
    new_stamp = lap(finish_stamp(unsigned, seal(provider.signer, unsigned.cadena)))
    require_read_back(new_stamp)
    lap(None)
    return dict(zip(STAGES, (end - begin for begin, end in pairwise(times)), strict=True))


def _run(sequence: CheckSequence[First, Last], value: First, dependencies: Dependencies) -> Last:
    """Run the checks of issuing without an event loop."""
    current: Any = value
    for check in sequence.checks:
        if StampingOperation.ISSUE in check.operations:
            result = check.run(current, dependencies)
            current = current if result is None else result
    reached: Last = current
    return reached

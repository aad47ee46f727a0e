"""Measurement of the compiled path for batches of plain documents: `python -m bench.plain_batches`.

Batches of eight issued invoices in interleaved rounds with the two OpenSSL signatures that each of them needs one by
one; then sealed invoices, payments and payrolls, by both paths.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count, cycle, islice
from pathlib import Path

import orjson
from bench import cpu_affinity, rsa_limits
from bench.fixtures import Prepared, prepare, sealed, unsealed
from bench.in_process import AlwaysStored, run_here
from bench.interleaved_rounds import Figure, Speed, timed
from bench.measure import Bench
from bench.plan import QUICK
from bench.report import Sheet
from rich.console import Console

from timbra import examples
from timbra.app.composition import Container, open_container
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.examples import tax
from timbra.examples.nomina12 import deduction, earned, employed
from timbra.examples.pagos20 import document, payment
from timbra.sandbox.build import sandbox_services
from timbra.sat.port import Provider
from timbra.seals.signers.batches import LANES, SignatureBatches, SignatureRequest
from timbra.settings import Settings
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampingOperation, StampRequest
from timbra.stamping.plain.batches import PlainBatches, PlainRequest, PlainStamp
from timbra.stamping.plain.build import plain_batches
from timbra.stamping.serializers import stamp_answer
from timbra.stamping.stamp_factory import to_new_result
from timbra.stamping.stamping import StampingService
from timbra.web.envelopes import success

ROUNDS, BATCHES = 20, 4
LIMIT = "two OpenSSL signatures, one by one"
SIGNATURES = "two signatures, in batches of 8"
TODAY = "stamps in batches of 8 today"
PLAIN = "plain stamps in batches of 8"
PLAIN_16 = "plain stamps, 16 at a time"
UNSETTLED = "plain stamps in batches of 8, of which no key is settled"
ISSUE, STAMP = StampingOperation
PLACE = b"0123456789"
Documents = Callable[[Container, Prepared], Iterator[bytes]]


def invoices(container: Container, _prepared: Prepared) -> Iterator[bytes]:
    return unsealed(container)


def sealed_invoices(container: Container, prepared: Prepared) -> Iterator[bytes]:
    """Yield invoices that are sealed before the measurement."""
    return cycle(list(islice(sealed(container, prepared), 2 * LANES)))


def payments(container: Container, _prepared: Prepared) -> Iterator[bytes]:
    paid = [document("116.00", traslados=[tax("100.00", "002", "0.160000")]) for _ in range(2)]
    return _numbered(examples.pago({"@Folio": PLACE.decode()}, fecha=_fecha(container), payments=[payment(paid)]))


def payrolls(container: Container, _prepared: Prepared) -> Iterator[bytes]:
    paid = employed(
        [earned("001", "5000.00"), earned("002", "1000.00", "500.00")], withheld=[deduction("002", "700.00")]
    )
    return _numbered(examples.nomina({"@Folio": PLACE.decode()}, fecha=_fecha(container), payrolls=[paid]))


def _numbered(text: str) -> Iterator[bytes]:
    head, tail = text.encode().split(PLACE)
    return (b"%b%010d%b" % (head, number, tail) for number in count())


def _fecha(container: Container) -> str:
    return to_central_mexico(container.get(fiscal_clock).now() - timedelta(hours=1))


KINDS: dict[str, tuple[Documents, StampingOperation]] = {
    "sealed invoices": (sealed_invoices, STAMP),
    "payments": (payments, ISSUE),
    "payrolls": (payrolls, ISSUE),
}


def batches_today(
    container: Container, prepared: Prepared, made: Documents = invoices, operation: StampingOperation = ISSUE
) -> Callable[[], object]:
    """Return a function that stamps eight documents at once on an event loop, with the answers of version 1."""
    services = container.get(stamping_services)
    signatures = services.checks.signatures
    service = StampingService(services.checks, _provider(container), AlwaysStored(), "sandbox")
    documents, loop = _requests(container, prepared, made), asyncio.new_event_loop()

    async def issue(request: StampRequest) -> bytes:
        stamped = await (service.issue if operation is ISSUE else service.stamp)(request, run_here)
        return orjson.dumps(success(stamp_answer(stamped, "v1", base64=False, qr=lambda _query: b"")))

    async def batch() -> list[bytes]:
        with signatures.concurrent(LANES):
            return await asyncio.gather(*map(issue, islice(documents, LANES)))

    return lambda: loop.run_until_complete(batch())


def plain(
    container: Container,
    prepared: Prepared,
    number: int,
    made: Documents = invoices,
    operation: StampingOperation = ISSUE,
    *,
    settled: bool = True,
) -> Callable[[], object]:
    """Return a function that stamps plain documents, with the answers of version 1.

    Args:
        number: documents of a call.
        made: returns the documents.
        settled: whether the keys of earlier calls are settled; else the first of each call settles all.
    """
    path, documents = path_of(container), _requests(container, prepared, made)

    def batch() -> object:
        if not settled:
            path.forget_keys()
        stamps = path.stamp([PlainRequest(each, operation) for each in islice(documents, number)])
        return [answer(stamp) for stamp in stamps]

    def answer(stamp: PlainStamp | None) -> bytes:
        if stamp is None:
            raise RuntimeError("a document is not plain")
        result = to_new_result(stamp.claim.record, stamp.stamp)
        return orjson.dumps(success(stamp_answer(result, "v1", base64=False, qr=lambda _query: b"")))

    return batch


def path_of(container: Container) -> PlainBatches:
    """Return the path of plain documents, without a store."""
    checks = container.get(stamping_services).checks
    checks.reference_data()
    return plain_batches(container.get(opened_snapshot), checks, _provider(container), "sandbox")


def signatures(container: Container, prepared: Prepared) -> Callable[[], object]:
    """Return a function that makes the sixteen signatures of eight stamps, in two batches."""
    signers = prepared.signer, _provider(container)().signer
    batches, message = SignatureBatches(), rsa_limits.MESSAGE

    def batch() -> None:
        for signer in signers:
            batches.sign([SignatureRequest(signer, message)] * LANES)

    return batch


def _provider(container: Container) -> Callable[[], Provider]:
    return lambda: container.get(sandbox_services).authority_ca.provider


def _requests(container: Container, prepared: Prepared, made: Documents) -> Iterator[StampRequest]:
    return (StampRequest(prepared.caller, xml, "bench") for xml in made(container, prepared))


def sheet_of(bench: Bench, rounds: int = ROUNDS) -> Sheet:
    """Measure and return the table."""
    with cpu_affinity.running_on(cpu_affinity.SERVER):
        found = _measure(bench.container, bench.prepared, rounds)
    limits, rows = found[LIMIT], []
    for name, speeds in found.items():
        micros = Figure.of([1e6 / speed.cpu_rate for speed in speeds])
        shares = Figure.of([own.cpu_rate / limit.cpu_rate for own, limit in zip(speeds, limits, strict=True)])
        rows.append((name, micros.text(), shares.text(2)))
    note = (
        f"Medians (least-greatest) of {rounds} interleaved rounds, processor time of a stamp in this process, without "
        "HTTP and without a store, three concepts; payments of two documents with IVA, payrolls."
    )
    return Sheet("Plain batches in process, on one core", ("what", "us a stamp", "share of the limit"), rows, note)


def _measure(container: Container, prepared: Prepared, rounds: int) -> dict[str, list[Speed]]:
    tasks: dict[str, tuple[Callable[[], object], int]] = {
        LIMIT: (rsa_limits.two_signatures(container, prepared), BATCHES * LANES),
        SIGNATURES: (signatures(container, prepared), BATCHES),
        TODAY: (batches_today(container, prepared), BATCHES),
        PLAIN: (plain(container, prepared, LANES), BATCHES),
        PLAIN_16: (plain(container, prepared, 2 * LANES), BATCHES // 2),
        UNSETTLED: (plain(container, prepared, LANES, settled=False), BATCHES),
    }
    for kind, (made, operation) in KINDS.items():
        tasks[f"{kind} in batches of 8 today"] = batches_today(container, prepared, made, operation), BATCHES
        tasks[f"plain {kind} in batches of 8"] = plain(container, prepared, LANES, made, operation), BATCHES
    found: dict[str, list[Speed]] = defaultdict(list)
    for number in range(rounds + 2):
        for name, (work, calls) in tasks.items():
            speed = timed(work, calls)
            if number > 1:
                found[name].append(Speed(BATCHES * LANES, speed.seconds, speed.cpu_seconds))
    return found


def main() -> None:
    """Print the table; the argument is the number of rounds."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="timbra-bench-") as folder:
        prepared = prepare(Path(folder))
        with open_container(Settings(data=Path(folder))) as container:
            sheet_of(Bench(QUICK, container, prepared), rounds).show(Console())
            print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

"""What a client did wrong after answers that it must survive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from timbra.inspector.client_behavior import ClientFault, ClientFinding, StampingCall, findings_of

START = datetime(2026, 11, 17, 18, tzinfo=UTC)
LATER = START + timedelta(hours=1)
OTHER_BYTES, IGNORED, NO_RETRY, AT_ONCE = (
    ClientFault.OTHER_BYTES,
    ClientFault.IGNORED_REPEAT,
    ClientFault.NO_RETRY,
    ClientFault.RETRIED_AT_ONCE,
)


def sent(number: int, second: float, status: int = 200, code: str = "", **values: object) -> StampingCall:
    """Return a call that starts in a second and takes a tenth of one."""
    started = START + timedelta(seconds=second)
    call = StampingCall(number, started, started + timedelta(seconds=0.1), "A 1", status, code, b"same")
    return replace(call, **values)  # type: ignore[arg-type]


LOST = sent(1, 0, 0, "answer-lost")
BUSY = sent(1, 0, 503, "CO1000", retry_after=5.0)
LIMITED = sent(1, 0, 429, "TB4290", retry_after=5.0)
ENDED = sent(1, 0, 401, "AU4000")
REPEATED = sent(1, 0, 400, "307")


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ([LOST, sent(2, 1, 400, "307")], []),
        ([LOST, sent(2, 1, digest=b"other")], [(OTHER_BYTES, 1, 2)]),
        ([LOST, sent(2, 1, digest=None)], []),
        ([LOST], [(NO_RETRY, 1, None)]),
        ([BUSY, sent(2, 6)], []),
        ([BUSY, sent(2, 1)], [(AT_ONCE, 1, 2)]),
        ([BUSY, sent(2, 6, digest=b"other")], [(OTHER_BYTES, 1, 2)]),
        ([LIMITED, sent(2, 5.2)], []),
        ([LIMITED, sent(2, 0.2, digest=b"other")], [(AT_ONCE, 1, 2)]),
        ([ENDED, sent(2, 0.2)], []),
        ([ENDED], [(NO_RETRY, 1, None)]),
        ([REPEATED], []),
        ([REPEATED, sent(2, 30, 400, "307")], [(IGNORED, 1, 2)]),
        ([REPEATED, sent(2, 30, digest=b"other")], [(IGNORED, 1, 2)]),
        ([replace(REPEATED, code="T307"), sent(2, 30)], [(IGNORED, 1, 2)]),
        ([sent(1, 0, 400, "CFDI40102"), sent(2, 1, digest=b"other")], []),
        ([sent(1, 0), sent(2, 1)], []),
        ([LOST, replace(BUSY, number=2, started_at=START + timedelta(seconds=1))], [(NO_RETRY, 2, None)]),
        ([replace(LOST, operation=""), sent(2, 1, operation="", digest=b"other")], []),
        ([LOST, sent(2, 1, operation="A 2", digest=b"other")], [(NO_RETRY, 1, None)]),
    ],
)
def test_findings_name_the_mistakes_of_every_sequence(
    calls: list[StampingCall], found: list[tuple[ClientFault, int, int | None]]
) -> None:
    for order in permutations(calls):
        findings = findings_of(order, LATER)
        assert [(finding.fault, finding.first, finding.second) for finding in findings] == found


def test_missing_repetition_is_a_finding_after_a_minute_only() -> None:
    assert findings_of([LOST], LOST.answered_at + timedelta(seconds=59)) == []
    assert findings_of([LOST], LOST.answered_at + timedelta(seconds=60)) == [ClientFinding(NO_RETRY, 1)]


def test_finding_of_an_early_repetition_has_both_times() -> None:
    assert findings_of([BUSY, sent(2, 1.1)], LATER) == [ClientFinding(AT_ONCE, 1, 2, (1.0, 5.0))]

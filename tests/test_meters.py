"""What a process counts, and the sum over processes."""

from __future__ import annotations

import json

import pytest

from timbra.meters import COMMIT_STAMPS, REFUSALS, REQUESTS, STAGE_SECONDS, TIMED_EVERY, Meters


@pytest.mark.parametrize(("value", "bucket"), [(0, 0), (1, 0), (2, 1), (3, 2), (64, 6), (65, 7)])
def test_a_value_lies_in_the_first_bucket_that_is_not_below_it(value: float, bucket: int) -> None:
    meters = Meters()
    meters.observe(COMMIT_STAMPS, (), value)
    [histogram] = meters.histograms.values()
    assert [number for number, count in enumerate(histogram.counts) if count] == [bucket]
    assert histogram.total == value


def test_what_two_processes_counted_adds_up() -> None:
    one, other = Meters(), Meters()
    for meters, times in ((one, 2), (other, 3)):
        for _ in range(times):
            meters.count(REQUESTS, ("issue", "200"))
            meters.observe(COMMIT_STAMPS, (), times)
        meters.body_bytes = times
    other.count(REFUSALS, ("301",))
    one.add(json.loads(json.dumps(other.state())))
    assert one.counts == {("requests", ("issue", "200")): 5, ("refusals", ("301",)): 1}
    assert one.histograms["commit_stamps", ()].counts == [0, 2, 3, 0, 0, 0, 0, 0]
    assert one.histograms["commit_stamps", ()].total == 13
    assert (one.body_bytes, one.requests_open) == (5, 0)


def test_what_a_dead_process_held_is_not_held_any_more() -> None:
    dead, heir = Meters(), Meters()
    dead.count(REFUSALS, ("301",))
    dead.body_bytes = 7
    heir.add(dead.state(), alive=False)
    assert (heir.counts, heir.body_bytes) == ({("refusals", ("301",)): 1}, 0)


def test_stages_of_one_document_in_sixteen_are_timed() -> None:
    meters = Meters()
    for _ in range(2 * TIMED_EVERY):
        if (laps := meters.laps()) is not None:
            laps.end("parse")
            laps.end("rules")
    timed = {labels: sum(found.counts) for (name, labels), found in meters.histograms.items()}
    assert timed == {("parse",): 2, ("rules",): 2}
    assert {name for name, _ in meters.histograms} == {STAGE_SECONDS.name}

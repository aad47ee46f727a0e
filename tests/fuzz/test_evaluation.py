"""The whole evaluation of changed documents: no exception other than a rejection leaves it."""

from __future__ import annotations

import time
from random import Random

import pytest
from lxml import etree
from tests.support.effort import rounds
from tools.fuzz import __main__ as fuzz
from tools.fuzz.evaluation import CHANGES, document_of, documents, evaluate
from tools.fuzz.targets import Target


def program(seed: int) -> bytes:
    """Return an input of the target: an example, and up to eight changes."""
    random = Random(seed)
    return random.randbytes(1 + 3 * random.randrange(9))


@pytest.mark.parametrize("seed", range(rounds(25, 3000)))
def test_evaluation_ends_for_changed_documents(seed: int) -> None:
    evaluate(program(seed))


def test_programs_choose_every_example_and_every_change() -> None:
    assert len({document_of(bytes([number])) for number in range(len(documents()))}) == len(set(documents()))
    changed = [document_of(bytes([0, 1, change, 5])) for change in range(len(CHANGES))]
    assert len({*changed, document_of(bytes([0]))}) == len(CHANGES) + 1
    for text in changed:
        etree.fromstring(text)


def test_input_that_takes_more_time_than_its_size_allows_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 3.0, 0.0, 1.05, 0.0, 3.0, 0.0, 3.0])
    monkeypatch.setattr(time, "process_time", lambda: next(clock))
    target = Target(lambda _data: None, (), 1, microseconds_per_byte=100)
    fuzz.run_in_time(target, bytes(1000))
    with pytest.raises(RuntimeError, match=r"1000 bytes took 3\.0 s, more than 1\.1 s"):
        fuzz.run_in_time(target, bytes(1000))

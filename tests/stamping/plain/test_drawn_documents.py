"""Drawn changes of valid documents by both paths; the quick form of `python -m tools.plain_comparison`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from tests.support.effort import rounds
from tools.plain_comparison import __main__ as command
from tools.plain_comparison.comparing import KINDS, Comparison

from timbra._native import STATE

pytestmark = pytest.mark.skipif(not STATE.active, reason="without native code no document is plain")

SEED = 0
"""The seed of the suite; runs of the tool have others."""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comparison]:
    comparison = Comparison(tmp_path_factory.mktemp("plain") / "data")
    yield comparison
    comparison.close()


def test_plain_batches_stamp_what_the_ordinary_path_stamps_for_drawn_documents(comparison: Comparison) -> None:
    count = rounds(600, 60_000)
    compared = comparison.run(SEED, range(count))
    assert compared.differences == []
    assert set(compared.counts) == {name for _, _, name in KINDS}
    assert sum(compared.counts.values(), Counter())["plain"] > count / 15
    assert min(counts["plain"] for counts in compared.counts.values()) > 0


def test_position_is_drawn_the_same_again(comparison: Comparison) -> None:
    first = comparison.sealed([comparison.draw(SEED, place) for place in range(30)])
    again = comparison.sealed([comparison.draw(SEED, place) for place in range(20, 30)])
    assert first[20:] == again
    assert len(set(first)) == 30


def test_kind_selects_documents_of_the_same_positions(comparison: Comparison) -> None:
    drawn = [comparison.draw(SEED, place).kind for place in range(40)]
    only = comparison.run(SEED, range(40), "stamp I").counts
    assert {name: counts["drawn"] for name, counts in only.items()} == {"stamp I": drawn.count("stamp I")}


def test_run_leaves_out_the_blocks_that_have_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"seed": 5, "first": 1000, "count": 1000, "seconds": 1.0, "differences": []}
    counts = {"issue I": {"drawn": 1000, "accepted": 7, "plain": 6}}
    (tmp_path / "seed-5.jsonl").write_text(json.dumps({**line, "counts": counts}) + "\n")
    monkeypatch.setattr("sys.argv", ["", "--seed", "5", "--count", "3000", "--results", str(tmp_path)])
    with mock.patch.object(command, "_run") as run:
        assert command.main() == 0
    assert run.call_args.args[2] == [0, 2000]
    assert "issue I  drawn 1,000 plain 6 different 0 evaluated 0 accepted 7" in capsys.readouterr().out

"""The comparison at the end of a drill: what is lost, altered, undelivered or doubled."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from timbra.drill.comparison import Comparison, StoredDocument, compare
from timbra.drill.load import StampedAnswer

ANSWERED = datetime(2026, 11, 29, 18, tzinfo=UTC).timestamp()


def answer(number: int, uuid: str, cfdi: bytes = b"<a/>") -> StampedAnswer:
    return StampedAnswer(number, uuid, cfdi, "a", ANSWERED - 2, ANSWERED - 1, ANSWERED)


def stored(number: int, uuid: str, cfdi: bytes = b"<a/>") -> StoredDocument:
    return StoredDocument(number, uuid, cfdi)


def test_compare_finds_no_difference() -> None:
    found = compare(
        [1, 2], [answer(1, "u1"), answer(2, "u2")], [stored(1, "u1"), stored(2, "u2")], ["u1", "u2"], ["u1", "u2"]
    )
    assert found == Comparison(2, 2, 2, 2)
    assert found.is_clean


def test_compare_finds_an_answered_stamp_that_the_database_does_not_have() -> None:
    found = compare([1, 2], [answer(1, "u1"), answer(2, "u2")], [stored(1, "u1")], ["u1"], ["u1"])
    assert (found.lost, found.undelivered) == (("u2",), ("u2",))
    assert not found.is_clean


def test_compare_finds_a_changed_byte() -> None:
    found = compare([1], [answer(1, "u1", b"<a/>")], [stored(1, "u1", b"<b/>")], ["u1"], ["u1"])
    assert found.altered == ("u1",)
    assert not found.is_clean


def test_compare_finds_a_stamp_that_the_sat_did_not_receive() -> None:
    for received, acknowledged in ((["u2"], ["u1", "u2"]), (["u1", "u2"], ["u2"])):
        found = compare(
            [1, 2], [answer(1, "u1"), answer(2, "u2")], [stored(1, "u1"), stored(2, "u2")], received, acknowledged
        )
        assert found.undelivered == ("u1",)
        assert not found.is_clean


def test_compare_finds_an_invoice_with_two_stamps() -> None:
    both = [stored(1, "u1"), stored(1, "u2")]
    found = compare([1], [answer(1, "u1")], both, ["u1", "u2"], ["u1", "u2"])
    assert found.doubled == ("u1", "u2")
    assert not found.is_clean


def test_compare_finds_two_answers_with_other_folios() -> None:
    found = compare([1], [answer(1, "u1"), answer(1, "u2")], [stored(1, "u1")], ["u1"], ["u1"])
    assert (found.doubled, found.lost) == (("u1", "u2"), ("u2",))


def test_compare_finds_what_the_sat_received_twice_or_alone() -> None:
    found = compare([1], [answer(1, "u1")], [stored(1, "u1")], ["u1", "u1", "u3"], ["u1"])
    assert found.doubled == ("u1", "u3")
    assert not found.is_clean


def test_compare_finds_an_invoice_without_a_stamp() -> None:
    found = compare([1, 2], [answer(1, "u1")], [stored(1, "u1")], ["u1"], ["u1"])
    assert found.unanswered == (2,)
    assert not found.is_clean


@pytest.mark.parametrize(
    ("stamped", "is_misdated"),
    [("2026-11-29T12:00:00", False), ("2026-11-30T12:00:00", True), ("2026-11-28T12:00:00", True)],
)
def test_compare_finds_a_stamp_of_another_day(stamped: str, is_misdated: bool) -> None:
    cfdi = f'<tfd:TimbreFiscalDigital FechaTimbrado="{stamped}"/>'.encode()
    found = compare([1], [answer(1, "u1", cfdi)], [stored(1, "u1", cfdi)], ["u1"], ["u1"])
    assert found.misdated == (("u1",) if is_misdated else ())
    assert found.is_clean is not is_misdated

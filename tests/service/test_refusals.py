"""Refused requests on their way from memory to the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

import pytest
from tests.store.records import NOON

from timbra import examples
from timbra.clock import FixedClock
from timbra.errors import Place, ServiceError
from timbra.service.refusals import RefusalNotes, RefusedRequest, place_of
from timbra.store.refusals import Refusal

DOCUMENT = examples.ingreso({"@Serie": "A", "@Folio": "7"}).encode()
REFUSED = ServiceError("CFDI40147", "detalle", place=Place("Receptor/@Rfc", "x", "y"))


class Shelf:
    """A store that remembers, and fails when told."""

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self.lost: dict[tuple[int, date], int] = {}
        self.fails = False
        self.before = NOON

    def add(self, refusals: Sequence[Refusal], lost: Mapping[tuple[int, date], int]) -> None:
        if self.fails:
            raise ServiceError("CO1000")
        self.refusals += refusals
        self.lost |= lost

    def expire(self, before: object) -> None:
        self.before = before  # type: ignore[assignment]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def notes_of(shelf: Shelf, *, keep_documents: bool = False, **bounds: int) -> RefusalNotes:
    clock = FixedClock(NOON)
    return RefusalNotes(shelf, clock, clock, keep_documents=keep_documents, days=30, **bounds)  # type: ignore[arg-type]


def request(name: str = "r", document: bytes | None = DOCUMENT, error: ServiceError = REFUSED) -> RefusedRequest:
    return RefusedRequest(1, name, "/cfdi33/issue/v4", error, document)


def test_a_refusal_is_written_with_all_that_is_known(shelf: Shelf) -> None:
    notes = notes_of(shelf)
    notes.note(request())

    notes.flush()
    notes.flush()

    [kept] = shelf.refusals
    assert (kept.code, kept.detail, kept.path, kept.found, kept.expected) == (
        "CFDI40147",
        "detalle",
        "Receptor/@Rfc",
        "x",
        "y",
    )
    assert (kept.issuer_rfc, kept.serie, kept.folio) == (examples.KEMPER.rfc, "A", "7")
    assert kept.document_hash == sha256(DOCUMENT).hexdigest()
    assert kept.document is None


def test_the_document_is_kept_where_the_settings_say_so(shelf: Shelf) -> None:
    notes = notes_of(shelf, keep_documents=True)
    notes.note(request())
    notes.flush()

    assert shelf.refusals[0].document == DOCUMENT


def test_without_a_document_there_is_no_hash(shelf: Shelf) -> None:
    notes = notes_of(shelf)
    notes.note(request(document=None))
    notes.flush()

    assert (shelf.refusals[0].document_hash, shelf.refusals[0].issuer_rfc) == ("", "")


@pytest.mark.parametrize("bounds", [{"most_notes": 2}, {"most_bytes": 2 * len(DOCUMENT)}])
def test_beyond_the_bound_the_oldest_are_only_counted(shelf: Shelf, bounds: dict[str, Any]) -> None:
    notes = notes_of(shelf, **bounds)
    for number in range(5):
        notes.note(request(str(number)))
    notes.flush()

    assert [kept.request_id for kept in shelf.refusals] == ["3", "4"]
    assert shelf.lost == {(1, date(2026, 11, 17)): 3}


def test_one_document_beyond_the_bound_is_still_noted(shelf: Shelf) -> None:
    notes = notes_of(shelf, most_bytes=1)
    notes.note(request())
    notes.flush()

    assert len(shelf.refusals) == 1


def test_what_could_not_be_written_is_written_later(shelf: Shelf) -> None:
    notes = notes_of(shelf, most_notes=3)
    shelf.fails = True
    for number in range(4):
        notes.note(request(str(number)))
    with pytest.raises(ServiceError):
        notes.flush()

    shelf.fails = False
    notes.note(request("4"))
    notes.flush()

    assert [kept.request_id for kept in shelf.refusals] == ["2", "3", "4"]
    assert sum(shelf.lost.values()) == 2


def test_long_texts_are_cut(shelf: Shelf) -> None:
    notes = notes_of(shelf)
    notes.note(request(error=ServiceError("301", "x" * 10_000, place=Place("p" * 10_000))))
    notes.flush()

    assert len(shelf.refusals[0].detail) < 2100
    assert len(shelf.refusals[0].path or "") < 2100


def test_the_term_counts_from_now(shelf: Shelf) -> None:
    notes_of(shelf).expire()

    assert shelf.before == NOON - timedelta(days=30)


def test_a_place_survives_being_told_anew_but_not_as_another_code() -> None:
    again, other = ServiceError("CFDI40147"), ServiceError("307")
    again.__cause__ = other.__cause__ = REFUSED

    assert place_of(again) == REFUSED.place
    assert place_of(other) == Place()

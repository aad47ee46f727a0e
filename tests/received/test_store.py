"""Validations of received documents in the database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.support.store_records import NOON

from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.received.store import NewResult, ReceivedRepository, ResultFilter

ANA, BEA = 1, 2
MANY = 1_000


def result(name: str, uuid: str | None = None, *, is_metadata: bool = False, **columns: object) -> NewResult:
    document = {"source": name, "uuid": uuid, "result": "valid", **columns}
    return NewResult(name, is_metadata, name.upper(), document, [{"code": "X", "found": "ñ <'=%"}])


@pytest.fixture
def repository(database: Database) -> ReceivedRepository:
    return ReceivedRepository(database)


@pytest.fixture
def run(repository: ReceivedRepository) -> int:
    return repository.create(ANA, "form", "a.zip", NOON)[0]


def test_create_returns_the_run_of_a_form_that_is_sent_again(repository: ReceivedRepository, run: int) -> None:
    assert repository.create(ANA, "form", "b.zip", NOON) == (run, False)
    other, is_new = repository.create(BEA, "form", "b.zip", NOON)
    assert (other != run, is_new) == (True, True)
    assert repository.find(BEA, run) is None


def test_add_numbers_documents_and_finds_repeated_uuids(repository: ReceivedRepository, run: int) -> None:
    first = [result("a", "u1"), result("b", "u2", result="invalid"), result("c", "u1"), result("d")]
    repository.add(ANA, run, first, MANY, MANY)
    repository.add(ANA, run, [result("a", "u1"), result("e", "u2"), result("m", "u1", is_metadata=True)], MANY, MANY)
    rows = repository.page(run, ResultFilter(), -1, 10)
    stored = repository.find(ANA, run)

    assert [row.document["source"] for row in rows] == ["a", "b", "c", "d", "e", "m"]
    assert [row.document_id for row in rows] == [0, 1, 2, 3, 4, 5]
    assert [row.duplicate_of for row in rows] == [None, None, 0, None, 1, None]
    assert rows[0].findings == [{"code": "X", "found": "ñ <'=%"}]
    assert stored is not None
    assert (stored.documents, stored.wrong) == (6, 1)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (ResultFilter(), "abcm"),
        (ResultFilter(text="B"), "b"),
        (ResultFilter(text="%"), ""),
        (ResultFilter(result="wrong"), "b"),
        (ResultFilter(result="none"), "m"),
        (ResultFilter(result="valid"), "ac"),
        (ResultFilter(status="none"), "bcm"),
        (ResultFilter(status="Cancelado"), "a"),
        (ResultFilter(is_listed=True), "c"),
        (ResultFilter(is_duplicate=True), "b"),
        (ResultFilter(not_received_by=("R1",)), "bm"),
        (ResultFilter(not_received_by=()), "abcm"),
    ],
)
def test_page_applies_each_filter(repository: ReceivedRepository, run: int, filters: ResultFilter, found: str) -> None:
    results = [
        result("a", "u1", status="Cancelado", receiver_rfc="R1"),
        result("b", "u1", result="unreadable", receiver_rfc="R2"),
        result("c", article_69b="Presunto", receiver_rfc="R1"),
        result("m", is_metadata=True, result=None),
    ]
    repository.add(ANA, run, results, MANY, MANY)

    assert "".join(row.document["source"] for row in repository.page(run, filters, -1, 10)) == found
    assert repository.count(run, filters) == len(found)


def test_add_rejects_documents_over_the_limits_and_keeps_the_others(repository: ReceivedRepository, run: int) -> None:
    repository.add(ANA, run, [result("a"), result("b")], MANY, 2)
    for limits in ((MANY, 2), (2, MANY)):
        with pytest.raises(ServiceError, match="a lo más 2 documentos"):
            repository.add(ANA, run, [result("c")], *limits)
    assert repository.count(run, ResultFilter()) == 2


def test_add_rejects_a_run_that_was_deleted_or_is_of_another_account(repository: ReceivedRepository, run: int) -> None:
    repository.add(ANA, run, [result("a")], MANY, MANY)
    with pytest.raises(ServiceError, match="run-unknown"):
        repository.add(BEA, run, [result("b")], MANY, MANY)
    assert repository.delete(BEA, run) is False
    assert repository.delete(ANA, run) is True
    with pytest.raises(ServiceError, match="run-unknown"):
        repository.add(ANA, run, [result("b")], MANY, MANY)
    assert repository.count(run, ResultFilter()) == 0


def test_expire_deletes_the_older_runs(repository: ReceivedRepository, run: int) -> None:
    later, _ = repository.create(ANA, "later", "b.zip", NOON + timedelta(days=1))
    assert repository.expire(NOON + timedelta(hours=1)) == 1
    assert [each.number for each in repository.runs(ANA, 10)] == [later]
    assert repository.find(ANA, run) is None

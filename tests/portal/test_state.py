"""The page of the server's state, with what was given up; and the books of rules."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import update
from tests.portal.browser import Visitor
from tests.support.desk import FECHA, Desk

from timbra import examples
from timbra.portal.books import book_lines, rule_lines
from timbra.rules.lookup import books
from timbra.store.mailbox import Letter
from timbra.store.tables.mail import LETTER
from timbra.store.tables.stamps import OUTBOX

PLACE = "/portal/estado"
RULES = "/validador/reglas"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("desk"))
    made.house.accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    made.store(made.mint())
    yield made
    made.house.close()


@pytest.fixture
def chief(desk: Desk) -> Visitor:
    made = Visitor(desk)
    assert made.sign_in("jefa@example.com").status_code == 303
    return made


def test_an_account_finds_no_such_page(desk: Desk) -> None:
    ana = Visitor(desk)
    ana.sign_in("ana@example.com")

    assert ana.get(PLACE).status_code == 404
    assert ana.post(f"{PLACE}/entregas", {}).status_code == 404


def test_versions_and_ages_are_told(desk: Desk, chief: Visitor) -> None:
    assert chief.get(PLACE).status_code == 200
    for words in ("Listo:", "SQLite", desk.house.snapshot.version, "cfdi40:2024-12-13", "Antigüedad de la lista"):
        assert words in chief.text


def test_a_server_that_cannot_work_says_why(desk: Desk, chief: Visitor) -> None:
    desk.house.condition.leave()
    try:
        chief.get(PLACE)
    finally:
        desk.house.condition.leaving = False
    assert "No está listo: el servidor se está deteniendo" in chief.text


def test_a_dead_delivery_is_tried_again(desk: Desk, chief: Visitor) -> None:
    uuid = desk.issue(examples.ingreso(fecha=FECHA).encode()).uuid.lower()
    with desk.house.database.write() as connection:
        connection.execute(update(OUTBOX).values(attempts=desk.house.outbox.most_attempts))

    chief.get(PLACE)
    assert uuid in chief.text
    assert chief.post(f"{PLACE}/entregas", {"subject": "another"}).status_code == 303
    assert len(desk.house.outbox.listed(9, dead_only=True)) == 1
    assert chief.post(f"{PLACE}/entregas", {"subject": uuid}).status_code == 303
    assert desk.house.outbox.listed(9, dead_only=True) == []
    desk.house.deliver()
    chief.get(PLACE)
    assert uuid not in chief.text


def test_a_letter_that_was_given_up_is_tried_again(desk: Desk, chief: Visitor) -> None:
    now = desk.house.wall.now()
    letter = Letter(
        "0" * 32, "x@example.com", desk.caller.account_id, now - timedelta(days=1), None, 5, "nadie contesta"
    )
    with desk.house.database.write() as connection:
        connection.execute(LETTER.insert().values({name: getattr(letter, name) for name in Letter.__slots__}))

    chief.get(PLACE)
    assert "nadie contesta" in chief.text
    assert chief.post(f"{PLACE}/correos", {"uuid": letter.uuid}).status_code == 303
    assert desk.house.mailbox.letters(given_up=True) == []


def test_every_row_of_every_book_is_covered() -> None:
    """One row that two books share counts for both pages, and is found once."""
    codes = {rule.code for book in books() for rule in book.rules}
    codes |= {row.code for book in books() for row in book.listed}

    assert {line.code for line in rule_lines()} == codes
    assert {line.name for line in book_lines()} == {book.name for book in books()}
    assert all(line.sentence for line in rule_lines())


def test_the_books_lead_to_their_rules_and_these_to_their_pages(chief: Visitor) -> None:
    chief.get(PLACE)
    assert chief.page is not None
    (book,) = chief.page.xpath("//a[text()='Estado de Cuenta de Combustibles 1.2']/@href")
    chief.get(book)
    links = chief.page.xpath("//section[1]//tbody//a/@href")
    assert len(links) == 5
    assert all(chief.get(link).status_code == 200 for link in links)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?q=cfdi40149", "DomicilioFiscalReceptor"),
        ("?q=uso+receptor&libro=cfdi33", "CFDI33141"),
        ("?q=nada+así", "Ninguna coincide"),
        ("?libro=nada", "Ninguna coincide"),
        ("?q=%00", "Ninguna coincide"),
        ("", "CFDI 4.0"),
    ],
)
def test_rules_are_found_by_words(desk: Desk, query: str, words: str) -> None:
    anybody = Visitor(desk)

    assert anybody.get(f"{RULES}{query}").status_code == 200
    assert words in anybody.text

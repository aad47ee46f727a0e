"""The server state page with its dead letters, and the rule sets."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import update
from tests.support.browser import Visitor
from tests.support.events import write_deliveries
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.database.build import opened_database
from timbra.database.tables.mail import EMAIL_OUTBOX
from timbra.database.tables.stamps import OUTBOX
from timbra.delivery.ports import authority_work
from timbra.events.email import EmailDelivery
from timbra.operations.build import operations_services
from timbra.rules.registry import RULE_SETS
from timbra.snapshot.opening import opened_snapshot
from timbra.validation.rule_views import rule_rows, rule_set_rows

PATH = "/portal/estado"
RULES = "/validador/reglas"


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.container.get(account_services).accounts.create("jefa@example.com", "una contraseña larga", "administrator")
    made.store(made.mint())
    yield made
    made.container.close()


@pytest.fixture
def administrator(sandbox_app: SandboxApp) -> Visitor:
    made = Visitor(sandbox_app)
    assert made.sign_in("jefa@example.com").status_code == 303
    return made


def test_state_page_answers_404_without_administrator_role(sandbox_app: SandboxApp) -> None:
    ana = Visitor(sandbox_app)
    ana.sign_in("ana@example.com")

    assert ana.get(PATH).status_code == 404
    assert ana.post(f"{PATH}/entregas", {}).status_code == 404


def test_state_page_shows_versions_and_list_ages(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    assert administrator.get(PATH).status_code == 200
    for words in (
        "Listo:",
        "SQLite",
        sandbox_app.container.get(opened_snapshot).version,
        "cfdi40:2026-03-25",
        "Antigüedad de la lista",
    ):
        assert words in administrator.text


def test_state_page_shows_failing_health_checks(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    sandbox_app.container.get(operations_services).health_checks.start_draining()
    try:
        administrator.get(PATH)
    finally:
        sandbox_app.container.get(operations_services).health_checks.is_draining = False
    assert "No está listo: el servidor se está deteniendo" in administrator.text


def test_retry_delivery_requeues_a_dead_delivery(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    uuid = sandbox_app.issue(examples.ingreso(fecha=FECHA).encode()).uuid.lower()
    write_deliveries(sandbox_app.container.get(opened_database))
    with sandbox_app.container.get(opened_database).write() as connection:
        connection.execute(
            update(OUTBOX).values(attempts=sandbox_app.container.get(operations_services).outbox.max_attempts)
        )

    administrator.get(PATH)
    assert uuid in administrator.text
    assert administrator.post(f"{PATH}/entregas", {"subject": "another"}).status_code == 303
    assert len(sandbox_app.container.get(operations_services).outbox.list_pending(9, dead_only=True)) == 1
    assert administrator.post(f"{PATH}/entregas", {"subject": uuid}).status_code == 303
    assert sandbox_app.container.get(operations_services).outbox.list_pending(9, dead_only=True) == []
    sandbox_app.container.get(authority_work).deliver()
    administrator.get(PATH)
    assert uuid not in administrator.text


def test_retry_email_requeues_a_dead_email(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    now = sandbox_app.container.wall.now()
    email = EmailDelivery(
        "0" * 32, "x@example.com", sandbox_app.caller.account_id, now - timedelta(days=1), None, 5, "nadie contesta"
    )
    with sandbox_app.container.get(opened_database).write() as connection:
        values = {name: getattr(email, name) for name in EmailDelivery.__slots__ if name != "reason"}
        connection.execute(EMAIL_OUTBOX.insert().values(**values, failure=email.reason))

    administrator.get(PATH)
    assert "nadie contesta" in administrator.text
    assert administrator.post(f"{PATH}/correos", {"uuid": email.uuid}).status_code == 303
    assert sandbox_app.container.get(operations_services).email_outbox.list_pending(dead_only=True) == []


def test_rule_rows_cover_every_rule_set() -> None:
    """A row that two rule sets share is counted in both and listed once."""
    codes = {rule.code for rule_set in RULE_SETS for rule in rule_set.rules}
    codes |= {row.code for rule_set in RULE_SETS for row in rule_set.not_implemented}

    assert {line.code for line in rule_rows()} == codes
    assert {line.name for line in rule_set_rows()} == {book.name for book in RULE_SETS}
    assert all(line.sentence for line in rule_rows())


def test_rule_set_links_to_its_rules_and_their_pages(administrator: Visitor) -> None:
    administrator.get(PATH)
    assert administrator.page is not None
    (book,) = administrator.page.xpath("//a[text()='Estado de Cuenta de Combustibles 1.2']/@href")
    administrator.get(book)
    signed_links = administrator.page.xpath("//section[1]//tbody//a/@href")
    assert len(signed_links) == 5
    assert all(administrator.get(link).status_code == 200 for link in signed_links)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?q=cfdi40149", "DomicilioFiscalReceptor"),
        ("?q=uso+receptor&libro=cfdi33", "CFDI33141"),
        ("?q=redondeado", "CFDI40108"),
        ("?q=c_Moneda", "CFDI40113"),
        ("?q=contrase%C3%B1a", "AU2000"),
        ("?q=nada+así", "Sin resultados"),
        ("?libro=nada", "Sin resultados"),
        ("?q=%00", "Sin resultados"),
        ("", "CFDI 4.0"),
    ],
)
def test_search_rules_finds_words(sandbox_app: SandboxApp, query: str, words: str) -> None:
    anybody = Visitor(sandbox_app)

    assert anybody.get(f"{RULES}{query}").status_code == 200
    assert words in anybody.text

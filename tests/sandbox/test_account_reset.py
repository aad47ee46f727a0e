"""The reset of one account: its data are removed, those of other accounts stay."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.support.asgi import Answer, application, call, upload
from tests.support.browser import Visitor
from tests.support.fake_services import TOKEN, FakeServices
from tests.support.sandbox_app import FECHA, SandboxApp, with_attribute

from timbra import examples
from timbra.accounts.build import account_services
from timbra.core.caller import Caller
from timbra.database.build import opened_database
from timbra.delivery.ports import authority_work
from timbra.documents.build import document_services
from timbra.operations.build import operations_services
from timbra.rejections.store import RejectionFilter
from timbra.sandbox.build import flush_buffers, sandbox_services
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT
from timbra.stamps.search import StampFilter

PATH, PAGE = "/sandbox/account/reset", "/portal/reinicio"
ANA, BEA = "ana@example.com", "bea@example.com"


@pytest.fixture
def sandbox_app(tmp_path: Path) -> Iterator[SandboxApp]:
    """Two accounts with a stamp and a rejection each; the balance of the first one is limited."""
    made = SandboxApp(tmp_path)
    credential = made.mint()
    made.store(credential)
    bea = made.account(BEA)
    made.store(credential, bea)
    for caller, folio in ((made.caller, "1"), (bea, "2")):
        made.container.get(account_services).balances.set_unlimited(caller.account_id, False)
        made.container.get(account_services).balances.add(caller.account_id, 10)
        invoice = examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()
        assert issue(made, caller, invoice).status == 200
        assert issue(made, caller, with_attribute(invoice, "MetodoPago", "XXX")).status == 400
    made.container.get(authority_work).deliver()
    flush_buffers(made.container)
    yield made
    made.container.close()


def send(sandbox_app: SandboxApp, caller: Caller, path: str, body: bytes, headers: dict[str, str]) -> Answer:
    token = sandbox_app.container.get(account_services).accounts.session_token(caller.user).token
    sent = headers | {"Authorization": f"Bearer {token}"}
    return call(application(sandbox_app.container), "POST", path, headers=sent, body=body)


def issue(sandbox_app: SandboxApp, caller: Caller, xml: bytes) -> Answer:
    headers, body = upload(xml)
    return send(sandbox_app, caller, "/cfdi33/issue/v4", body, headers)


def reset(sandbox_app: SandboxApp, caller: Caller, body: object) -> Answer:
    content = json.dumps(body).encode()
    return send(sandbox_app, caller, PATH, content, {"Content-Type": "application/json"})


def counts(sandbox_app: SandboxApp, user: str) -> tuple[int, int]:
    """Return the number of stamps and of rejections of an account."""
    container = sandbox_app.container
    account_id = container.get(account_services).accounts.find(user).account_id
    rows = container.get(document_services).listing.page(StampFilter(account_id), limit=50).rows
    rejections = container.get(operations_services).rejection_store.page(RejectionFilter(account_id)).rejections
    return len(rows), len(rejections)


def indexed(sandbox_app: SandboxApp) -> int:
    """Return the number of documents that the simulated authority has."""
    with sandbox_app.container.get(opened_database).read() as connection:
        return len(connection.execute(select(SANDBOX_DOCUMENT.c.uuid)).all())


def remaining(sandbox_app: SandboxApp, user: str) -> int:
    services = sandbox_app.container.get(account_services)
    return services.balances.get(services.accounts.find(user).account_id).remaining


def test_reset_removes_the_data_of_the_account_only(sandbox_app: SandboxApp) -> None:
    assert counts(sandbox_app, ANA) == counts(sandbox_app, BEA) == (1, 1)
    assert indexed(sandbox_app) == 2
    assert remaining(sandbox_app, ANA) == 9

    answer = reset(sandbox_app, sandbox_app.caller, {"confirm": ANA})

    removed = answer.json["data"]
    assert (removed["stamps"], removed["documents"], removed["rejections"]) == (1, 1, 1)
    assert counts(sandbox_app, ANA) == (0, 0)
    assert counts(sandbox_app, BEA) == (1, 1)
    assert indexed(sandbox_app) == 1
    assert (remaining(sandbox_app, ANA), remaining(sandbox_app, BEA)) == (10, 9)
    invoice = examples.ingreso({"@Folio": "1"}, fecha=FECHA).encode()
    assert issue(sandbox_app, sandbox_app.caller, invoice).status == 200


def test_reset_is_in_the_audit_log_of_the_account(sandbox_app: SandboxApp) -> None:
    reset(sandbox_app, sandbox_app.caller, {"confirm": ANA})

    visitor = Visitor(sandbox_app)
    visitor.sign_in(ANA)
    visitor.get("/portal/bitacora?tipo=sandbox")
    assert "Datos de la cuenta reiniciados" in visitor.text
    other = Visitor(sandbox_app)
    other.sign_in(BEA)
    other.get("/portal/bitacora?tipo=sandbox")
    assert "Datos de la cuenta reiniciados" not in other.text


@pytest.mark.parametrize("body", [{}, {"confirm": BEA}, {"confirm": ""}, {"confirm": 1}, []])
def test_reset_needs_the_name_of_the_user(sandbox_app: SandboxApp, body: object) -> None:
    answer = reset(sandbox_app, sandbox_app.caller, body)

    assert (answer.status, answer.json["message"][:5]) == (400, "TB400")
    assert counts(sandbox_app, ANA)[0] == 1


def test_reset_does_not_exist_outside_the_sandbox() -> None:
    answer = call(FakeServices(sandbox=False).app(), "POST", PATH, headers={"Authorization": f"Bearer {TOKEN}"})

    assert (answer.status, answer.json["message"][:6]) == (404, "TB4040")


def test_page_resets_after_the_confirmation(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.sign_in(ANA)
    visitor.get(PAGE)
    assert visitor.post(PAGE, {"confirm": BEA}).status_code == 422
    assert "El nombre escrito no es el del usuario." in visitor.text
    assert counts(sandbox_app, ANA)[0] == 1

    answer = visitor.post(PAGE, {"confirm": ANA})

    assert (answer.status_code, answer.headers["location"]) == (303, "/portal?aviso=reinicio")
    assert (counts(sandbox_app, ANA)[0], counts(sandbox_app, BEA)[0]) == (0, 1)


def test_page_is_for_owners(sandbox_app: SandboxApp) -> None:
    accounts = sandbox_app.container.get(account_services).accounts
    accounts.users.create(sandbox_app.caller.account_id, "lee@example.com", "una contraseña larga", "operator")
    visitor = Visitor(sandbox_app)
    visitor.sign_in("lee@example.com")

    assert visitor.get(PAGE).status_code == 404
    assert visitor.post(PAGE, {"confirm": "lee@example.com"}).status_code == 404
    assert counts(sandbox_app, ANA)[0] == 1


def test_reset_beside_stamping_leaves_no_orphan(sandbox_app: SandboxApp) -> None:
    """A stamp that waits for its index is either whole or gone."""
    issue(sandbox_app, sandbox_app.caller, examples.ingreso({"@Folio": "9"}, fecha=FECHA).encode())

    async def both() -> None:
        service = sandbox_app.container.get(sandbox_services).account_reset
        caller = sandbox_app.caller
        await asyncio.gather(
            asyncio.to_thread(service.reset, caller.account_id, ANA, ANA),
            asyncio.to_thread(sandbox_app.container.get(authority_work).deliver),
        )

    asyncio.run(both())
    sandbox_app.container.get(authority_work).deliver()

    assert counts(sandbox_app, ANA)[0] == 0
    assert indexed(sandbox_app) == 1

"""Account administration, which only administrators can open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.accounts.pages import accounts
from timbra.accounts.store.models import Account
from timbra.accounts.users import AccountChange
from timbra.database.build import opened_database

PATH = "/portal/cuentas"
PASSWORD = "una contraseña larga"
NEW = {"user": "nueva@example.com", "password": PASSWORD, "role": "account", "name": "Nueva", "stamps": "", "q": ""}


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.container.get(account_services).accounts.create("jefa@example.com", PASSWORD, "administrator")
    yield made
    made.container.close()


@pytest.fixture(scope="module")
def administrator(sandbox_app: SandboxApp) -> Visitor:
    return entered(sandbox_app, "jefa@example.com")


@pytest.fixture
def other(sandbox_app: SandboxApp, request: pytest.FixtureRequest) -> Account:
    """An account of this test alone, with a balance."""
    return sandbox_app.container.get(account_services).accounts.create(
        f"{abs(hash(request.node.name))}@example.com", PASSWORD, unlimited=False
    )


def entered(sandbox_app: SandboxApp, user: str) -> Visitor:
    made = Visitor(sandbox_app)
    assert made.sign_in(user).status_code == 303
    return made


def sent(visitor: Visitor, account: Account, what: str, **fields: str) -> int:
    return visitor.post(f"{PATH}/{account.guid}/{what}", fields).status_code


def now(sandbox_app: SandboxApp, account: Account) -> Account:
    return sandbox_app.container.get(account_services).users.get(account.guid)


def test_wrong_password_is_said_once_and_without_a_code(sandbox_app: SandboxApp) -> None:
    visitor = Visitor(sandbox_app)
    visitor.get("/portal/entrar")
    answer = visitor.post("/portal/entrar", {"user": "ana@example.com", "password": "otra"})

    assert answer.status_code == 422
    assert answer.text.count("El usuario y/o contraseña son inválidos") == 1
    assert "AU2000" not in answer.text
    assert visitor.page is not None
    (field,) = visitor.page.xpath("//input[@aria-invalid]")
    described = visitor.page.xpath("string(//*[@id=$id])", id=field.get("aria-describedby"))
    assert "inválidos" in described


def test_account_pages_answer_404_without_administrator_role(sandbox_app: SandboxApp, other: Account) -> None:
    ana = entered(sandbox_app, "ana@example.com")

    assert ana.get(PATH).status_code == 404
    assert ana.get(f"{PATH}/{other.guid}").status_code == 404
    for what in ("timbres", "limite", "actividad", "password", "articulo-69b", "tolerancia"):
        fields = {"stamps": "9", "state": "closed", "password": "otra contraseña"}
        assert sent(ana, other, what, **fields) == 404
    assert ana.post(PATH, NEW).status_code == 404
    assert now(sandbox_app, other) == other


@pytest.mark.parametrize("policy", ["ignore", "warn", "block", "default"])
def test_policy_of_article_69b_is_changed(
    sandbox_app: SandboxApp, administrator: Visitor, other: Account, policy: str
) -> None:
    assert sent(administrator, other, "articulo-69b", state="block" if policy == "default" else "default") == 303
    assert sent(administrator, other, "articulo-69b", state=policy) == 303
    assert now(sandbox_app, other).article_69b == (None if policy == "default" else policy)
    administrator.get(f"{PATH}/{other.guid}?aviso=articulo-69b")
    assert administrator.page is not None
    assert administrator.page.xpath("//select[@id='policy']/option[@selected]/@value") == [policy]
    assert "La política del artículo 69-B cambió." in administrator.text
    assert sent(administrator, other, "articulo-69b", state="quizá") == 422
    assert now(sandbox_app, other).article_69b == (None if policy == "default" else policy)


@pytest.mark.parametrize("choice", ["default", "none", "carta-porte", "foreign-use", "all"])
def test_leniency_of_the_vendor_is_changed(
    sandbox_app: SandboxApp, administrator: Visitor, other: Account, choice: str
) -> None:
    users = sandbox_app.container.get(account_services).users
    users.update(other.guid, AccountChange(vendor_leniency="foreign-use,carta-porte"))
    administrator.get(f"{PATH}/{other.guid}")
    assert administrator.page is not None
    selected = administrator.page.xpath("//select[@id='leniency']/option[@selected]")
    assert [option.text for option in selected] == ["carta-porte,foreign-use"]

    assert sent(administrator, other, "tolerancia", state=choice) == 303
    assert now(sandbox_app, other).vendor_leniency == (None if choice == "default" else choice)
    administrator.get(f"{PATH}/{other.guid}?aviso=tolerancia")
    assert administrator.page.xpath("//select[@id='leniency']/option[@selected]/@value") == [choice]
    assert "Cambió lo que se acepta como el proveedor." in administrator.text
    assert sent(administrator, other, "tolerancia", state="quizá") == 422
    assert now(sandbox_app, other).vendor_leniency == (None if choice == "default" else choice)


@pytest.mark.parametrize(
    ("given", "role", "unlimited", "remaining"),
    [
        ({"stamps": "25"}, "account", False, 25),
        ({"unlimited": "yes"}, "account", True, 0),
        ({"role": "administrator"}, "administrator", False, 0),
    ],
)
def test_create_adds_an_account(
    sandbox_app: SandboxApp, administrator: Visitor, given: dict[str, str], role: str, unlimited: bool, remaining: int
) -> None:
    user = f"{role}-{remaining}-{unlimited}@example.com"

    assert administrator.post(PATH, {**NEW, **given, "user": user}).status_code == 303
    made = sandbox_app.container.get(account_services).accounts.find(user)
    assert (made.role, made.unlimited, made.remaining, made.holder.name) == (role, unlimited, remaining, "Nueva")
    administrator.get(f"{PATH}?q={user}")
    assert administrator.page is not None
    assert administrator.page.xpath("//tbody//a/@href") == [f"{PATH}/{made.guid}"]
    assert entered(sandbox_app, user).text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"user": "ana@example.com"}, "ya existe"),
        ({"user": "a b"}, "sin espacios"),
        ({"password": ""}, "Debe tener entre 1"),
        ({"role": "king"}, "El rol es usuario o administrador."),
        ({"stamps": "-1"}, "Timbres: debe ser un número entero."),
        ({"stamps": "99999999999"}, "debe ser un entero de 1 a 2147483647"),
        ({"name": "x" * 300}, "admite hasta 254 caracteres visibles"),
    ],
)
def test_create_rejects_invalid_fields(
    sandbox_app: SandboxApp, administrator: Visitor, given: dict[str, str], words: str
) -> None:
    fields = {**NEW, "user": "mala@example.com", **given}

    answer = administrator.post(PATH, fields)
    assert answer.status_code == 422
    assert words in administrator.text
    assert PASSWORD not in answer.text
    assert "mala@example.com" not in {
        account.user for account in sandbox_app.container.get(account_services).accounts.list_accounts()
    }


def test_change_balance_records_movements(sandbox_app: SandboxApp, administrator: Visitor, other: Account) -> None:
    assert sent(administrator, other, "timbres", stamps="10", comment="compra <b>1</b>", move="add") == 303
    assert sent(administrator, other, "timbres", stamps="3", comment="", move="remove") == 303
    assert now(sandbox_app, other).remaining == 7
    administrator.get(f"{PATH}/{other.guid}")
    assert administrator.page is not None
    rows = [[cell.text_content() for cell in row.xpath("td")][1:] for row in administrator.page.xpath("//tbody/tr")]
    assert rows == [["", "3", "7", "", "jefa@example.com"], ["10", "", "10", "compra <b>1</b>", "jefa@example.com"]]


@pytest.mark.parametrize(("stamps", "move"), [("8", "remove"), ("0", "add"), ("", "add"), ("1.5", "add")])
def test_change_balance_rejects_invalid_amounts(
    sandbox_app: SandboxApp, administrator: Visitor, other: Account, stamps: str, move: str
) -> None:
    assert sent(administrator, other, "timbres", stamps=stamps, comment="", move=move) == 422
    assert now(sandbox_app, other).remaining == 0


def test_change_limit_switches_between_balance_and_unlimited(
    sandbox_app: SandboxApp, administrator: Visitor, other: Account
) -> None:
    for state, unlimited in (("unlimited", True), ("unlimited", True), ("limited", False)):
        assert sent(administrator, other, "limite", state=state) == 303
        assert now(sandbox_app, other).unlimited is unlimited
    assert sent(administrator, other, "limite", state="none") == 422


def test_change_activity_ends_and_restores_access(
    sandbox_app: SandboxApp, administrator: Visitor, other: Account
) -> None:
    visitor = entered(sandbox_app, other.user)

    assert sent(administrator, other, "actividad", state="closed") == 303
    sandbox_app.container.get(opened_database).poll()
    assert visitor.get("/portal/facturas").status_code == 303
    assert sent(administrator, other, "actividad", state="active") == 303
    sandbox_app.container.get(opened_database).poll()
    assert visitor.get("/portal/facturas").status_code == 200


def test_change_activity_rejects_the_own_account(sandbox_app: SandboxApp, administrator: Visitor) -> None:
    own = sandbox_app.container.get(account_services).accounts.find("jefa@example.com")

    assert sent(administrator, own, "actividad", state="closed") == 422
    assert now(sandbox_app, own).active


def test_change_password_ends_existing_sessions(
    sandbox_app: SandboxApp, administrator: Visitor, other: Account
) -> None:
    visitor = entered(sandbox_app, other.user)

    assert sent(administrator, other, "password", password="") == 422
    assert sent(administrator, other, "password", password="otra contraseña") == 303
    sandbox_app.container.get(opened_database).poll()
    assert visitor.get("/portal/facturas").status_code == 303
    assert visitor.sign_in(other.user, "otra contraseña").status_code == 303


@pytest.mark.parametrize("guid", ["x", "00000000-0000-4000-8000-000000000000", "%00"])
def test_show_answers_404_for_an_unknown_account(administrator: Visitor, guid: str) -> None:
    assert administrator.get(f"{PATH}/{guid}").status_code == 404


@pytest.mark.parametrize("query", ["?pagina=2", "?pagina=x", "?pagina=99999999999", "?q=%00", "?q=XAXX010101000"])
def test_search_accepts_any_query(administrator: Visitor, query: str) -> None:
    assert administrator.get(f"{PATH}{query}").status_code == 200


def test_search_links_to_next_and_previous_page(
    administrator: Visitor, other: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "PER_PAGE", 2)
    administrator.get(PATH)
    assert administrator.page is not None
    (onwards,) = administrator.page.xpath("//a[@rel='next']/@href")
    first = set(administrator.page.xpath("//tbody//a/@href"))
    administrator.get(f"{PATH}{onwards}")
    assert first.isdisjoint(administrator.page.xpath("//tbody//a/@href"))
    assert administrator.page.xpath("//a[@rel='prev']")


def test_weak_password_of_a_sandbox_is_accepted_with_a_warning(administrator: Visitor) -> None:
    answer = administrator.post(PATH, {**NEW, "user": "corta@example.com", "password": "corta"})
    assert answer.status_code == 303
    assert "fácil de adivinar" in administrator.get(answer.headers["location"]).text
    answer = administrator.post(PATH, {**NEW, "user": "larga@example.com", "password": "caballo pila grapa correcta"})
    assert "fácil de adivinar" not in administrator.get(answer.headers["location"]).text

"""The two-person rule: requests, confirmations, their use, and the commands and pages that ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyotp import TOTP
from tests.accounts.support import ENVELOPE, MovableClock, rejected
from tests.support.browser import Visitor
from tests.support.events import list_audit_events
from tests.support.sandbox_app import SandboxApp
from typer.testing import CliRunner

from timbra.accounts.accounts import Accounts
from timbra.accounts.approvals import Approvals
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.archive.build import archive_months
from timbra.archive.retention import Retention
from timbra.cli.main import app as cli
from timbra.core.approvals import ProtectedAction, named_actions
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.events.audit.audit import Audit
from timbra.settings import Settings

PASSWORD = "una contraseña larga"
PRUNE, LISTS, DISABLE = ProtectedAction.PRUNE, ProtectedAction.FORCE_LISTS, ProtectedAction.DISABLE_CERTIFICATE
JEFA, SOCIA, ANA = "jefa@example.com", "socia@example.com", "ana@example.com"


@pytest.fixture
def people(any_database: Database, wall: MovableClock) -> Iterator[dict[str, Caller]]:
    """Two administrators and an account with two owners and an operator."""
    accounts = Accounts(any_database, ENVELOPE, "sandbox", wall, wall)
    for name in (JEFA, SOCIA):
        accounts.create(name, PASSWORD, "administrator")
    account_id = accounts.create(ANA, PASSWORD).account_id
    for name, role in (("bea@example.com", "owner"), ("leo@example.com", "operator")):
        accounts.users.create(account_id, name, PASSWORD, role)
    names = (JEFA, SOCIA, ANA, "bea@example.com", "leo@example.com")
    yield {name: accounts.caller(f"Bearer {accounts.session_token(name).token}") for name in names}
    accounts.close()


@pytest.fixture
def approvals(any_database: Database, wall: MovableClock) -> Approvals:
    return Approvals(any_database, named_actions("keys, prune"), timedelta(minutes=60), wall, Audit(wall, wall))


def codes(*calls: ServiceError) -> list[str]:
    return [error.code for error in calls]


def test_operation_is_done_once_after_another_person_confirmed(
    approvals: Approvals, people: dict[str, Caller], any_database: Database
) -> None:
    assert rejected(approvals.use, PRUNE).code == "approval-needed"
    approvals.request(people[JEFA], PRUNE)
    [waiting] = approvals.list_all()
    assert f"La solicitud {waiting.number} espera" in str(rejected(approvals.use, PRUNE).detail)
    assert rejected(approvals.confirm, people[JEFA], waiting.number).code == "approval-own"
    assert approvals.confirm(people[SOCIA], waiting.number).confirmed_by == SOCIA
    assert rejected(approvals.confirm, people[SOCIA], waiting.number).code == "approval-unknown"
    approvals.use(PRUNE)
    assert rejected(approvals.use, PRUNE).code == "approval-needed"
    events = [event for event in list_audit_events(any_database) if event.kind.startswith("approval.")]
    assert [event.kind for event in events] == ["approval.requested", "approval.confirmed", "approval.used"]
    assert [JEFA in event.body for event in events] == [True, False, False]
    assert SOCIA in events[1].body


def test_other_operations_are_not_protected(approvals: Approvals) -> None:
    approvals.use(LISTS)
    assert [approvals.protects(action) for action in (LISTS, PRUNE, DISABLE)] == [False, True, True]


def test_confirmation_is_of_one_subject_and_account(approvals: Approvals, people: dict[str, Caller]) -> None:
    ana = people[ANA]
    approvals.request(ana, DISABLE, "00001", ana.account_id)
    [waiting] = approvals.list_all()
    approvals.confirm(people["bea@example.com"], waiting.number)
    for subject, account_id in (("00002", ana.account_id), ("00001", None), ("00001", people[JEFA].account_id)):
        assert rejected(approvals.use, DISABLE, subject, account_id).code == "approval-needed"
    approvals.use(DISABLE, "00001", ana.account_id)


@pytest.mark.parametrize(
    ("name", "code"),
    [(JEFA, ""), ("bea@example.com", ""), (ANA, "approval-own"), ("leo@example.com", "approval-denied")],
)
def test_request_of_an_account_is_confirmed_by_its_owners(
    approvals: Approvals, people: dict[str, Caller], name: str, code: str
) -> None:
    approvals.request(people[ANA], DISABLE, "00001", people[ANA].account_id)
    [waiting] = approvals.list_open(people["bea@example.com"])
    if code:
        assert rejected(approvals.confirm, people[name], waiting.number).code == code
    else:
        assert approvals.confirm(people[name], waiting.number).confirmed_by == name


def test_request_of_the_server_is_for_administrators(approvals: Approvals, people: dict[str, Caller]) -> None:
    assert rejected(approvals.request, people[ANA], PRUNE).code == "approval-denied"
    approvals.request(people[JEFA], PRUNE)
    [waiting] = approvals.list_open(people[SOCIA])
    assert approvals.list_open(people[ANA]) == []
    assert (
        codes(
            rejected(approvals.confirm, people[ANA], waiting.number),
            rejected(approvals.reject, people[ANA], waiting.number),
        )
        == ["approval-denied"] * 2
    )


def test_request_and_confirmation_expire(approvals: Approvals, people: dict[str, Caller], wall: MovableClock) -> None:
    approvals.request(people[JEFA], PRUNE)
    [first] = approvals.list_all()
    wall.advance(3600)
    assert rejected(approvals.confirm, people[SOCIA], first.number).code == "approval-unknown"
    approvals.request(people[JEFA], PRUNE)
    [second] = approvals.list_all()
    wall.advance(3599)
    approvals.confirm(people[SOCIA], second.number)
    wall.advance(3600)
    assert rejected(approvals.use, PRUNE).code == "approval-needed"


def test_rejected_request_has_no_effect(approvals: Approvals, people: dict[str, Caller]) -> None:
    approvals.request(people[JEFA], PRUNE)
    [waiting] = approvals.list_all()
    approvals.confirm(people[SOCIA], waiting.number)
    approvals.reject(people[JEFA], waiting.number)
    assert rejected(approvals.use, PRUNE).code == "approval-needed"
    assert approvals.list_all() == []


def test_repeated_request_is_one_and_concurrent_uses_are_one(approvals: Approvals, people: dict[str, Caller]) -> None:
    for _ in range(2):
        approvals.request(people[JEFA], PRUNE)
    [waiting] = approvals.list_all()
    approvals.confirm(people[SOCIA], waiting.number)

    def uses(_: int) -> bool:
        try:
            approvals.use(PRUNE)
        except ServiceError as error:
            return error.code != "approval-needed"
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(uses, range(4))) == 1


def test_settings_reject_an_unknown_group() -> None:
    with pytest.raises(ValueError, match="claves: the groups are keys, lists, prune"):
        Settings(two_person_actions="keys,claves")


@pytest.fixture
def protected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SandboxApp:
    monkeypatch.setenv("TIMBRA_TWO_PERSON_ACTIONS", "keys,lists,prune")
    app = SandboxApp(tmp_path, wall=MovableClock(datetime.now(UTC)), two_person_actions="keys,lists,prune")
    accounts = app.container.get(account_services).accounts
    for name in (JEFA, SOCIA):
        accounts.create(name, PASSWORD, "administrator")
    return app


def run(app: SandboxApp, *arguments: str, person: str = "", code: str = "") -> tuple[int, str]:
    data = str(app.container.settings.data)
    typed = f"{person}\n{PASSWORD}\n{code}\n" if person else ""
    result = CliRunner().invoke(cli, [*arguments, "--data", data], input=typed)
    return result.exit_code, result.output


def test_commands_wait_for_a_second_person(protected: SandboxApp) -> None:
    code, output = run(protected, "token", "rotate-secret", "--keep-days", "0", person=JEFA)
    assert (code, "timbra approval confirm 1" in output) == (1, True), output
    code, output = run(protected, "approval", "confirm", "1", person=JEFA)
    assert (code, "Quien pidió la operación no la puede confirmar." in output) == (1, True), output
    code, output = run(protected, "approval", "list")
    assert output.split("\t")[:4] == ["1", "token.rotate-secret", "--keep-days 0", JEFA]
    assert run(protected, "approval", "confirm", "1", person=SOCIA)[0] == 0
    assert run(protected, "token", "rotate-secret", "--keep-days", "1")[0] == 1
    assert run(protected, "token", "rotate-secret", "--keep-days", "0")[0] == 0
    assert run(protected, "token", "rotate-secret", "--keep-days", "0")[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [["vault", "rotate"], ["archive", "prune"], ["lists", "fetch", "--force"]],
)
def test_protected_command_does_nothing_without_a_person(protected: SandboxApp, arguments: list[str]) -> None:
    assert run(protected, *arguments)[0] == 1
    code, output = run(protected, *arguments, person=ANA)
    assert (code, "La decisión es de otra persona" in output) == (1, True), output
    code, output = run(protected, *arguments, person=JEFA)
    assert (code, "timbra approval confirm 1" in output) == (1, True), output
    kinds = [event.kind for event in list_audit_events(protected.container.get(opened_database))]
    assert "approval.requested" in kinds
    assert not {"master-key.rotated", "archive.pruned", "lists.imported"} & set(kinds)


def test_person_with_a_second_factor_gives_a_code_at_the_command_line(protected: SandboxApp) -> None:
    services = protected.container.get(account_services)
    socia = services.accounts.user_of(services.accounts.find(SOCIA).account_id, None)
    secret = services.second_factors.enrol(socia).secret
    [code, *_] = services.second_factors.confirm(socia, TOTP(secret).at(protected.container.wall.now()), "")
    assert run(protected, "archive", "prune", person=JEFA)[0] == 1
    assert run(protected, "approval", "confirm", "1", person=SOCIA)[0] == 1
    exit_code, output = run(protected, "approval", "confirm", "1", person=SOCIA, code="000000")
    assert (exit_code, "El código no es correcto" in output) == (1, True), output
    assert run(protected, "approval", "confirm", "1", person=SOCIA, code=code)[0] == 0
    assert run(protected, "archive", "prune")[0] == 0
    assert run(protected, "user", "reset-factor", SOCIA) == (0, f"{SOCIA}\n")
    assert not services.accounts.user_of(socia.account_id, None).has_second_factor


@pytest.mark.parametrize(("rule", "prunes"), [("", True), ("prune", False)])
def test_server_does_not_prune_by_itself_under_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, prunes: bool
) -> None:
    app = SandboxApp(tmp_path, two_person_actions=rule)
    pruned: list[bool] = []
    monkeypatch.setattr(Retention, "prune", lambda _: pruned.append(True))
    archive_months(app.container)
    assert bool(pruned) is prunes


def test_certificate_is_deactivated_over_the_api_after_a_confirmation(protected: SandboxApp) -> None:
    protected.store(protected.mint())
    services = protected.container.get(certificate_services)
    [stored] = services.vault.list_certificates(protected.caller.account_id)
    error = rejected(services.certificates.disable, protected.caller, stored.number)
    assert (error.code, "otra persona la confirma" in str(error.detail)) == ("certificates", True)
    jefa = protected.container.get(account_services).accounts.caller_for(JEFA)
    services.approvals.confirm(jefa, 1)
    services.certificates.disable(protected.caller, stored.number)
    assert [each.active for each in services.vault.list_certificates(protected.caller.account_id)] == [False]


def test_forced_import_is_bound_to_its_files(protected: SandboxApp, tmp_path: Path) -> None:
    file = tmp_path / "l_RFC_2026_11_17_1.txt"
    file.write_text("x")
    assert run(protected, "lists", "import", "--lrfc", str(file), "--force", person=JEFA)[0] == 1
    assert run(protected, "approval", "confirm", "1", person=SOCIA)[0] == 0
    file.write_text("y")
    code, output = run(protected, "lists", "import", "--lrfc", str(file), "--force", person=JEFA)
    assert (code, "La solicitud 2 espera" in output) == (1, True), output


def test_certificate_is_deactivated_after_another_owner_confirmed_in_the_portal(protected: SandboxApp) -> None:
    credential = protected.mint()
    protected.store(credential)
    accounts = protected.container.get(account_services).accounts
    accounts.users.create(protected.caller.account_id, "bea@example.com", PASSWORD, "owner")
    vault = protected.container.get(certificate_services).vault
    [stored] = vault.list_certificates(protected.caller.account_id)
    path = f"/portal/certificados/{stored.number}/desactivar"
    ana, bea = Visitor(protected), Visitor(protected)
    ana.sign_in(ANA)
    bea.sign_in("bea@example.com")
    assert ana.post(path, {}).status_code == 422
    assert "La operación necesita la confirmación de otra persona" in ana.text
    ana.get("/portal/seguridad")
    assert ana.page is not None
    assert ana.page.xpath("//button[@value='confirm']") == []
    bea.get("/portal/seguridad")
    assert f"{stored.number} · la pidió ana@example.com" in bea.text
    assert ana.post("/portal/seguridad/solicitudes/1", {"decision": "confirm"}).status_code == 422
    assert bea.post("/portal/seguridad/solicitudes/1", {"decision": "confirm"}).status_code == 303
    ana.get("/portal/seguridad")
    assert ana.post(path, {}).status_code == 303
    assert [each.active for each in vault.list_certificates(protected.caller.account_id)] == [False]

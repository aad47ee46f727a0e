"""`timbra account`, `token`, `csd add` and `vault rotate`, each test on its own data folder."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import typer
from tests.accounts.support import KEY_PASSWORD, key_file
from tests.seals.support import minted, rsa_key
from tests.support.images import red_png
from tests.support.key_forms import CERTIFICATE_FORMS, KEY_FORMS, PASSWORD, certificate_file
from tests.support.key_forms import key_file as key_in_form
from typer.testing import CliRunner, Result

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.accounts.commands import account, token, user, vault
from timbra.app.composition import open_container
from timbra.audit import commands as audit
from timbra.settings import Settings

SIGN_IN_LINK = "/portal/entrar/enlace/"

RUNNER = CliRunner()
NUMBER = "30001000000500009999"

csd = typer.Typer()
csd.command("add")(vault.add)
csd.callback()(lambda: None)


class AccountShell:
    """Runs commands on one data folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def run(self, app: typer.Typer, *arguments: str, stdin: str | None = None) -> Result:
        return RUNNER.invoke(app, [*arguments, "--data", str(self.data)], input=stdin)

    def output(self, app: typer.Typer, *arguments: str, stdin: str | None = None) -> str:
        result = self.run(app, *arguments, stdin=stdin)
        assert result.exit_code == 0, result.output
        return result.stdout

    def rejection(self, app: typer.Typer, *arguments: str) -> str:
        result = self.run(app, *arguments)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert "Traceback" not in result.stderr
        return result.stderr

    def user_of_token(self, token: str) -> str:
        with open_container(Settings(data=self.data)) as container:
            return container.get(account_services).accounts.caller(f"Bearer {token.strip()}").user


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AccountShell:
    for name in ("TIMBRA_DATA", "TIMBRA_CONFIG", "TIMBRA_MASTER_KEY", "TIMBRA_DATABASE_URL", "TIMBRA_ENVIRONMENT"):
        monkeypatch.delenv(name, raising=False)
    return AccountShell(tmp_path / "data")


def test_account_commands_create_list_disable_and_enable(shell: AccountShell) -> None:
    assert shell.output(account.app, "create", "Ana@x.mx", "--password", "uno") == "Ana@x.mx (account)\n"
    assert (
        shell.output(account.app, "create", "jefe", "--password", "dos", "--administrator") == "jefe (administrator)\n"
    )
    shell.output(account.app, "disable", "ANA@X.MX")
    rows = [line.split("\t")[:3] for line in shell.output(account.app, "list").splitlines()]
    assert rows == [["Ana@x.mx", "account", "disabled"], ["jefe", "administrator", "active"]]
    shell.output(account.app, "enable", "ana@x.mx")
    assert "disabled" not in shell.output(account.app, "list")


def test_account_create_prompts_for_the_password_without_echo(shell: AccountShell) -> None:
    output = shell.output(account.app, "create", "ana", stdin="secretísima\n")
    assert output.endswith("ana (account)\n")
    assert "secretísima" not in output


def test_account_promote_and_demote_change_the_role(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno", "--administrator")
    shell.output(account.app, "create", "luis", "--password", "uno")
    assert "ana" in shell.rejection(account.app, "demote", "ana")
    assert shell.output(account.app, "promote", "LUIS") == "luis (administrator)\n"
    assert shell.output(account.app, "promote", "luis") == "luis (administrator)\n"
    assert shell.output(account.app, "demote", "ana") == "ana (account)\n"
    shell.output(account.app, "disable", "luis")
    shell.output(account.app, "promote", "ana")
    assert shell.rejection(account.app, "demote", "ana") == "ana es el único administrador activo.\n"
    assert shell.output(account.app, "demote", "luis") == "luis (account)\n"
    assert "No existe" in shell.rejection(account.app, "promote", "eva")


def test_commands_print_errors_on_standard_error(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    assert "ya existe" in shell.rejection(account.app, "create", "ANA", "--password", "uno")
    assert "no existe" in shell.rejection(account.app, "password", "luis", "--password", "x").lower()
    assert "no existe" in shell.rejection(token.app, "create", "luis").lower()
    assert "3 partes" in shell.rejection(token.app, "revoke", "a.b")
    assert "identificador" in shell.rejection(token.app, "revoke", "0" * 32)


def test_token_create_prints_a_session_token_that_expires_with_the_password(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    made = shell.output(token.app, "create", "ana")
    assert made.count("\n") == 1
    assert made.count(".") == 2
    assert shell.user_of_token(made) == "ana"
    infinite = shell.output(token.app, "create", "ana", "--infinite", "--label", "facturación")
    shell.output(account.app, "password", "ana", "--password", "dos")
    with pytest.raises(Exception, match="AU4000"):
        shell.user_of_token(made)
    assert shell.user_of_token(infinite) == "ana"


@pytest.mark.parametrize("by_id", [True, False])
def test_token_revoke_ends_a_listed_infinite_token(shell: AccountShell, by_id: bool) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    made = shell.output(token.app, "create", "ana", "--infinite", "--label", "facturación").strip()
    [line] = shell.output(token.app, "list", "ana").splitlines()
    assert line.split("\t")[1::2] == ["ana", "facturación", "never"]
    assert made not in line
    shell.output(token.app, "revoke", line.split("\t")[0] if by_id else made)
    assert shell.output(token.app, "list") == ""
    with pytest.raises(Exception, match="AU4000"):
        shell.user_of_token(made)


@pytest.mark.parametrize("policy", ["ignore", "warn", "block"])
def test_article_69b_sets_and_prints_the_policy(shell: AccountShell, policy: str) -> None:
    shell.output(account.app, "create", "ana", "--password", "una contraseña larga")
    assert shell.output(account.app, "article-69b", "ana") == "default\n"
    for _ in range(2):
        assert shell.output(account.app, "article-69b", "ana", policy) == f"{policy}\n"
    assert "ignore, warn, block" in shell.rejection(account.app, "article-69b", "ana", "quizá")
    assert shell.output(account.app, "article-69b", "ana") == f"{policy}\n"
    assert shell.output(account.app, "article-69b", "ana", "default") == "default\n"


@pytest.mark.parametrize("names", ["none", "all", "carta-porte,foreign-use"])
def test_vendor_leniency_sets_and_prints_the_choice(shell: AccountShell, names: str) -> None:
    shell.output(account.app, "create", "ana", "--password", "una contraseña larga")
    assert shell.output(account.app, "vendor-leniency", "ana") == "default\n"
    for _ in range(2):
        assert shell.output(account.app, "vendor-leniency", "ana", names) == f"{names}\n"
    assert "carta-porte, foreign-use" in shell.rejection(account.app, "vendor-leniency", "ana", "quizá")
    assert shell.output(account.app, "vendor-leniency", "ana") == f"{names}\n"
    assert shell.output(account.app, "vendor-leniency", "ana", "default") == "default\n"


def test_balance_commands_add_and_remove_stamps(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    shell.output(account.app, "create", "luis", "--password", "uno")
    assert shell.output(account.app, "balance", "show", "ANA") == "ana\tunlimited\t0\t0\n"
    shell.output(account.app, "balance", "limited", "ana")
    assert shell.output(account.app, "balance", "add", "ana", "10", "--comment", "Compra 1") == "10\n"
    assert shell.output(account.app, "balance", "remove", "ana", "4") == "6\n"
    assert "Quedan 6 timbres" in shell.rejection(account.app, "balance", "remove", "ana", "7")
    assert "no existe" in shell.rejection(account.app, "balance", "add", "nadie", "1").lower()
    assert shell.output(account.app, "balance", "list") == "ana\t6\t6\t0\nluis\tunlimited\t0\t0\n"
    rows = [line.split("\t") for line in shell.output(account.app, "balance", "movements", "ana").splitlines()]
    assert [[row[0], *row[2:]] for row in rows] == [["2", "0", "4", "6", ""], ["1", "10", "0", "10", "Compra 1"]]
    shell.output(account.app, "balance", "unlimited", "ana")
    assert shell.output(account.app, "balance", "show", "ana") == "ana\tunlimited\t6\t0\n"


@pytest.mark.parametrize("stamps", ["0", "1.5", "diez"])
def test_balance_add_rejects_numbers_that_are_not_positive_integers(shell: AccountShell, stamps: str) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    assert shell.run(account.app, "balance", "add", "ana", stamps).exit_code == 2
    assert shell.output(account.app, "balance", "add", "ana", "1") == "1\n"


@pytest.fixture
def csd_files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "sello.cer").write_bytes(minted())
    (tmp_path / "sello.key").write_bytes(key_file())
    return str(tmp_path / "sello.cer"), str(tmp_path / "sello.key")


def test_csd_add_stores_the_certificate(shell: AccountShell, csd_files: tuple[str, str]) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    arguments = ("add", "--account", "ANA", "--cer", csd_files[0], "--key", csd_files[1], "--password")
    assert shell.output(csd, *arguments, KEY_PASSWORD) == f"{NUMBER}\tEKU9003173C9\tESCUELA KEMPER URGATE\n"
    assert "contraseña" in shell.rejection(csd, *arguments, "otra")
    with open_container(Settings(data=shell.data)) as container:
        assert container.get(certificate_services).vault.get(1, NUMBER).active


@pytest.mark.parametrize("key_form", KEY_FORMS)
@pytest.mark.parametrize("certificate_form", CERTIFICATE_FORMS)
def test_csd_add_asks_for_the_password_of_an_encrypted_key_only(
    shell: AccountShell, tmp_path: Path, certificate_form: str, key_form: str
) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    cer, key = tmp_path / "sello.cer", tmp_path / "sello.key"
    cer.write_bytes(certificate_file(certificate_form, minted()))
    key.write_bytes(key_in_form(key_form, rsa_key(1)))
    added = shell.run(csd, "add", "--account", "ana", "--cer", str(cer), "--key", str(key), stdin=f"{PASSWORD}\n")
    assert added.exit_code == 0, added.output
    assert added.stdout.endswith(f"{NUMBER}\tEKU9003173C9\tESCUELA KEMPER URGATE\n")
    assert ("Password" in added.stdout) == key_form.endswith("encrypted")


def test_csd_add_names_the_option_of_a_missing_file(shell: AccountShell, csd_files: tuple[str, str]) -> None:
    result = shell.run(csd, "add", "--account", "ana", "--cer", "no-hay.cer", "--key", csd_files[1], "--password", "x")
    assert result.exit_code == 2
    assert "--cer" in result.stderr


def test_vault_rotate_changes_nothing_when_the_master_key_is_the_same(
    shell: AccountShell, csd_files: tuple[str, str]
) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    shell.output(
        csd, "add", "--account", "ana", "--cer", csd_files[0], "--key", csd_files[1], "--password", KEY_PASSWORD
    )
    assert shell.output(vault.app, "rotate") == "0\n"


def test_token_create_reports_a_different_master_key(shell: AccountShell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    monkeypatch.setenv("TIMBRA_MASTER_KEY", base64.b64encode(bytes(32)).decode())
    assert "llave maestra" in shell.rejection(token.app, "create", "ana")


def test_account_create_reads_the_password_from_standard_input(shell: AccountShell) -> None:
    result = shell.run(account.app, "create", "ana", "--password-stdin", stdin="caballo pila grapa correcta\n")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "ana (account)\n", "")


def test_account_create_hints_at_standard_input_and_warns_about_a_weak_password(shell: AccountShell) -> None:
    result = shell.run(account.app, "create", "ana", "--password", "uno")
    assert "--password-stdin" in result.stderr
    assert "easy to guess" in result.stderr
    assert "easy to guess" not in shell.run(account.app, "password", "ana", "--password", "Zq7#vLw2!pXe").stderr


def test_account_create_rejects_a_weak_password_in_production(
    shell: AccountShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    assert "12" in shell.rejection(account.app, "create", "ana", "--password-stdin")


def test_token_create_limits_scopes_and_days(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    shell.output(token.app, "create", "ana", "--infinite", "--scope", "read", "--scope", "stamp", "--days", "30")
    [line] = shell.output(token.app, "list", "ana").splitlines()
    assert line.split("\t")[4] == "stamp read"
    assert line.split("\t")[5].endswith("Z")
    assert shell.run(token.app, "create", "ana", "--scope", "read").exit_code == 2


def test_token_rotate_secret_ends_older_tokens_after_the_overlap(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password", "uno")
    older = shell.output(token.app, "create", "ana", "--infinite")
    shell.output(token.app, "rotate-secret")
    assert shell.user_of_token(older) == "ana"
    shell.output(token.app, "rotate-secret", "--keep-days", "0")
    newer = shell.output(token.app, "create", "ana", "--infinite")
    assert shell.user_of_token(newer) == "ana"


def test_branding_commands_change_show_and_reset(shell: AccountShell, tmp_path: Path) -> None:
    logo = tmp_path / "logo.png"
    logo.write_bytes(red_png(30, 10))
    shell.output(account.app, "create", "ana", "--password", "uno")
    shell.output(account.app, "branding", "set", "ana", "--template", "moderna", "--logo", str(logo))
    shell.output(account.app, "branding", "set", "ana", "--footer", "Tel. 55", "--color", "#7a1f3d")
    shown = shell.output(account.app, "branding", "show", "ana").strip().split("\t")
    assert shown == ["moderna", "#7a1f3d", str(logo.stat().st_size), "Tel. 55"]
    assert "No existe la plantilla" in shell.rejection(account.app, "branding", "set", "ana", "--template", "otra")
    assert shell.output(account.app, "branding", "reset", "ana").startswith("clasica\t")


def test_users_of_an_account(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana", "--password-stdin", stdin="una contraseña larga\n")
    made = shell.output(
        user.app, "create", "ana", "luis", "--role", "operator", "--password-stdin", stdin="otra contraseña larga\n"
    )
    assert made == "luis (operator)\n"
    assert shell.user_of_token(shell.output(token.app, "create", "luis")) == "luis"
    shell.output(user.app, "role", "ana", "luis", "--role", "reader")
    shell.output(user.app, "disable", "ana", "luis")
    assert shell.output(user.app, "list", "ana").startswith("luis\treader\tdisabled\t")
    shell.output(user.app, "enable", "ana", "luis")
    shell.output(user.app, "remove", "ana", "luis")
    assert shell.output(user.app, "list", "ana") == ""
    assert shell.rejection(user.app, "remove", "ana", "luis")


def test_audit_lists_verifies_and_exports(shell: AccountShell, tmp_path: Path) -> None:
    shell.output(account.app, "create", "ana", "--password-stdin", stdin="una contraseña larga\n")
    listed = shell.output(audit.app, "list", "--account", "ana", "--kind", "account").split("\t")
    assert (listed[2], listed[3].split()[0], listed[5]) == ("account.created", "operator", "ana")
    verified = shell.output(audit.app, "verify")
    head = verified.rstrip().rpartition(" ")[2]
    assert shell.run(audit.app, "verify", "--head", head).exit_code == 0
    assert shell.run(audit.app, "verify", "--head", f"99:{'0' * 64}").exit_code == 1
    file = tmp_path / "audit.jsonl"
    shell.output(audit.app, "export", str(file))
    key = next(
        line.split()[1] for line in verified.splitlines() if len(line.split()) == 3 and len(line.split()[2]) == 64
    )
    assert shell.run(audit.app, "verify", "--file", str(file), "--key", key, "--head", head).exit_code == 0
    file.write_bytes(file.read_bytes().replace(b'"ana"', b'"eva"'))
    changed = shell.run(audit.app, "verify", "--file", str(file))
    assert (changed.exit_code, "link-changed\t1" in changed.stdout) == (1, True)
    assert shell.run(audit.app, "verify", "--head", "x").exit_code == 2
    assert shell.run(audit.app, "list", "--since", "x").exit_code == 2


def test_account_init_creates_the_first_administrator_and_prints_a_link(shell: AccountShell) -> None:
    created, link = shell.output(
        account.app, "init", "ana@example.com", "--url", "https://timbra.example/"
    ).splitlines()
    assert created == "ana@example.com (administrator)"
    base, _, secret = link.rpartition(SIGN_IN_LINK)
    assert base == "https://timbra.example"
    with open_container(Settings(data=shell.data)) as container:
        assert container.get(account_services).sign_in_links.find_user(secret) == "ana@example.com"


def test_account_init_changes_nothing_when_an_account_exists(shell: AccountShell) -> None:
    shell.output(account.app, "create", "ana@example.com", "--password", "una contraseña")
    again = shell.output(account.app, "init", "eva@example.com")
    assert again == "The database has an account already; a new link: timbra account link eva@example.com\n"
    assert [line.split("\t")[0] for line in shell.output(account.app, "list").splitlines()] == ["ana@example.com"]

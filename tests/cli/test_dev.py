"""`timbra dev` before it serves: bad input gives one sentence, and the panel."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
import typer
from tests.support.small_disk import disk, make_read_only
from typer.testing import CliRunner, Result

from timbra.accounts.build import account_services
from timbra.accounts.commands import account
from timbra.app.composition import open_container
from timbra.cli.development import demo, dev
from timbra.cli.development.panel import RunningServer, notes, print_server
from timbra.cli.development.variables import read_credentials
from timbra.cli.development.vendor_hosts import client_address, hosts_line, is_reachable_by_others
from timbra.sandbox.seeding.setup import DevelopmentAccount, DevelopmentCredentials
from timbra.settings import Settings

VARIABLES = ("TIMBRA_DEV_USER", "TIMBRA_DEV_PASSWORD", "TIMBRA_DEV_TOKEN")

RUNNER = CliRunner()
APP = typer.Typer()
APP.command()(dev.dev)
DEMO = typer.Typer()
DEMO.command()(demo.demo)
TOKEN = "t" * 200
ACCOUNT = DevelopmentAccount("dev@example.com", "desarrollo", TOKEN, "/portal/entrar/enlace/x", ["EKU9003173C9"])


def run(*arguments: str) -> Result:
    return RUNNER.invoke(APP, ["--port", "0", *arguments])


def sentence(result: Result) -> str:
    """Return the only line of a failed command."""
    assert (result.exit_code, result.stdout) == (1, ""), result.output
    (line,) = result.stderr.splitlines()
    return line


def test_dev_names_a_taken_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = sentence(run("--port", str(port)))
    assert line == f"Cannot listen on 127.0.0.1:{port}: Address already in use; choose another port with --port."


def test_dev_names_an_unknown_host() -> None:
    assert sentence(run("--host", "nowhere.invalid")).startswith("Cannot listen on nowhere.invalid:0: ")


def test_dev_rejects_production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    assert sentence(run()) == "`timbra dev` works in the sandbox only, and TIMBRA_ENVIRONMENT is production."


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("TIMBRA_DEV_TOKENS", "x", "TIMBRA_DEV_TOKENS is not a variable of `timbra dev`; it has "),
        ("TIMBRA_DEV_USER", "ana perez", "TIMBRA_DEV_USER must be a user name without blanks."),
        ("TIMBRA_DEV_TOKEN", "short", "TIMBRA_DEV_TOKEN must have 16 to 4096 letters, digits or . _ ~ + / - char"),
        ("TIMBRA_DEV_TOKEN", "a token with blanks", "TIMBRA_DEV_TOKEN must have 16 to 4096 letters, digits"),
        ("TIMBRA_DEV_TOKEN", "token'; rm -rf x #", "TIMBRA_DEV_TOKEN must have 16 to 4096 letters, digits"),
    ],
)
def test_dev_names_a_wrong_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str, line: str) -> None:
    monkeypatch.setenv(name, value)
    assert sentence(run()).startswith(line)


def test_empty_variables_have_no_effect() -> None:
    assert read_credentials(dict.fromkeys(VARIABLES, "")) == DevelopmentCredentials()
    assert read_credentials({"TIMBRA_DEV_TOKEN": "token-de-desarrollo"}).token == "token-de-desarrollo"


def test_password_is_not_called_well_known_when_it_was_chosen() -> None:
    server = RunningServer("0.0.0.0", 80, Path("data"), True)
    assert len(notes(server)) == 1
    assert notes(server, well_known_password=False) == []


@pytest.mark.parametrize("command", [APP, DEMO])
def test_commands_name_a_folder_that_is_a_file(command: typer.Typer, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file"
    options = ["--port", "0"] if command is APP else []
    line = sentence(RUNNER.invoke(command, [*options, "--data", str(folder)]))
    assert line == f"The data folder {folder} cannot be created: File exists."


@pytest.mark.parametrize("options", [[], ["--https"]])
def test_dev_names_a_full_disk(options: list[str]) -> None:
    with disk(1) as small:
        small.fill()
        line = sentence(run("--data", str(small.folder / "data"), *options))
    assert line == "CO1000 - El servicio no pudo completar la operación. La base de datos no tiene espacio."


def test_dev_names_a_read_only_folder() -> None:
    with disk(1) as small:
        make_read_only(small)
        line = sentence(run("--data", str(small.folder / "data")))
    assert line == f"The data folder {small.folder / 'data'} cannot be created: Read-only file system."


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("accounts: [{user: a, password: b}, {password: c}]", "accounts[1].user: is missing."),
        ("csds: [{rfc: EKU9003173C9, kind: x}]", "csds[0].kind: must be one of 'csd' or 'efirma'."),
        ("a: [", "line 1: is not valid YAML."),
        ("[]", "must be a mapping with keys and values."),
    ],
)
def test_dev_names_the_place_in_a_broken_seed_file(tmp_path: Path, content: str, problem: str) -> None:
    seed = tmp_path / "seed.yaml"
    seed.write_text(content)
    assert sentence(run("--seed", str(seed))) == f"{seed}: {problem}"


def test_dev_names_the_place_of_a_value_that_the_sandbox_rejects(tmp_path: Path) -> None:
    seed = tmp_path / "seed.yaml"
    seed.write_text("taxpayers: [{rfc: ABC010203AB9}]")
    line = sentence(run("--seed", str(seed), "--data", str(tmp_path / "data")))
    assert line == f"{seed}: taxpayers[0]: Falta el nombre (--name)."


def test_dev_names_a_seed_file_that_does_not_exist(tmp_path: Path) -> None:
    assert sentence(run("--seed", str(tmp_path / "none"))) == f"{tmp_path / 'none'}: No such file or directory."


def test_dev_names_a_damaged_ca(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timbra.sandbox.seeding.setup.sat_test_rfcs", list)
    (tmp_path / "tls").mkdir()
    (tmp_path / "tls" / "ca.key").write_text("no key")
    line = sentence(run("--https", "--data", str(tmp_path)))
    assert line == f"The local CA in {tmp_path / 'tls'} is damaged; delete that folder."


def test_dev_prints_the_hosts_line() -> None:
    result = run("--hosts", "--host", "0.0.0.0")
    assert (result.exit_code, result.stdout) == (0, "127.0.0.1 services.test.sw.com.mx api.test.sw.com.mx\n")


@pytest.mark.parametrize(
    ("host", "address", "reachable"),
    [
        ("127.0.0.80", "127.0.0.80", False),
        ("0.0.0.0", "127.0.0.1", True),
        ("::", "::1", True),
        ("::1", "::1", False),
        ("localhost", "127.0.0.1", False),
        ("192.0.2.7", "192.0.2.7", True),
        ("host.example", "127.0.0.1", True),
    ],
)
def test_client_address_is_one_that_this_machine_reaches(host: str, address: str, reachable: bool) -> None:
    assert client_address(host) == address
    assert hosts_line(host).split()[0] == address
    assert is_reachable_by_others(host) is reachable


def test_notes_depend_on_port_and_address() -> None:
    data = Path("data")
    assert notes(RunningServer("127.0.0.1", 80, data, True)) == []
    assert len(notes(RunningServer("0.0.0.0", 443, data, True))) == 2
    assert notes(RunningServer("127.0.0.1", 443, data, False, Path("ca.pem"))) == [
        "For clients with fixed hosts add this line to the hosts file: "
        "127.0.0.1 services.test.sw.com.mx api.test.sw.com.mx"
    ]


def test_panel_prints_what_is_copied_in_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    server = RunningServer("::1", 8080, Path("data"), True)
    print_server(server, ACCOUNT, terminal=True)
    lines = capsys.readouterr().out.splitlines()
    assert TOKEN in lines
    assert "http://[::1]:8080/portal/entrar/enlace/x" in lines
    assert any(line.startswith("timbra example ingreso --unsealed | curl ") and TOKEN in line for line in lines)
    assert lines[-1] == "Timbra listening on http://[::1]:8080"


def test_plain_lines_have_a_name_and_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    print_server(RunningServer("127.0.0.1", 8080, Path("data"), False), ACCOUNT, terminal=False)
    lines = capsys.readouterr().out.splitlines()
    assert all(line.count("\t") == 1 for line in lines)
    assert dict(line.split("\t") for line in lines)["token"] == TOKEN
    assert lines[-1] == "ready\thttp://127.0.0.1:8080"


def test_account_link_prints_a_link_of_the_user(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        container.get(account_services).accounts.create("ana@example.com", "una")
    arguments = ["link", "ana@example.com", "--data", str(tmp_path)]
    local = RUNNER.invoke(account.app, arguments).stdout.strip()
    public = RUNNER.invoke(account.app, [*arguments, "--url", "https://pac.example.com/"]).stdout.strip()
    assert local.startswith("http://127.0.0.1:8080/portal/entrar/enlace/")
    with open_container(Settings(data=tmp_path)) as container:
        token = public.removeprefix("https://pac.example.com/portal/entrar/enlace/")
        assert container.get(account_services).sign_in_links.find_user(token) == "ana@example.com"


def test_account_link_names_an_unknown_user(tmp_path: Path) -> None:
    with open_container(Settings(data=tmp_path)) as container:
        container.get(account_services).accounts.create("ana@example.com", "una")
    result = RUNNER.invoke(account.app, ["link", "eva@example.com", "--data", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert "No existe una cuenta" in result.stderr

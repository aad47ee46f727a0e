"""`timbra sandbox`: changes are visible to a server on the same data folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.sandbox_shell import NOON, SandboxShell
from tests.support.sandbox_support import FOLIO, invoice, query

from timbra.app.composition import Container
from timbra.container.build import fiscal_clock
from timbra.core.clock import to_central_mexico
from timbra.database.build import opened_database
from timbra.sandbox.authority.build import sandbox_registry
from timbra.sandbox.build import sandbox_services

UNREGISTERED_RFC = "TES030201001"


@pytest.fixture
def shell(tmp_path: Path) -> SandboxShell:
    return SandboxShell(tmp_path / "data")


@pytest.fixture
def server(shell: SandboxShell) -> Iterator[Container]:
    container = shell.container()
    yield container
    container.close()


def test_taxpayer_add_is_visible_to_a_server_at_once(shell: SandboxShell, server: Container) -> None:
    assert server.get(sandbox_services).registry.taxpayer(UNREGISTERED_RFC) is None
    given = ("--name", "EMPRESA DE PRUEBA", "--postal-code", "06300", "--regime", "626,601", "--obligations", "3")
    row = [UNREGISTERED_RFC, "EMPRESA DE PRUEBA", "06300", "601 626", "3", "active", ""]
    assert shell.lines("sandbox", "taxpayer", "add", UNREGISTERED_RFC, *given) == [row]
    assert shell.lines("sandbox", "taxpayer", "list", UNREGISTERED_RFC.lower()) == [row]
    server.get(opened_database).poll()
    found = server.get(sandbox_services).registry.taxpayer(UNREGISTERED_RFC)
    assert found is not None
    assert (found.name, found.postal_code) == ("EMPRESA DE PRUEBA", "06300")
    assert found.regimes == {"601", "626"}
    assert server.get(sandbox_registry).obligations(UNREGISTERED_RFC) == 3


def test_taxpayer_set_takes_effect_after_refresh(shell: SandboxShell, server: Container) -> None:
    [row] = shell.lines("sandbox", "taxpayer", "set", "EKU9003173C9", "--obligations", "0", "--cancelled")
    assert row[4:] == ["1", "active", "obligations=0 cancelled=True"]
    server.get(opened_database).poll()
    assert server.get(sandbox_registry).obligations("EKU9003173C9") == 1
    assert shell.lines("sandbox", "refresh") == [[NOON, "1"]]
    server.get(opened_database).poll()
    assert server.get(sandbox_registry).obligations("EKU9003173C9") == 0
    [row] = shell.lines("sandbox", "taxpayer", "list", "EKU9003173C9")
    assert row[4:] == ["0", "cancelled", ""]


def test_taxpayer_set_takes_effect_when_the_clock_passes_midnight(shell: SandboxShell, server: Container) -> None:
    shell.lines("sandbox", "taxpayer", "set", "EKU9003173C9", "--postal-code", "06300")
    shell.lines("sandbox", "clock", "advance", "11h59m59s")
    server.get(opened_database).poll()
    before = server.get(sandbox_services).registry.taxpayer("EKU9003173C9")
    shell.lines("sandbox", "clock", "advance", "1s")
    server.get(opened_database).poll()
    after = server.get(sandbox_services).registry.taxpayer("EKU9003173C9")
    assert before is not None
    assert after is not None
    assert (before.postal_code, after.postal_code) == ("42501", "06300")
    assert server.get(sandbox_services).registry.lists_version == "2026-11-18T00:00:00"


def test_taxpayer_list_lists_all_taxpayers(shell: SandboxShell) -> None:
    rows = shell.lines("sandbox", "taxpayer", "list")
    assert ["MASO451221PM4", "MARIA OLIVIA MARTINEZ SAGAZ", "80290", "626", "1", "active", ""] in rows
    assert len(rows) > 30


@pytest.mark.parametrize(
    "arguments",
    [
        ["add", "EKU9003173C9", "--name", "OTRA"],
        ["add", UNREGISTERED_RFC],
        ["add", UNREGISTERED_RFC, "--name", "EMPRESA", "--postal-code", "1"],
        ["add", "XAXX010101000", "--name", "PUBLICO EN GENERAL"],
        ["set", UNREGISTERED_RFC, "--name", "EMPRESA"],
        ["set", "EKU9003173C9", "--regime", "6"],
        ["list", UNREGISTERED_RFC],
    ],
)
def test_taxpayer_commands_print_invalid_requests_in_one_line(shell: SandboxShell, arguments: list[str]) -> None:
    message = shell.rejection("sandbox", "taxpayer", *arguments)
    assert message
    assert "\n" not in message


def test_clock_commands_move_fiscal_time(shell: SandboxShell, server: Container) -> None:
    assert shell.lines("sandbox", "clock", "show") == [[NOON, "fixed"]]
    assert shell.lines("sandbox", "clock", "set", "2027-01-31T08:00:00") == [["2027-01-31T08:00:00", "fixed"]]
    assert shell.lines("sandbox", "clock", "advance", "-2d12h") == [["2027-01-28T20:00:00", "fixed"]]
    server.get(opened_database).poll()
    assert to_central_mexico(server.get(fiscal_clock).now()) == "2027-01-28T20:00:00"
    [[_, kind]] = shell.lines("sandbox", "clock", "reset")
    assert kind == "real"
    [[_, kind]] = shell.lines("sandbox", "clock", "advance", "72h")
    assert kind == "shifted"
    [[instant, kind]] = shell.lines("sandbox", "clock", "set", "2027-01-31T08:00:00", "--running")
    assert kind == "shifted"
    assert instant.startswith("2027-01-31T08:0")


@pytest.mark.parametrize("arguments", [["set", "tomorrow"], ["set", "72h"], ["advance", "soon"], ["advance", "-9999w"]])
def test_clock_commands_reject_invalid_times(shell: SandboxShell, arguments: list[str]) -> None:
    shell.rejection("sandbox", "clock", *arguments)
    assert shell.lines("sandbox", "clock", "show") == [[NOON, "fixed"]]


def test_fault_commands_activate_and_clear_faults(shell: SandboxShell, server: Container) -> None:
    assert server.get(sandbox_services).faults.take("latency") is None
    assert shell.lines("sandbox", "fault", "set", "latency", "--for", "2", "--seconds", "0.5") == [
        ["latency", "2", "0.5", "", "", ""]
    ]
    assert shell.lines("sandbox", "fault", "set", "authority-down") == [["authority-down", "", "", "", "", ""]]
    server.get(opened_database).poll()
    taken = server.get(sandbox_services).faults.take("latency")
    assert taken is not None
    assert taken.seconds == 0.5
    assert shell.lines("sandbox", "fault", "list") == [
        ["authority-down", *[""] * 5],
        ["latency", "1", "0.5", "", "", ""],
    ]
    shell.lines("sandbox", "fault", "clear", "latency")
    assert shell.lines("sandbox", "fault", "list") == [["authority-down", "", "", "", "", ""]]
    shell.lines("sandbox", "fault", "clear")
    server.get(opened_database).poll()
    assert server.get(sandbox_services).faults.take("authority-down") is None


@pytest.mark.parametrize("arguments", [["set", "thunder"], ["set", "latency", "--for", "0"], ["clear", "thunder"]])
def test_fault_commands_reject_unknown_names_and_counts(shell: SandboxShell, arguments: list[str]) -> None:
    assert shell.rejection("sandbox", "fault", *arguments)


def test_ledger_import_registers_documents_of_other_providers(
    shell: SandboxShell, server: Container, tmp_path: Path
) -> None:
    assert server.get(sandbox_services).ledger.status(query()).status == "No Encontrado"
    document, other = tmp_path / "a.xml", tmp_path / "b.xml"
    document.write_bytes(invoice())
    other.write_bytes(b"<nothing/>")
    assert shell.lines("sandbox", "ledger", "import", str(document)) == [[FOLIO, "new", str(document)]]
    assert server.get(sandbox_services).ledger.status(query()).status == "Vigente"
    result = shell.run("sandbox", "ledger", "import", str(other), str(document))
    assert result.exit_code == 1
    assert result.stdout.split("\t") == [FOLIO, "known", f"{document}\n"]
    assert result.stderr.startswith(str(other))


def test_sandbox_commands_are_rejected_in_production(shell: SandboxShell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    assert "sandbox" in shell.rejection("sandbox", "taxpayer", "list")


def test_confirmation_issues_keys_that_a_server_accepts(shell: SandboxShell, server: Container) -> None:
    [[first]] = shell.lines("confirmation", "issue", "eku9003173c9")
    [[second]] = shell.lines("confirmation", "issue", "URE180429TM6")
    rows = shell.lines("confirmation", "list")
    assert {(row[0], row[1]) for row in rows} == {(first, "EKU9003173C9"), (second, "URE180429TM6")}
    assert all(len(row[0]) == 5 for row in rows)
    assert {key.key for key in server.get(sandbox_services).confirmations.latest()} == {first, second}
    assert "RFC" in shell.rejection("confirmation", "issue", "X")

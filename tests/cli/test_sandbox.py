"""`timbra sandbox`: everything it does is seen by a server on the same folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.authority.sandbox_support import FOLIO, invoice, query
from tests.cli.sandbox_shell import NOON, Shell

from timbra.clock import to_central_mexico
from timbra.wiring import House

NEW = "TES030201001"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "data")


@pytest.fixture
def server(shell: Shell) -> Iterator[House]:
    house = shell.house()
    yield house
    house.close()


def test_a_taxpayer_is_added_and_seen_at_once(shell: Shell, server: House) -> None:
    assert server.registry.taxpayer(NEW) is None
    given = ("--name", "EMPRESA DE PRUEBA", "--postal-code", "06300", "--regime", "626,601", "--obligations", "3")
    row = [NEW, "EMPRESA DE PRUEBA", "06300", "601 626", "3", "active", ""]
    assert shell.lines("sandbox", "taxpayer", "add", NEW, *given) == [row]
    assert shell.lines("sandbox", "taxpayer", "list", NEW.lower()) == [row]
    server.poll()
    found = server.registry.taxpayer(NEW)
    assert found is not None
    assert (found.name, found.postal_code) == ("EMPRESA DE PRUEBA", "06300")
    assert found.regimes == {"601", "626"}
    assert server.registry.obligations(NEW) == 3


def test_a_change_waits_for_the_refresh(shell: Shell, server: House) -> None:
    [row] = shell.lines("sandbox", "taxpayer", "set", "EKU9003173C9", "--obligations", "0", "--cancelled")
    assert row[4:] == ["1", "active", "obligations=0 cancelled=True"]
    server.poll()
    assert server.registry.obligations("EKU9003173C9") == 1
    assert shell.lines("sandbox", "refresh") == [[NOON, "1"]]
    server.poll()
    assert server.registry.obligations("EKU9003173C9") == 0
    [row] = shell.lines("sandbox", "taxpayer", "list", "EKU9003173C9")
    assert row[4:] == ["0", "cancelled", ""]


def test_a_change_is_published_by_a_clock_that_passes_midnight(shell: Shell, server: House) -> None:
    shell.lines("sandbox", "taxpayer", "set", "EKU9003173C9", "--postal-code", "06300")
    shell.lines("sandbox", "clock", "advance", "11h59m59s")
    server.poll()
    before = server.registry.taxpayer("EKU9003173C9")
    shell.lines("sandbox", "clock", "advance", "1s")
    server.poll()
    after = server.registry.taxpayer("EKU9003173C9")
    assert before is not None
    assert after is not None
    assert (before.postal_code, after.postal_code) == ("42501", "06300")
    assert server.registry.lists_version == "2026-11-18T00:00:00"


def test_all_taxpayers_are_listed(shell: Shell) -> None:
    rows = shell.lines("sandbox", "taxpayer", "list")
    assert ["MASO451221PM4", "MARIA OLIVIA MARTINEZ SAGAZ", "80290", "626", "1", "active", ""] in rows
    assert len(rows) > 30


@pytest.mark.parametrize(
    "words",
    [
        ["add", "EKU9003173C9", "--name", "OTRA"],
        ["add", NEW],
        ["add", NEW, "--name", "EMPRESA", "--postal-code", "1"],
        ["add", "XAXX010101000", "--name", "PUBLICO EN GENERAL"],
        ["set", NEW, "--name", "EMPRESA"],
        ["set", "EKU9003173C9", "--regime", "6"],
        ["list", NEW],
    ],
)
def test_wrong_orders_are_refused_in_one_line(shell: Shell, words: list[str]) -> None:
    told = shell.refusal("sandbox", "taxpayer", *words)
    assert told
    assert "\n" not in told


def test_the_clock(shell: Shell, server: House) -> None:
    assert shell.lines("sandbox", "clock", "show") == [[NOON, "fixed"]]
    assert shell.lines("sandbox", "clock", "set", "2027-01-31T08:00:00") == [["2027-01-31T08:00:00", "fixed"]]
    assert shell.lines("sandbox", "clock", "advance", "-2d12h") == [["2027-01-28T20:00:00", "fixed"]]
    server.poll()
    assert to_central_mexico(server.fiscal.now()) == "2027-01-28T20:00:00"
    [[_, kind]] = shell.lines("sandbox", "clock", "reset")
    assert kind == "real"
    [[_, kind]] = shell.lines("sandbox", "clock", "advance", "72h")
    assert kind == "shifted"
    [[shown, kind]] = shell.lines("sandbox", "clock", "set", "2027-01-31T08:00:00", "--running")
    assert kind == "shifted"
    assert shown.startswith("2027-01-31T08:0")


@pytest.mark.parametrize("words", [["set", "tomorrow"], ["set", "72h"], ["advance", "soon"], ["advance", "-9999w"]])
def test_a_wrong_time_is_refused(shell: Shell, words: list[str]) -> None:
    shell.refusal("sandbox", "clock", *words)
    assert shell.lines("sandbox", "clock", "show") == [[NOON, "fixed"]]


def test_faults(shell: Shell, server: House) -> None:
    assert server.faults.take("latency") is None
    assert shell.lines("sandbox", "fault", "set", "latency", "--for", "2", "--seconds", "0.5") == [
        ["latency", "2", "0.5"]
    ]
    assert shell.lines("sandbox", "fault", "set", "authority-down") == [["authority-down", "", ""]]
    server.poll()
    taken = server.faults.take("latency")
    assert taken is not None
    assert taken.seconds == 0.5
    assert shell.lines("sandbox", "fault", "list") == [["authority-down", "", ""], ["latency", "1", "0.5"]]
    shell.lines("sandbox", "fault", "clear", "latency")
    assert shell.lines("sandbox", "fault", "list") == [["authority-down", "", ""]]
    shell.lines("sandbox", "fault", "clear")
    server.poll()
    assert server.faults.take("authority-down") is None


@pytest.mark.parametrize("words", [["set", "thunder"], ["set", "latency", "--for", "0"], ["clear", "thunder"]])
def test_wrong_faults_are_refused(shell: Shell, words: list[str]) -> None:
    assert shell.refusal("sandbox", "fault", *words)


def test_documents_from_elsewhere_become_known(shell: Shell, server: House, tmp_path: Path) -> None:
    assert server.ledger.status(query()).status == "No Encontrado"
    document, other = tmp_path / "a.xml", tmp_path / "b.xml"
    document.write_bytes(invoice())
    other.write_bytes(b"<nothing/>")
    assert shell.lines("sandbox", "ledger", "import", str(document)) == [[FOLIO, "new", str(document)]]
    assert server.ledger.status(query()).status == "Vigente"
    result = shell.run("sandbox", "ledger", "import", str(other), str(document))
    assert result.exit_code == 1
    assert result.stdout.split("\t") == [FOLIO, "known", f"{document}\n"]
    assert result.stderr.startswith(str(other))


def test_there_is_no_sandbox_in_production(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIMBRA_ENVIRONMENT", "production")
    assert "sandbox" in shell.refusal("sandbox", "taxpayer", "list")

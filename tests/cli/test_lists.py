"""`timbra lists`, with a reader of the same data folder instead of a server."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import orjson
import pytest
import typer
from tests.lists.signing import authority, lco, lrfc, published, seal, signer, taxpayer
from tests.support.corpus import corpus_path
from tests.support.data_folder import create_data
from tests.support.events import list_audit_events
from typer.testing import CliRunner, Result

from timbra.cli import lists as lists
from timbra.database.database import open_database
from timbra.lists.published import PublishedLists

KEMPER, XIA = "EKU9003173C9", "XIA190128J61"
APP = typer.Typer()
APP.add_typer(lists.app, name="lists")


class ListShell:
    """Runs commands on one data folder that trusts the certificate authority of the tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "trust").mkdir()
        (folder / "trust" / "ca.cer").write_bytes(authority().der)

    def run(self, *arguments: str | Path, **settings: str | None) -> Result:
        given = {f"TIMBRA_{name.upper()}": value for name, value in settings.items()}
        create_data(self.folder / "data", environment=settings.get("environment") or "sandbox")
        return CliRunner().invoke(
            APP,
            ["lists", *map(str, arguments), "--data", str(self.folder / "data")],
            env={"TIMBRA_TRUST_DIR": str(self.folder / "trust"), **given},
        )

    def lines(self, *arguments: str | Path, **settings: str | None) -> list[list[str]]:
        result = self.run(*arguments, **settings)
        assert result.exit_code == 0, result.output
        return [line.split("\t") for line in result.stdout.splitlines()]

    def rejection(self, *arguments: str | Path, **settings: str | None) -> str:
        result = self.run(*arguments, **settings)
        assert result.exit_code == 1, result.output
        assert "\n" not in result.stderr.strip()
        return result.stderr.strip()

    def publish(self, name: str, content: bytes) -> Path:
        return published(self.folder, name, content)


@pytest.fixture
def shell(tmp_path: Path) -> ListShell:
    return ListShell(tmp_path)


def test_import_is_visible_to_a_server_at_once(shell: ListShell) -> None:
    server = PublishedLists(shell.folder / "data" / "lists")
    assert server.current.obligations is None
    first = shell.publish("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1), seal(2, "C"))))
    second = shell.publish("LCO_2026-11-20_2.XML.gz", lco(taxpayer(XIA, seal(3, obligations="0"))))
    text = shell.publish("l_RFC_2026_11_19_1.txt.gz", lrfc(f"{KEMPER}|0|0"))
    number = signer().certificate.number
    rows = shell.lines("import", "--lco", first, second, "--lrfc", text)
    assert [row[:6] for row in rows] == [
        ["LCO", "2026-11-20", "2", "3", "0", number],
        ["l_RFC", "2026-11-19", "1", "0", "0", number],
    ]
    assert rows[0][6] == "2026-11-20T18:00:00Z"
    assert datetime.fromisoformat(rows[0][7]).tzinfo is not None
    assert re.fullmatch(r"[0-9]+d", rows[0][8])
    assert shell.lines("show") == rows
    assert server.lists_version == "LCO 2026-11-20, l_RFC 2026-11-19"
    assert (server.obligations(KEMPER), server.obligations(XIA)) == (1, 0)
    assert server.taxpayer(KEMPER) is not None


def test_import_is_in_the_audit_log(shell: ListShell) -> None:
    for day, count in (("2026-11-19", 1), ("2026-11-20", 2)):
        taxpayers = (taxpayer(rfc, seal(number)) for number, rfc in enumerate((KEMPER, XIA)[:count], 1))
        shell.lines("import", "--lco", shell.publish(f"LCO_{day}_1.XML.gz", lco(*taxpayers)))
    database = open_database(f"sqlite:///{shell.folder / 'data' / 'timbra.db'}")
    first, second = list_audit_events(database, "lists.imported")
    database.close()
    assert (first.actor_kind, first.subject) == ("operator", "LCO")
    body = orjson.loads(second.body)
    assert (body["before"]["dated"], body["before"]["rows"]) == ("2026-11-19", 1)
    assert (body["after"]["dated"], body["after"]["rows"]) == ("2026-11-20", 2)


def test_import_accepts_repeated_options(shell: ListShell) -> None:
    first = shell.publish("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    second = shell.publish("LCO_2026-11-20_2.XML.gz", lco(taxpayer(XIA)))
    assert len(shell.lines("import", f"--lco={first}", "--force", "--lco", second)) == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--lco", "a", "b"], ["--lco", "a", "--lco", "b"]),
        (["--lco", "a", "--lco", "b"], ["--lco", "a", "--lco", "b"]),
        (["--lco", "a", "b", "--lrfc", "c", "d"], ["--lco", "a", "--lco", "b", "--lrfc", "c", "--lrfc", "d"]),
        (["--force", "--lco", "a", "--data", "d"], ["--force", "--lco", "a", "--data", "d"]),
        (["--lco", "--data", "d"], ["--lco", "--data", "d"]),
        (["x", "--lco"], ["x", "--lco"]),
        ([], []),
    ],
)
def test_repeat_options_precedes_every_value_with_its_option(given: list[str], expected: list[str]) -> None:
    assert lists.repeat_options(given, lists.FILE_OPTIONS) == expected


def test_show_prints_nothing_when_no_list_was_imported(shell: ListShell) -> None:
    assert shell.lines("show") == []


def test_import_reports_an_error_in_one_line_and_keeps_the_current_list(shell: ListShell) -> None:
    good = shell.publish("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    before = shell.lines("import", "--lco", good)
    bad = shell.publish("LCO_2026-11-21_1.XML.gz", lco(taxpayer(XIA)))
    bad.write_bytes(bad.read_bytes()[:-20])
    assert shell.rejection("import", "--lco", bad) == (
        f"La lista del SAT no se puede leer. {bad.name}: el archivo está incompleto."
    )
    assert shell.lines("show") == before
    assert shell.rejection("import", "--lco", shell.folder / "none").startswith("La lista del SAT no se puede leer.")


def test_import_imports_one_list_when_the_other_is_invalid(shell: ListShell) -> None:
    good = shell.publish("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    bad = shell.publish("l_RFC_2026_11_20_1.txt.gz", lrfc(f"{KEMPER}|0", header="RFC|NADA"))
    result = shell.run("import", "--lco", good, "--lrfc", bad)
    assert result.exit_code == 1
    assert result.stdout.startswith("LCO\t2026-11-20\t")
    assert "NADA" in result.stderr
    assert [row[0] for row in shell.lines("show")] == ["LCO"]


@pytest.mark.parametrize("arguments", [[], ["--lco"], ["--lco", "x", "--date", "mañana"]])
def test_import_with_wrong_options_is_a_usage_error(shell: ListShell, arguments: list[str]) -> None:
    assert shell.run("import", *arguments).exit_code == 2


def test_import_accepts_columns_and_date_as_options(shell: ListShell) -> None:
    path = shell.publish("lista", lrfc(f"{KEMPER}|ESCUELA KEMPER URGATE|42501", header="RFC|NOMBRE|CP"))
    arguments = ("import", "--lrfc", path, "--date", "2026-11-21")
    assert "NOMBRE, CP" in shell.rejection(*arguments)
    assert "NOMBRE=nombre" in shell.rejection(*arguments, "--column", "NOMBRE=nombre")
    shell.lines(*arguments, "--column", "NOMBRE=name", lrfc_columns="CP=postal_code")
    found = PublishedLists(shell.folder / "data" / "lists").taxpayer(KEMPER)
    assert found is not None
    assert (found.name, found.postal_code) == ("ESCUELA KEMPER URGATE", "42501")
    assert [row[1] for row in shell.lines("show")] == ["2026-11-21"]


def test_import_in_production_requires_a_signature_of_the_sat(shell: ListShell) -> None:
    path = shell.publish("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    assert "no fue expedido por una autoridad del SAT" in shell.rejection(
        "import", "--lco", path, environment="production", trust_dir=None
    )


def test_import_reads_the_samples_of_the_corpus(shell: ListShell) -> None:
    samples = corpus_path() / "services" / "synthetic"
    files = ("--lco", samples / "LCO_2026-11-20_1.XML.gz", "--lrfc", samples / "l_RFC_2026_11_20_1.txt.gz")
    assert [row[:4] for row in shell.lines("import", *files)] == [
        ["LCO", "2026-11-20", "5", "6"],
        ["l_RFC", "2026-11-20", "10", "0"],
    ]


def test_fetch_imports_status_and_history_show_it(shell: ListShell) -> None:
    source = shell.folder / "source"
    source.mkdir()
    published(source, "LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    settings = {"lists_source": f"folder:{source}", "lists_fetched": "LCO"}
    assert shell.lines("fetch", **settings) == [["LCO", "imported", "2026-11-20", "1", "", "", "", ""]]
    assert shell.lines("fetch", "lco", **settings)[0][:2] == ["LCO", "unchanged"]
    published(source, "LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1)), taxpayer(XIA, seal(2))))
    assert shell.lines("fetch", **settings)[0][3:7] == ["2", "1", "0", "0"]
    assert [line[1:3] for line in shell.lines("history", "LCO")] == [["LCO", "2026-11-20"]] * 2
    [status] = shell.lines("status", **settings)
    assert (status[0], status[1], status[5]) == ("LCO", "2026-11-20", "")


def test_fetch_exits_with_1_when_a_list_fails(shell: ListShell) -> None:
    source = shell.folder / "source"
    source.mkdir()
    (source / "LCO_2026-11-20_1.XML.gz").write_bytes(b"<html><body>En mantenimiento</body></html>")
    settings = {"lists_source": f"folder:{source}", "lists_fetched": "LCO"}
    result = shell.run("fetch", **settings)
    assert (result.exit_code, result.stdout.split("\t")[:2]) == (1, ["LCO", "failed"])
    assert "list-unreadable: LCO_2026-11-20_1.XML.gz: es una página HTML, no una lista." in result.stdout
    result = shell.run("status", **settings)
    assert (result.exit_code, "list-unreadable" in result.stderr) == (1, True)


@pytest.mark.parametrize("source", ["", "ftp://host/lists", "folder", "container:/lists"])
def test_fetch_needs_a_source(shell: ListShell, source: str) -> None:
    assert shell.rejection("fetch", lists_source=source).startswith("La fuente de la lista no se puede leer.")


def test_import_accepts_lists_that_are_not_signed(shell: ListShell) -> None:
    rates = shell.folder / "rates.csv"
    rates.write_text("fecha,moneda,pesos\n20/11/2026,USD,18.25\n")
    listed = shell.folder / "69b.csv"
    listed.write_text("No,RFC,Nombre del Contribuyente,Situación del contribuyente\n1,EKU9003173C9,KEMPER,Presunto\n")
    lines = shell.lines("import", "--69b", listed, "--exchange-rates", rates, "--date", "2026-11-19")
    assert [line[:3] for line in lines] == [["69-B", "2026-11-19", "1"], ["tipos-de-cambio", "2026-11-20", "1"]]

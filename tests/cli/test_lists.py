"""`timbra lists` on a data folder of its own, beside a server on the same folder."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import pytest
import typer
from tests.authority.lists.signing import authority, lco, lrfc, published, seal, signer, taxpayer
from tests.support.corpus import corpus_path
from typer.testing import CliRunner, Result

from timbra.authority.lists.published import PublishedLists
from timbra.cli import lists

KEMPER, XIA = "EKU9003173C9", "XIA190128J61"
APP = typer.Typer()
APP.add_typer(lists.app, name="lists")


class Shell:
    """Commands on one data folder, in which the tests' authority is trusted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "trust").mkdir()
        (folder / "trust" / "ca.cer").write_bytes(authority().der)

    def run(self, *words: str | Path, **settings: str | None) -> Result:
        given = {f"TIMBRA_{name.upper()}": value for name, value in settings.items()}
        return CliRunner().invoke(
            APP,
            ["lists", *map(str, words), "--data", str(self.folder / "data")],
            env={"TIMBRA_TRUST_DIR": str(self.folder / "trust"), **given},
        )

    def lines(self, *words: str | Path, **settings: str | None) -> list[list[str]]:
        result = self.run(*words, **settings)
        assert result.exit_code == 0, result.output
        return [line.split("\t") for line in result.stdout.splitlines()]

    def refusal(self, *words: str | Path, **settings: str | None) -> str:
        result = self.run(*words, **settings)
        assert result.exit_code == 1, result.output
        assert "\n" not in result.stderr.strip()
        return result.stderr.strip()

    def put(self, name: str, content: bytes) -> Path:
        return published(self.folder, name, content)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_import_while_a_server_runs(shell: Shell) -> None:
    server = PublishedLists(shell.folder / "data" / "lists")
    assert server.current.obligations is None
    first = shell.put("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1), seal(2, "C"))))
    second = shell.put("LCO_2026-11-20_2.XML.gz", lco(taxpayer(XIA, seal(3, obligations="0"))))
    text = shell.put("l_RFC_2026_11_19_1.txt.gz", lrfc(f"{KEMPER}|0|0"))
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


def test_files_may_be_given_one_by_one(shell: Shell) -> None:
    first = shell.put("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    second = shell.put("LCO_2026-11-20_2.XML.gz", lco(taxpayer(XIA)))
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
def test_an_option_takes_all_files_after_it(given: list[str], expected: list[str]) -> None:
    assert lists.spread(given, lists.FILE_OPTIONS) == expected


def test_nothing_to_show(shell: Shell) -> None:
    assert shell.lines("show") == []


def test_what_is_wrong_is_told_in_a_line_and_the_last_good_list_stays(shell: Shell) -> None:
    good = shell.put("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    before = shell.lines("import", "--lco", good)
    bad = shell.put("LCO_2026-11-21_1.XML.gz", lco(taxpayer(XIA)))
    bad.write_bytes(bad.read_bytes()[:-20])
    assert shell.refusal("import", "--lco", bad) == (
        f"La lista del SAT no se puede leer. {bad.name}: el archivo está incompleto."
    )
    assert shell.lines("show") == before
    assert shell.refusal("import", "--lco", shell.folder / "none").startswith("La lista del SAT no se puede leer.")


def test_one_list_is_imported_though_the_other_is_bad(shell: Shell) -> None:
    good = shell.put("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    bad = shell.put("l_RFC_2026_11_20_1.txt.gz", lrfc(f"{KEMPER}|0", header="RFC|NADA"))
    result = shell.run("import", "--lco", good, "--lrfc", bad)
    assert result.exit_code == 1
    assert result.stdout.startswith("LCO\t2026-11-20\t")
    assert "NADA" in result.stderr
    assert [row[0] for row in shell.lines("show")] == ["LCO"]


@pytest.mark.parametrize("words", [[], ["--lco"], ["--lco", "x", "--date", "mañana"]])
def test_wrong_use(shell: Shell, words: list[str]) -> None:
    assert shell.run("import", *words).exit_code == 2


def test_columns_and_days_can_be_told(shell: Shell) -> None:
    path = shell.put("lista", lrfc(f"{KEMPER}|ESCUELA KEMPER URGATE|42501", header="RFC|NOMBRE|CP"))
    words = ("import", "--lrfc", path, "--date", "2026-11-21")
    assert "NOMBRE, CP" in shell.refusal(*words)
    assert "NOMBRE=nombre" in shell.refusal(*words, "--column", "NOMBRE=nombre")
    shell.lines(*words, "--column", "NOMBRE=name", lrfc_columns="CP=postal_code")
    found = PublishedLists(shell.folder / "data" / "lists").taxpayer(KEMPER)
    assert found is not None
    assert (found.name, found.postal_code) == ("ESCUELA KEMPER URGATE", "42501")
    assert [row[1] for row in shell.lines("show")] == ["2026-11-21"]


def test_in_production_only_the_tax_authority_signs(shell: Shell) -> None:
    path = shell.put("LCO_2026-11-20_1.XML.gz", lco(taxpayer(KEMPER, seal(1))))
    assert "no fue expedido por una autoridad del SAT" in shell.refusal(
        "import", "--lco", path, environment="production", trust_dir=None
    )


def test_the_samples_of_the_corpus(shell: Shell) -> None:
    samples = corpus_path() / "services" / "synthetic"
    files = ("--lco", samples / "LCO_2026-11-20_1.XML.gz", "--lrfc", samples / "l_RFC_2026_11_20_1.txt.gz")
    assert [row[:4] for row in shell.lines("import", *files)] == [
        ["LCO", "2026-11-20", "5", "6"],
        ["l_RFC", "2026-11-20", "10", "0"],
    ]

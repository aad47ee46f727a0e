"""`timbra validate` over files, folders, archives and standard input, for people and for programs."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.desk import FECHA, NOW, Desk
from typer.testing import CliRunner, Result

from timbra import examples
from timbra.cli.main import app
from timbra.cli.sources import Reader, Source, sources
from timbra.errors import ServiceError


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = Desk(tmp_path_factory.mktemp("desk"))
    made.store(made.mint())
    yield made
    made.house.close()


@pytest.fixture(scope="module")
def good(desk: Desk) -> bytes:
    return desk.issue(examples.ingreso(fecha=FECHA).encode()).cfdi.encode()


@pytest.fixture(scope="module")
def wrong(good: bytes) -> bytes:
    """The same with another amount: its seal is broken, and its sums."""
    return good.replace(b'SubTotal="', b'SubTotal="1')


def run(desk: Desk, *words: object, **given: object) -> Result:
    command = ["validate", *map(str, words), "--data", str(desk.house.data)]
    return CliRunner().invoke(app, command, env={"TIMBRA_CLOCK": NOW, "COLUMNS": "200"}, **given)  # type: ignore[arg-type]


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(name, content)
    return path


def test_a_good_document_ends_with_zero(desk: Desk, good: bytes, tmp_path: Path) -> None:
    (tmp_path / "good.xml").write_bytes(good)
    result = run(desk, tmp_path / "good.xml")

    assert result.exit_code == 0, result.output
    assert "✓" in result.output


def test_a_wrong_document_shows_code_place_and_values(desk: Desk, wrong: bytes, tmp_path: Path) -> None:
    (tmp_path / "wrong.xml").write_bytes(wrong)
    result = run(desk, tmp_path / "wrong.xml")

    assert result.exit_code == 1
    for shown in ("✗", "CFDI40102", "CFDI40108", "@SubTotal", "encontrado", "esperado"):
        assert shown in result.output


def test_folders_and_archives_are_searched(desk: Desk, good: bytes, wrong: bytes, tmp_path: Path) -> None:
    inner = tmp_path / "2026" / "11"
    inner.mkdir(parents=True)
    (inner / "A.XML").write_bytes(good)
    (inner / "notes.txt").write_text("nothing for us")
    archive(tmp_path / "more.zip", {"x/b.xml": wrong, "x/readme.md": b"#", "c.xml": b"<no"})

    result = run(desk, tmp_path, "--json")

    assert result.exit_code == 1
    told = {Path(line["file"]).name: line for line in map(json.loads, result.stdout.splitlines())}
    assert set(told) == {"A.XML", "b.xml", "more.zip!c.xml"}
    assert not told["A.XML"]["wrong"]
    assert {finding["code"] for finding in told["b.xml"]["findings"]} >= {"CFDI40102", "CFDI40108"}
    assert told["more.zip!c.xml"]["error"]["code"] == "301"


def test_several_workers_say_the_same_in_the_same_order(desk: Desk, good: bytes, wrong: bytes, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.xml").write_bytes(wrong if number % 2 else good)

    alone, spread = run(desk, tmp_path, "--json"), run(desk, tmp_path, "--json", "--workers", 2)

    assert alone.stdout == spread.stdout
    assert (alone.exit_code, spread.exit_code) == (1, 1)


def test_many_documents_are_summed_up(desk: Desk, good: bytes, wrong: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_bytes(good)
    (tmp_path / "b.xml").write_bytes(wrong)

    output = run(desk, tmp_path).output

    assert "2 documentos" in output
    assert "con errores" in output


def test_standard_input_is_a_document(desk: Desk, good: bytes) -> None:
    assert run(desk, "-", input=good).exit_code == 0


def test_nothing_to_validate_is_wrong_use(desk: Desk, tmp_path: Path) -> None:
    assert run(desk, tmp_path).exit_code == 2
    assert run(desk, tmp_path / "absent.xml").exit_code == 2


def test_strict_takes_warnings_for_errors(desk: Desk, good: bytes, tmp_path: Path) -> None:
    """A document whose status nobody can tell has a warning."""
    (tmp_path / "a.xml").write_bytes(good)
    desk.house.faults.set("authority-down")
    assert run(desk, tmp_path / "a.xml", "--status").exit_code == 0
    desk.house.faults.set("authority-down")
    assert run(desk, tmp_path / "a.xml", "--status", "--strict").exit_code == 1
    desk.house.faults.clear(None)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"x" * 100])
def test_what_is_no_archive_is_told(desk: Desk, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    result = run(desk, tmp_path)

    assert result.exit_code == 1
    assert "a.zip" in result.stderr


def test_a_bomb_is_read_no_further_than_the_largest_document(tmp_path: Path) -> None:
    bomb = archive(tmp_path / "bomb.zip", {"a.xml": bytes(50_000_000)})
    reader = Reader(most_bytes=1000)

    with pytest.raises(ServiceError, match="TB4001"):
        reader.read(Source(bomb, "a.xml"))
    reader.close()


def test_a_damaged_member_is_told_and_the_rest_goes_on(desk: Desk, good: bytes, tmp_path: Path) -> None:
    path = archive(tmp_path / "a.zip", {"a.xml": good * 2, "b.xml": good})
    content = bytearray(path.read_bytes())
    content[60:90] = bytes(30)
    path.write_bytes(content)

    lines = [json.loads(line) for line in run(desk, path, "--json").stdout.splitlines()]

    assert lines[0]["error"]["code"] == "source-unreadable"
    assert lines[1]["wrong"] is False


def test_an_archive_of_two_archives_is_not_followed(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as made:
        made.writestr("a.xml", b"<a/>")
    outer = archive(tmp_path / "outer.zip", {"inner.zip": inner.getvalue()})

    assert list(sources([outer])) == []

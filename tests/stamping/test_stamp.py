"""`timbra stamp` with files, folders and archives."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from tests.support.sandbox_app import FECHA, NOW, SandboxApp
from typer.testing import CliRunner, Result

from timbra import examples
from timbra.cli.main import app
from timbra.container.build import data_folder


@pytest.fixture(scope="module")
def sandbox_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


def invoice(folio: str) -> bytes:
    return examples.ingreso({"@Folio": folio}, fecha=FECHA).encode()


class StampShell:
    """Runs `timbra stamp` for the account of the fixture, with the results in a folder of the test."""

    def __init__(self, sandbox_app: SandboxApp, folder: Path) -> None:
        self.sandbox_app = sandbox_app
        self.folder = folder
        self.out = folder / "stamped"
        self.name = folder.name

    def write(self, name: str, content: bytes | None = None) -> Path:
        """Write an invoice whose folio is of this test."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(invoice(f"{self.name[-20:]}{name[-10:]}") if content is None else content)
        return path

    def run(self, *arguments: object, user: str = "ana@example.com") -> Result:
        command = ["stamp", *map(str, arguments), "--account", user, "--out", str(self.out)]
        command += ["--data", str(self.sandbox_app.container.get(data_folder))]
        return CliRunner().invoke(app, command, env={"TIMBRA_CLOCK": NOW})

    def uuids(self) -> set[str]:
        return {path.stem for path in self.out.iterdir()}


@pytest.fixture
def shell(sandbox_app: SandboxApp, tmp_path: Path) -> StampShell:
    return StampShell(sandbox_app, tmp_path)


def summary(result: Result) -> str:
    return str(result.stderr.splitlines()[-1])


def test_stamp_takes_files_folders_and_archives(shell: StampShell) -> None:
    single, _ = shell.write("a.xml"), shell.write("in/deep/b.XML")
    with zipfile.ZipFile(shell.folder / "in" / "c.zip", "w") as archive:
        archive.writestr("x/c.xml", invoice(f"{shell.name[-20:]}c"))
        archive.writestr("readme.md", "#")
    shell.write("in/notes.txt", b"notes")
    result = shell.run(single, shell.folder / "in")
    assert result.exit_code == 0, result.output
    lines = [re.split(r": | ", line) for line in result.stdout.splitlines()]
    assert [Path(line[0]).name for line in lines] == ["a.xml", "c.xml", "b.XML"]
    assert {line[1] for line in lines} == shell.uuids()
    assert all(Path(line[2]).read_text("utf-8").count("TimbreFiscalDigital") for line in lines)
    assert result.stderr.startswith("2 ignored")
    assert all(name in result.stderr for name in ("notes.txt", "c.zip!readme.md"))
    assert summary(result) == "3 stamped, 0 already stamped, 0 rejected"


def test_stamp_again_completes_what_is_missing(shell: StampShell) -> None:
    shell.write("in/a.xml")
    assert shell.run(shell.folder / "in").exit_code == 0
    [first] = shell.out.iterdir()
    content = first.read_bytes()
    first.unlink()
    shell.write("in/b.xml")
    result = shell.run(shell.folder / "in")
    assert result.exit_code == 0
    assert summary(result) == "1 stamped, 1 already stamped, 0 rejected"
    assert result.stdout.splitlines()[0].endswith(f"{first} (already stamped)")
    assert first.read_bytes() == content
    assert len(shell.uuids()) == 2


def test_stamp_rejects_the_stamp_of_another_account(shell: StampShell, sandbox_app: SandboxApp) -> None:
    document = sandbox_app.sealed(invoice(f"{shell.name[-20:]}o").decode(), sandbox_app.mint())
    file = shell.write("a.xml", document)
    other = sandbox_app.account(f"{shell.name[-20:]}@example.com")
    sandbox_app.stamp(document, caller=other)
    result = shell.run(file, "--sealed")
    assert result.exit_code == 1
    assert "307" in result.stderr
    assert summary(result) == "0 stamped, 0 already stamped, 1 rejected"
    assert not shell.out.exists()


def test_stamp_continues_after_a_rejected_document(shell: StampShell) -> None:
    shell.write("in/a.xml", b"%PDF-1.7 ...")
    shell.write("in/b.xml", b"<no")
    shell.write("in/c.xml")
    result = shell.run(shell.folder / "in")
    assert result.exit_code == 1
    pdf, malformed, last = result.stderr.splitlines()
    assert pdf.endswith("a.xml: This is a PDF; give the XML.")
    assert "b.xml: 301" in malformed
    assert last == "1 stamped, 0 already stamped, 2 rejected"


def test_stamp_ignores_its_results_inside_a_given_folder(shell: StampShell) -> None:
    shell.write("a.xml")
    assert summary(shell.run(shell.folder)) == "1 stamped, 0 already stamped, 0 rejected"
    again = shell.run(shell.folder)
    assert summary(again) == "0 stamped, 1 already stamped, 0 rejected"
    assert again.stderr.startswith("1 ignored")
    [stamped] = shell.out.iterdir()
    assert summary(shell.run(stamped)) == "0 stamped, 1 already stamped, 0 rejected"


def test_stamp_without_documents_is_wrong_usage(shell: StampShell) -> None:
    shell.write("notes.txt", b"notes")
    assert shell.run(shell.folder).exit_code == 2
    assert shell.run(shell.folder / "missing.xml").exit_code == 2


def test_stamp_opens_every_archive_before_the_first_stamp(shell: StampShell) -> None:
    shell.write("a.xml")
    shell.write("b.zip", b"no archive")
    result = shell.run(shell.folder)
    assert result.exit_code == 1
    assert "b.zip" in result.stderr
    assert result.stdout == ""


def test_stamp_reports_a_result_that_cannot_be_written(shell: StampShell) -> None:
    file = shell.write("a.xml")
    shell.out = file / "stamped"
    result = shell.run(file)
    assert result.exit_code == 1
    assert "repeat the command" in result.stderr
    shell.out = shell.folder / "stamped"
    assert summary(shell.run(file)) == "0 stamped, 1 already stamped, 0 rejected"


def test_stamp_names_an_unknown_account_once(shell: StampShell) -> None:
    result = shell.run(shell.write("a.xml"), user="nobody@example.com")
    assert (result.exit_code, result.stderr) == (1, "No existe una cuenta con ese usuario.\n")


def retencion(folio: str) -> bytes:
    return examples.retencion({"@FolioInt": folio}, fecha=FECHA).encode()


def test_stamp_takes_cfdi_and_retenciones_from_one_folder(shell: StampShell) -> None:
    shell.write("in/a.xml")
    shell.write("in/b.xml", retencion("FOLDER"))
    shell.write("in/c.xml", b"\xef\xbb\xbf" + examples.retencion_rif(fecha=FECHA).encode())
    result = shell.run(shell.folder / "in")
    assert summary(result) == "3 stamped, 0 already stamped, 0 rejected"
    versions = sorted(etree.parse(path).getroot().get("Version", "") for path in shell.out.iterdir())
    assert versions == ["2.0", "2.0", "4.0"]


def test_stamp_returns_the_earlier_stamp_of_a_retencion(shell: StampShell) -> None:
    path = shell.write("a.xml", retencion("AGAIN"))
    first, second = shell.run(path), shell.run(path)
    assert summary(second) == "0 stamped, 1 already stamped, 0 rejected"
    assert second.stdout.split()[1] == first.stdout.split()[1]


def test_stamp_rejects_retenciones_with_their_codes(shell: StampShell) -> None:
    shell.write(
        "in/old.xml", b'<r:Retenciones xmlns:r="http://www.sat.gob.mx/esquemas/retencionpago/1" Version="1.0"/>'
    )
    shell.write("in/year.xml", examples.retencion({"Periodo/@Ejercicio": "2019"}, fecha=FECHA).encode())
    result = shell.run(shell.folder / "in")
    assert result.exit_code == 1
    assert [line.split(": ", 1)[1].split(" ")[0] for line in result.stderr.splitlines()[:2]] == ["TB4022", "Reten20126"]

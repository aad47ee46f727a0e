"""The page about the emulator: its commands work in their order, its tables are those of the code."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import yaml
from tests.support.page_code import read_page
from tests.support.page_runner import PageRun
from tests.support.requirements import need

from timbra.emulator import faults
from timbra.emulator.bulk.options import BulkDownloadOptions
from timbra.emulator.faults import EmulatedService, FaultKind
from timbra.emulator.options import EmulatorFile, EmulatorOptions

DOCS = Path(__file__).parents[2] / "docs"
BULK_DOWNLOAD = read_page(DOCS / "bulk-download.md")
PAGE = read_page(DOCS / "sat-emulator.md")


def test_commands_of_the_page_work_in_their_order(tmp_path: Path) -> None:
    need("curl", shutil.which("curl"), "the commands of the page use curl")
    with PageRun(PAGE, tmp_path) as run:
        run.run()
    assert '"providers":["PAC010101AB1","TIM010101SB9"]' in run.output
    assert "answer-lost" in run.output
    assert '"token_seconds":60' in run.output
    assert (run.folder / "csd").is_dir()


def test_faults_of_the_page_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", PAGE.text.split("## Faults")[1].split("```")[0], re.MULTILINE)
    documented = re.findall(r"^\| `([a-z-]+)` \| (.*) \|$", faults.__doc__ or "", re.MULTILINE)
    assert rows == documented
    assert {name for name, _ in rows} == set(FaultKind.__args__)  # type: ignore[attr-defined]


def test_services_of_the_page_are_those_of_the_code() -> None:
    table = PAGE.text.split("## Services")[1].split("\n\n")[1]
    assert set(re.findall(r"\| `([a-z-]+)` \|$", table, re.MULTILINE)) == set(EmulatedService)


def test_file_of_the_page_has_the_default_options() -> None:
    (text,) = PAGE.blocks_in("yaml")
    read = EmulatorFile.model_validate(yaml.safe_load(text))
    assert read.options == EmulatorOptions()
    assert len(read.faults) == 2
    named = set(re.findall(r"^\| `([a-z_]+)` \|", PAGE.text.split("| option |")[1], re.MULTILINE))
    assert named == set(EmulatorOptions.model_fields)


def test_commands_of_the_page_of_the_bulk_download_work_in_their_order(tmp_path: Path) -> None:
    need("curl", shutil.which("curl"), "the commands of the page use curl")
    with PageRun(BULK_DOWNLOAD, tmp_path) as run:
        run.run()
    assert '"accepted_polls":0' in run.output
    assert (run.folder / "efirma").is_dir()


def test_options_of_the_bulk_download_are_those_of_the_code() -> None:
    table = BULK_DOWNLOAD.text.split("| option |")[1]
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| `?([a-z0-9-]+)`? \|", table, re.MULTILINE))
    assert rows == {name: str(value) for name, value in BulkDownloadOptions().model_dump().items()}

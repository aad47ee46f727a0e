"""The tutorial, the how-to guides and the explanations: their code runs, and both languages have the same code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

import pytest
from tests.support.effort import LONG
from tests.support.page_code import CodeBlock, Kind, Page, check_syntax, missing_programs, read_page
from tests.support.page_runner import PageRun
from tests.support.postgresql_cluster import cluster, need_cluster
from tests.support.requirements import need

from timbra.rules.reference.codes import all_codes

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CASES = "es/guias/casos"
"""The fiscal cases: pages that run after the first page of their folder, in its shell and with its server."""
FOLDERS = {"es": "en", "es/guias": "en/how-to", CASES: "en/how-to/cases", "es/conceptos": "en/explanation"}
"""Folders of the Spanish pages, with the folders of their translations."""

SPANISH = [read_page(page) for folder in FOLDERS for page in sorted((DOCS / folder).glob("*.md"))]
ENGLISH = [read_page(page) for folder in FOLDERS.values() for page in sorted((DOCS / folder).glob("*.md"))]
PAGES = [*SPANISH, *ENGLISH]
COMMANDS = (Kind.SHELL, Kind.PYTHON)
CASE_FOLDERS = (CASES, FOLDERS[CASES])
RUNNABLE = [
    page
    for page in PAGES
    if any(block.kind in COMMANDS for block in page.blocks)
    and page.path.parent.relative_to(DOCS).as_posix() not in CASE_FOLDERS
]
BLOCKS = [(page, block) for page in PAGES for block in page.blocks]


def name_of(page: Page) -> str:
    """Return the path of a page below `docs`."""
    return page.path.relative_to(DOCS).as_posix()


QUICK = ("es/tutorial.md", "en/how-to/library.md")
"""The pages that the suite runs, one of the server and commands, one of the library; `make test-long` runs all."""

POSTGRESQL = "postgresql"
"""A page that needs it gets a PostgreSQL server at the usual port."""


@contextmanager
def postgresql(page: Page) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Start the PostgreSQL server that a page needs; yield variables and replaced texts."""
    if POSTGRESQL not in page.needs:
        yield {}, {}
        return
    need_cluster()
    with cluster() as server:
        yield {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres"}, {"5432": str(server.port)}


def translation(page: Page) -> Path:
    """Return the path of the English page of a Spanish one."""
    folder = page.path.parent.relative_to(DOCS).as_posix()
    return DOCS / FOLDERS[folder] / page.path.name


@pytest.mark.parametrize("page", [page for page in RUNNABLE if LONG or name_of(page) in QUICK], ids=name_of)
def test_page_runs_with_the_output_that_it_shows(page: Page, tmp_path: Path) -> None:
    for program in missing_programs(page):
        if program != POSTGRESQL:
            need(program, False, f"the page {name_of(page)} uses {program}, which is not installed")
    with postgresql(page) as (variables, replaced), PageRun(page, tmp_path, variables, replaced) as run:
        run.run()


@pytest.mark.parametrize("folder", CASE_FOLDERS if LONG else CASE_FOLDERS[:1])
def test_fiscal_cases_are_stamped_by_one_sandbox(folder: str, tmp_path: Path) -> None:
    first = read_page(DOCS / folder / "index.md")
    for program in missing_programs(first):
        need(program, False, f"the page {name_of(first)} uses {program}, which is not installed")
    with PageRun(first, tmp_path) as run:
        run.run()
        for path in sorted((DOCS / folder).glob("*.md")):
            if path != first.path:
                run.run(read_page(path))


def test_codes_of_the_fiscal_cases_exist() -> None:
    known = {code.partition(":")[0] for code in all_codes()}
    for folder in CASE_FOLDERS:
        for path in sorted((DOCS / folder).glob("*.md")):
            codes = re.findall(r"^\| (\w+) \|", path.read_text("utf-8"), re.MULTILINE)
            assert set(codes) <= known | {"código", "code", "caso", "case"}, path


@pytest.mark.parametrize(
    "block",
    [
        pytest.param(block, id=f"{name_of(page)}:{block.line} {block.directive[1]}")
        for page, block in BLOCKS
        if block.kind is Kind.NOT_RUN
    ],
)
def test_block_that_is_not_run_has_a_reason_and_valid_syntax(block: CodeBlock) -> None:
    assert block.directive[1], "the comment gives no reason"
    check_syntax(block)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_block_is_run_or_has_a_reason(page: Page) -> None:
    assert not [f"{name_of(page)}:{block.line}" for block in page.blocks if block.kind is Kind.SHOWN]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_block_equals_the_file_that_it_names(page: Page) -> None:
    sources = [block for block in page.blocks if block.directive[0] == "source"]
    assert not [block.title for block in sources if block.text != (ROOT / block.directive[1]).read_text("utf-8")]


def test_languages_have_the_same_pages() -> None:
    assert {translation(page) for page in SPANISH} == {page.path for page in ENGLISH}


@pytest.mark.parametrize("page", SPANISH, ids=name_of)
def test_translation_has_the_same_code(page: Page) -> None:
    other = read_page(translation(page))
    assert page.needs == other.needs
    for block, translated in zip_longest(page.blocks, other.blocks):
        assert block, "the Spanish page has fewer blocks"
        assert translated, "the English page has fewer blocks"
        assert (block.kind, block.language, block.title) == (translated.kind, translated.language, translated.title)
        if block.kind is not Kind.OUTPUT:
            assert block.commands() == translated.commands()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page_links_to_files_that_exist(page: Page) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.text)
    assert not [target for target in targets if not (page.path.parent / target).exists()]

"""The builder of the documentation site: navigation, links, diagrams and finished pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.docs_site.diagrams import DiagramError, with_tables
from tools.docs_site.navigation import LANGUAGES, TOPICS, Entry, counterparts, navigation
from tools.docs_site.pages import SCRIPTS, broken_links, finish_pages
from tools.docs_site.search import SearchError, adapt_search, stem_pattern
from tools.docs_site.sources import DOCS, ROOT, site_files, with_site_links

PAGES = [name for name in site_files().values() if name.endswith(".md")]


def _paths(entries: list[Entry]) -> Iterator[str]:
    """Yield the pages and addresses of a navigation, in order."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for value in entry.values():
                yield from _paths(value) if isinstance(value, list) else [value]


def _titles(entries: list[Entry]) -> list[str]:
    return [title for entry in entries if isinstance(entry, dict) for title in entry]


def test_navigation_has_every_page_once() -> None:
    pages = [path for path in _paths(navigation(PAGES)) if path.endswith(".md")]

    assert sorted(pages) == sorted(PAGES)
    assert len(PAGES) > 40


def test_navigation_has_every_reference_page_under_a_topic() -> None:
    named = {f"{name}.md" for names in TOPICS.values() for name in names}

    assert {page.name for page in DOCS.glob("*.md")} - named - {"index.md"} == set()


def test_navigation_orders_the_pages_of_a_language_and_leaves_out_absent_ones() -> None:
    spanish, english = LANGUAGES
    pages = ["en/index.md", "es/tutorial.md", "es/index.md", "es/guias/node.md", "es/guias/python.md", "index.md"]

    entries = navigation(pages)

    assert _titles(entries) == ["Inicio", spanish.title, english.title, "API"]
    assert list(_paths(entries)) == [
        "index.md",
        "es/index.md",
        "es/tutorial.md",
        "es/guias/python.md",
        "es/guias/node.md",
        "en/index.md",
        "/docs/api/",
    ]


def test_navigation_has_new_pages_that_no_list_names() -> None:
    entries = navigation(["es/guias/perl.md", "news.md", "rules/new.md"])

    assert list(_paths(entries)) == ["es/guias/perl.md", "news.md", "rules/new.md", "/docs/api/"]


def test_counterparts_are_the_existing_pages_with_the_same_content() -> None:
    pages = [
        "es/guias/ci.md",
        "en/how-to/ci.md",
        "es/tutorial.md",
        "settings.md",
        "errors.md",
        "es/referencia/errors.md",
    ]

    same = {"es": "es/guias/ci.md", "en": "en/how-to/ci.md"}
    assert counterparts(pages) == {
        "es/guias/ci.md": same,
        "en/how-to/ci.md": same,
        "es/tutorial.md": {"es": "es/tutorial.md"},
        "errors.md": {"es": "es/referencia/errors.md", "en": "errors.md"},
        "es/referencia/errors.md": {"es": "es/referencia/errors.md", "en": "errors.md"},
    }


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[a](settings.md#b)", "[a](settings.md#b)"),
        ("![a](screenshots/home.png)", "![a](screenshots/home.png)"),
        ("[CFDI 4.0](../src/timbra/rules/rulesets/cfdi40/README.md)", "[CFDI 4.0](rules/cfdi40.md)"),
        ("[a seed](../deploy/seed.yaml)", "a seed (`deploy/seed.yaml`)"),
        ("[`deploy/seed.yaml`](../deploy/seed.yaml)", "`deploy/seed.yaml`"),
        ("[0002](decisions/0002-dependencies.md)", "0002 (`docs/decisions/0002-dependencies.md`)"),
        ("[two\nlines](../deploy/seed.yaml)", "two\nlines (`deploy/seed.yaml`)"),
        ("[absent](no-such-page.md)", "[absent](no-such-page.md)"),
        ("[b](#anchor) [c](https://example.com/x)", "[b](#anchor) [c](https://example.com/x)"),
        ("```\n[a](../deploy/seed.yaml)\n```", "```\n[a](../deploy/seed.yaml)\n```"),
    ],
)
def test_with_site_links_rewrites_links_out_of_the_documentation(markdown: str, expected: str) -> None:
    assert with_site_links(markdown, DOCS / "settings.md", site_files()) == expected


def test_with_site_links_is_relative_to_the_place_of_the_page_in_the_site() -> None:
    source = ROOT / "src" / "timbra" / "rules" / "rulesets" / "cfdi40" / "README.md"

    assert with_site_links("[a](../cfdi33/README.md)", source, site_files()) == "[a](cfdi33.md)"


def test_with_tables_turns_a_state_diagram_into_its_transitions() -> None:
    diagram = '```mermaid\nstateDiagram-v2\n    state "In force" as A\n    [*] --> A\n    A --> B: cancelled\n```'

    assert with_tables(f"before\n\n{diagram}\n", "page") == (
        "before\n\n| state | event | next state |\n|---|---|---|\n|  |  | In force |\n| In force | cancelled | B |\n"
    )


@pytest.mark.parametrize(
    "diagram",
    [
        "```mermaid\nflowchart LR\n  A --> B\n```",
        "```mermaid\nstateDiagram-v2\n  note right of A\n```",
        "- x\n  ```mermaid\n  stateDiagram-v2\n  ```",
    ],
)
def test_with_tables_rejects_diagrams_that_need_a_script(diagram: str) -> None:
    with pytest.raises(DiagramError, match="page"):
        with_tables(diagram, "page")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in ("index.html", "en/index.html", "settings/index.html"):
        page = tmp_path / name
        page.parent.mkdir(exist_ok=True)
        page.write_text('<html lang="es"><head><script>var a = 1</script></head><body id="top"></body></html>')
    (tmp_path / "404.html").write_text("<html></html>")
    return tmp_path


def test_finish_pages_moves_inline_scripts_into_files(site: Path) -> None:
    finish_pages(site)

    [script] = (site / SCRIPTS).iterdir()
    assert script.read_text() == "var a = 1"
    assert f'<script src="../{SCRIPTS}/{script.name}"></script>' in (site / "en" / "index.html").read_text()
    assert not (site / "404.html").exists()


def test_finish_pages_marks_the_language_of_each_page(site: Path) -> None:
    finish_pages(site)

    languages = {name: (site / name).read_text().partition('lang="')[2][:2] for name in ("index.html", "en/index.html")}
    assert languages == {"index.html": "es", "en/index.html": "en"}
    assert '<html lang="en"' in (site / "settings" / "index.html").read_text()


@pytest.mark.parametrize(
    ("element", "is_broken"),
    [
        ('<a href="settings/">', False),
        ('<a href="./settings/#top">', False),
        ('<a href="https://example.com/">', False),
        ('<a href="/portal">', False),
        ('<a href="settings/#none">', True),
        ('<a href="none/">', True),
        ('<a href="/none/">', True),
        ('<a href="../index.html">', True),
        ('<img src="none.png">', True),
        ('<script src="https://example.com/a.js"></script>', True),
        ('<link rel="stylesheet" href="//example.com/a.css">', True),
    ],
)
def test_broken_links_reports_absent_files_and_other_hosts(site: Path, element: str, is_broken: bool) -> None:
    (site / "index.html").write_text(f"<html><body>{element}</body></html>")

    assert bool(broken_links(site)) is is_broken


def _stem(word: str) -> str:
    pattern = re.compile(stem_pattern())
    while (shorter := pattern.sub(r"\1", word)) != word:
        word = shorter
    return word


@pytest.mark.parametrize(
    ("words", "stem"),
    [
        ("cancelar cancelacion cancelaciones cancelado cancelada", "cancel"),
        ("factura facturar facturacion facturas", "factur"),
        ("retener retencion retenciones", "reten"),
        ("relacion relacionar", "rela"),
        ("pago pagos", "pago"),
        ("cfdi40119", "cfdi40119"),
    ],
)
def test_stem_pattern_removes_endings_of_spanish_words(words: str, stem: str) -> None:
    assert {_stem(word) for word in words.split()} == {stem}


def test_stem_of_the_beginning_of_a_word_begins_its_stem() -> None:
    for word in ("cancelaciones", "timbrados", "exportando", "sustituir", "comprobantes", "validation"):
        assert [word[:end] for end in range(1, len(word)) if not _stem(word).startswith(_stem(word[:end]))] == []


@pytest.mark.parametrize(
    ("worker_code", "bundle_code"),
    [
        ('"use strict";function n(t){return t.normalize("NFC")}', 'a("Search results")'),
        ('"use strict";function n(t){return t.normalize("NFKD").toLowerCase()}', 'a("Results of the search")'),
    ],
)
def test_adapt_search_needs_the_scripts_of_the_theme(site: Path, worker_code: str, bundle_code: str) -> None:
    (site / "search.json").write_text(json.dumps({"config": {}, "items": []}))
    scripts = site / "assets" / "javascripts"
    (scripts / "workers").mkdir(parents=True)
    (scripts / "workers" / "search.00000000.min.js").write_text(worker_code)
    (scripts / "bundle.00000000.min.js").write_text(bundle_code)

    with pytest.raises(SearchError, match="is not there once"):
        adapt_search(site)

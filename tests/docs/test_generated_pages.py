"""Generated pages are up to date."""

from __future__ import annotations

import pytest
from tools.diagrams import FOLDER, drawings
from tools.make_docs import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_generated_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"


def test_diagrams_are_up_to_date() -> None:
    assert {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()} == drawings(), "run make docs"


def test_settings_page_lists_default_values_and_limits() -> None:
    text = " ".join(PAGES["settings.md"]().split())
    assert "### `TIMBRA_DATABASE_CONNECT_TIMEOUT_SECONDS`" in text
    assert "Default: `3`. Limits: at least 2, at most 60." in text
    assert "Default: `sandbox`. Values: `sandbox`, `rehearsal`, `production`." in text
    assert "Default: `false`. Values: `true`, `false`." in text
    assert "Limits: at least 1073741824." in text


def test_spanish_reference_has_the_headings_of_the_english_one() -> None:
    for name in ("endpoints.md", "errors.md", "commands.md", "settings.md", "portal.md", "alerts.md"):
        english, spanish = ((DOCS / folder / name).read_text("utf-8") for folder in ("", "es/referencia"))
        codes = [
            [line for line in text.splitlines() if line.startswith(("## `", "### `"))] for text in (english, spanish)
        ]
        pictures = [text.count("screenshots/") for text in (english, spanish)]
        assert codes[0] == codes[1], name
        assert pictures[0] == pictures[1], name


def test_endpoints_page_has_a_section_for_each_operation_in_both_languages() -> None:
    for path, sentence in (
        ("endpoints.md", "Compute the amounts of a CFDI 4.0 from its lines. (token)"),
        ("es/referencia/endpoints.md", "Calcular los importes de un CFDI 4.0 a partir de sus conceptos. (token)"),
    ):
        heading, _, section = (DOCS / path).read_text("utf-8").partition("\n### `POST /totals`\n\n")
        assert heading
        assert section.startswith(sentence)

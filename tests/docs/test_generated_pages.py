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

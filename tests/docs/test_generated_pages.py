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

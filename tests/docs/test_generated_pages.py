"""Pages that come from the code are as the code says."""

from __future__ import annotations

import pytest
from tools.make_docs import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_as_the_code_says(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run make docs"

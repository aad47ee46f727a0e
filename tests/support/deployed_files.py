"""Files of `deploy/` with the places of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"


def replaced_in(file: str, replaced: Mapping[str, str]) -> str:
    """Return a file with other places; AssertionError when it does not have one of those that are replaced."""
    text = (DEPLOY / file).read_text("utf-8")
    for before, after in replaced.items():
        assert before in text, before
        text = text.replace(before, after)
    return text

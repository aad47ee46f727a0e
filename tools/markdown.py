"""Markdown of the generated pages: paragraphs and list items whose lines have at most 120 characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

LINE_LENGTH = 120
"""Maximum characters of a line of a page."""

_UNIT = re.compile(r"(?:`[^`]+`|\[[^]]+\]\([^)]+\)|\S)+")
"""A part of a line that is not broken: words, code between backticks and links, with the punctuation around them."""


def paragraph(text: str, *, first: str = "", indent: str = "") -> list[str]:
    """Wrap a text to lines of at most 120 characters.

    Code between backticks and links are not broken; one that is longer than a line has a line for itself.

    Args:
        text: The text; any white space separates words.
        first: Start of the first line, such as `- `.
        indent: Start of every other line.

    Returns:
        The lines.
    """
    lines, line = [], first
    is_empty = True
    for unit in _UNIT.findall(" ".join(text.split())):
        if not is_empty and len(line) + 1 + len(unit) > LINE_LENGTH:
            lines.append(line)
            line, is_empty = indent, True
        line += unit if is_empty else f" {unit}"
        is_empty = False
    return lines if is_empty else [*lines, line]


def item(text: str, *, number: int | None = None) -> list[str]:
    """Return one item of a list, of a numbered one if it has a number.

    Args:
        text: The text of the item.
        number: Number of the item, from 1.

    Returns:
        The lines.
    """
    mark = "- " if number is None else f"{number}. "
    return paragraph(text, first=mark, indent=" " * len(mark))


def items(texts: Iterable[str]) -> list[str]:
    """Return a list with one item for each text.

    Args:
        texts: The texts of the items.

    Returns:
        The lines.
    """
    return [line for text in texts for line in item(text)]

"""Markdown of the generated pages: lines are wrapped, code and links stay whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.markdown import LINE_LENGTH, item, items, paragraph


def test_paragraph_wraps_words_at_the_line_length() -> None:
    lines = paragraph("word " * 60)
    assert [len(line) for line in lines] == [119, 119, 59]


def test_paragraph_does_not_break_code_and_links() -> None:
    code = f"`{'a b ' * 12}c`,"
    link = f"([{'the page ' * 5}of it](page.md))"
    lines = paragraph(f"{'word ' * 20}{code} {'word ' * 20}{link}")
    assert any(code in line for line in lines)
    assert any(link in line for line in lines)


def test_paragraph_gives_a_line_to_a_word_longer_than_a_line() -> None:
    url = f"https://example.com/{'x' * 130}"
    assert paragraph(f"See {url} for more.") == ["See", url, "for more."]


def test_paragraph_keeps_a_single_backtick() -> None:
    assert paragraph("a ` b") == ["a ` b"]


@pytest.mark.parametrize("text", ["", " \n "])
def test_paragraph_is_empty_when_the_text_is(text: str) -> None:
    assert paragraph(text, first="- ") == []


def test_item_indents_its_further_lines() -> None:
    assert item("word " * 30, number=12)[1].startswith("    word")
    assert items(["a", "b"]) == ["- a", "- b"]


@given(st.lists(st.text("abc.`", min_size=1, max_size=20), max_size=60))
def test_paragraph_of_any_text_keeps_its_words_and_the_line_length(words: list[str]) -> None:
    lines = paragraph(" ".join(words), first="- ", indent="  ")
    assert " ".join(line[2:] for line in lines).split() == words
    assert all(len(line) <= LINE_LENGTH or line.count("`") > 1 for line in lines)

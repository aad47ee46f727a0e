"""Text that can be stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.core.text import find_unstorable, storable

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_storable_replaces_exactly_unstorable_characters(text: str) -> None:
    stored = storable(text)
    assert len(stored) == len(text)
    assert "\0" not in stored
    stored.encode("utf-8")
    assert find_unstorable(stored) is None
    assert (stored == text) == (find_unstorable(text) is None)


def test_storable_truncates_long_text() -> None:
    assert storable("ñ" * 10, 3) == "ñññ…"
    assert storable("ñ" * 3, 3) == "ñññ"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('{"a": [{"b": "x\\u0000"}]}', "U+0000"),
        ('{"a": {"\\ud800": 1}}', "U+D800"),
        ('"\\udfff"', "U+DFFF"),
        ('{"a": ["\\ud83d\\ude00", null, 1, true]}', None),
    ],
)
def test_find_unstorable_searches_every_name_and_text(written: str, found: str | None) -> None:
    assert find_unstorable(json.loads(written)) == found

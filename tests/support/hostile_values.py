"""Extreme values of attributes: texts, numbers of any length, positive divisors."""

from __future__ import annotations

from hypothesis import strategies as st

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
NUMBER = st.from_regex(r"[+-]?[0-9]{1,70}(\.[0-9]{0,70})?", fullmatch=True)
POSITIVE = st.from_regex(r"0{0,70}[0-9]{0,30}[1-9](\.[0-9]{0,10})?", fullmatch=True)

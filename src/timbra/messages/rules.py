"""Sentences of SAT's rules, in our wording: one per code."""

from __future__ import annotations

RULES: dict[str, str] = {}

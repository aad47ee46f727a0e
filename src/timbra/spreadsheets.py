"""Texts in tables for spreadsheet programs, which read some of them as formulas."""

from __future__ import annotations

from typing import Final

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
"""First characters with which a spreadsheet program reads a cell of a CSV file as a formula."""
WORKBOOK_OPTIONS: Final = {"strings_to_formulas": False, "strings_to_urls": False}
"""Options of a workbook of xlsxwriter whose texts stay texts."""


def safe_text(text: str) -> str:
    """Return the text of a CSV cell, with an apostrophe before it if it would be read as a formula."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text

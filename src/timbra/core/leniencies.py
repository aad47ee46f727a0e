"""Names of the documents that the vendor stamps although a rule rejects them, in settings and of accounts."""

from __future__ import annotations

LENIENCIES = ("carta-porte", "foreign-use")
"""Values of `vendor_leniency`."""
ALL = "all"
"""The value that names all of them."""


def named_leniencies(value: str) -> tuple[str, ...]:
    """Return the differences that a comma separated text names, in the order of `LENIENCIES`; of others none."""
    named = _names(value)
    return LENIENCIES if ALL in named else tuple(name for name in LENIENCIES if name in named)


def unknown_leniencies(value: str) -> list[str]:
    """Return the names of a comma separated text that are not those of differences, sorted."""
    return sorted(_names(value) - {*LENIENCIES, ALL})


def _names(value: str) -> set[str]:
    return {name.strip() for name in value.split(",") if name.strip()}

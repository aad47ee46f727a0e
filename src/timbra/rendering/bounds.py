"""Limits of the text that is typeset, because memory and time of the typesetter grow with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from timbra.core.errors import ServiceError
from timbra.rendering.branding import PrintExtras
from timbra.rendering.view import DocumentView

MAX_TOTAL_TEXT = 4_000_000
"""Characters of all texts together; 2,000 Conceptos with descriptions of maximum length have fewer."""
MAX_TEXT_LENGTH = 10_000
"""Characters of one text."""
TEXT_OVERHEAD = 20
"""Characters that each text counts in addition, because empty texts are typeset too."""


def check_bounds(view: DocumentView, extras: PrintExtras) -> None:
    """Check the size of a view and of what a client adds, before they are printed.

    Raises:
        ServiceError: "print-too-large" when one text or all texts together exceed the limits.
    """
    total = 0
    for text in _texts((view, extras)):
        if len(text) > MAX_TEXT_LENGTH:
            raise ServiceError("print-too-large", f"Un dato tiene más de {MAX_TEXT_LENGTH} caracteres.")
        total += len(text) + TEXT_OVERHEAD
        if total > MAX_TOTAL_TEXT:
            raise ServiceError("print-too-large", f"El documento tiene más de {MAX_TOTAL_TEXT} caracteres.")


def _texts(value: object) -> Iterator[str]:
    """Yield every text of a view, at any depth."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, tuple):
            pending.extend(item)
        elif is_dataclass(item):
            pending.extend(getattr(item, field.name) for field in fields(item))

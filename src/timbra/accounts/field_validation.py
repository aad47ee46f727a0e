"""Normalization and validation of the texts of an account."""

from __future__ import annotations

import unicodedata
from typing import Final

from timbra.core.errors import ServiceError

MAX_USER_LENGTH: Final = 254
MAX_TEXT_LENGTH: Final = 254


def normalize_user(user: str) -> str:
    """Return the form of a user name for comparisons: NFC, case-folded, without surrounding blanks."""
    return unicodedata.normalize("NFC", user.strip()).casefold()


def validate_user(user: str) -> str:
    """Return the form of a user name for display: NFC, without surrounding blanks.

    Raises:
        ServiceError: "user-invalid".
    """
    normalized = unicodedata.normalize("NFC", user.strip())
    if not 0 < len(normalized) <= MAX_USER_LENGTH or not normalized.isprintable() or " " in normalized:
        raise ServiceError("user-invalid", f"Debe tener entre 1 y {MAX_USER_LENGTH} caracteres visibles, sin espacios.")
    return normalized


def validate_text(name: str, value: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Return the form in which a text is stored: NFC, without surrounding blanks.

    Args:
        name: The field, for the error.
        max_length: The maximum number of characters.

    Raises:
        ServiceError: "TB4005" when the text is too long or has unprintable characters.
    """
    normalized = unicodedata.normalize("NFC", value.strip())
    if len(normalized) > max_length or not normalized.isprintable():
        raise ServiceError("TB4005", f"El campo {name} admite hasta {max_length} caracteres visibles.")
    return normalized

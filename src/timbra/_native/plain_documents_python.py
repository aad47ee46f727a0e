"""A `PlainReader` for packages without native code: no document is plain, so that the ordinary path takes all."""

from __future__ import annotations


class PlainDocument:
    """No document."""


class PlainReader:
    """Accepts nothing."""

    def __init__(self, _forms: object, _cadena: object, _layout: object) -> None:
        return

    def read(self, _xml: bytes, _is_sealed: bool = False, _is_whole: bool = False) -> PlainDocument | None:
        """Return None."""
        return None

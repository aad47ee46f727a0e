"""Reading texts out of pickles without trusting them: no global is ever looked up, only plain texts come out."""

from __future__ import annotations

import io
import pickle
from typing import Any, NoReturn


class UntrustedPickleError(ValueError):
    """The pickle holds something other than texts, or is broken."""


class _Texts(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise UntrustedPickleError(f"a pickle asks for {module}.{name}")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise UntrustedPickleError(f"a pickle asks for the persistent object {pid!r}")


def read_texts(blob: bytes) -> tuple[str, ...]:
    """The text, or the tuple or list of texts, that the pickle holds; UntrustedPickleError for anything else.

    An absent text (None) inside a tuple or list reads as empty.
    """
    try:
        value = _Texts(io.BytesIO(blob)).load()
    except UntrustedPickleError:
        raise
    except Exception as error:
        raise UntrustedPickleError(f"not a readable pickle: {error}") from error
    values = value if type(value) in (tuple, list) else (value,)
    if value is None or not all(part is None or type(part) is str for part in values):
        raise UntrustedPickleError("a pickle holds something other than texts")
    return tuple(part or "" for part in values)

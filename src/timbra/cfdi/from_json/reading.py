"""JSON bytes to plain objects: numbers keep their written form, and duplicate keys are rejected."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from timbra._native import restore_integers
from timbra.core.errors import ServiceError
from timbra.core.text import find_unstorable

Json = dict[str, Any]

ATTRIBUTE_MARK = "@"
"""First character of the key of an attribute in the `@attribute` / `#text` notation."""
TEXT_KEY = "#text"
FLAG_SUFFIX = "Specified"
"""End of the keys by which .NET serializers say whether an optional member has a value: `DescuentoSpecified`."""
_FLAGS = {"true": True, "false": False}


def read_object(body: bytes) -> Json:
    """Parse a JSON object; numbers become the text as written. Raises ServiceError: 301 for anything else."""
    try:
        content = _parse(body)
    except (ValueError, RecursionError) as error:
        raise json_rejection(f"El JSON no se pudo leer: {_reason(error)}.") from error
    if not isinstance(content, dict):
        raise json_rejection("El JSON no es un objeto.")
    # Only an escape can produce such text: the body is UTF-8, and JSON has no unescaped control characters.
    if b"\\u" in body and (character := find_unstorable(content)):
        raise json_rejection(f"El JSON trae {character}, que no es un carácter de texto.")
    return content


def _parse(body: bytes) -> object:
    """Parse JSON by the faster parser; `json` reads what that one does not accept, and reports the errors."""
    if restore_integers is not None:
        parse, rejection = _fast_parser()
        try:
            content = parse(body)
            if restore_integers(body, content):
                return content
        except (rejection, ValueError, RecursionError):
            pass  # `json` finds the same error, a key that is repeated before it, or none: it accepts more
    return _loads(body.decode("utf-8-sig"), object_pairs_hook=_reject_duplicates)


@cache
def _fast_parser() -> tuple[Callable[[bytes], object], type[Exception]]:
    """Return the parser and its error; imported with the first document, so that servers start sooner."""
    from msgspec import DecodeError
    from msgspec.json import Decoder

    return Decoder(float_hook=str).decode, DecodeError


def local_name(key: str) -> str:
    """Return the name of a key without prefix and without the mark of attributes."""
    return key.removeprefix(ATTRIBUTE_MARK).rpartition(":")[2]


def read_version(content: Json) -> str | None:
    """Return the version among the members of an element; None when it has none, or one that is no text."""
    named = (scalar(value) for key, value in content.items() if local_name(key).casefold() == "version")
    return next((value for value in named if isinstance(value, str)), None)


def scalar(value: object) -> object:
    """Return the text of an object that has only `#text`; any other value as it is."""
    return value[TEXT_KEY] if isinstance(value, dict) and value.keys() == {TEXT_KEY} else value


def read_flag(value: object) -> bool | None:
    """Return the value of a `...Specified` key, which may be a boolean or a text; None for any other value."""
    if isinstance(value, bool):
        return value
    return _FLAGS.get(value.strip().casefold()) if isinstance(value, str) else None


def json_rejection(detail: str) -> ServiceError:
    """Return the error for a JSON invoice that is rejected."""
    return ServiceError("301", detail)


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "anidamiento excesivo"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, línea {error.lineno}, posición {error.colno}"
    return "no es UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


def _reject_constant(name: str) -> str:
    raise ValueError(f"{name} no es un número")


_loads = partial(json.loads, parse_float=str, parse_int=str, parse_constant=_reject_constant)


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> Json:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("una clave se repite en un mismo objeto")
    return content

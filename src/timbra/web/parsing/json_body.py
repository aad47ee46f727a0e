"""Parsing of JSON bodies. Numbers stay text, so that amounts are never converted to floats."""

from __future__ import annotations

import json
from typing import NoReturn

from timbra.core.errors import ServiceError
from timbra.core.text import find_unstorable
from timbra.web.parsing.decoding import decode_text


def json_object(body: bytes) -> dict[str, object]:
    """Parse the JSON object of a body.

    Returns:
        The members by name; numbers are returned as text.

    Raises:
        ServiceError: "TB4004" for invalid JSON, for a value that is not an object, for repeated names, and for text
            that cannot be stored (see `timbra.core.text`).
    """
    text = decode_text(body)
    try:
        parsed = json.loads(
            text,
            parse_int=str,
            parse_float=str,
            parse_constant=_no_constant,
            object_pairs_hook=_unique_keys,
        )
    except json.JSONDecodeError as error:
        raise ServiceError("TB4004", f"No es JSON válido: renglón {error.lineno}, columna {error.colno}.") from error
    except RecursionError as error:
        raise ServiceError("TB4004", "El JSON está anidado demasiado profundo.") from error
    if not isinstance(parsed, dict):
        raise ServiceError("TB4004", "Se espera un objeto JSON.")
    # Only an escape can produce such text: the body is UTF-8, and JSON has no unescaped control characters.
    if "\\u" in text and (character := find_unstorable(parsed)):
        raise ServiceError("TB4004", f"El JSON trae {character}, que no es un carácter de texto.")
    return parsed


def lower_keys(members: dict[str, object]) -> dict[str, object]:
    """Return the members with names in lower case: clients send `user` and `User`, `b64Cer` and `B64Cer`."""
    return {name.lower(): value for name, value in members.items()}


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ServiceError("TB4004", "El JSON repite el nombre de un miembro.")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ServiceError("TB4004", f"El JSON trae {name}, que no es un número.")

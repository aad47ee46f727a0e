"""JSON bodies, with numbers kept as they are written: money never passes through a float."""

from __future__ import annotations

import json
from typing import NoReturn

from timbra.api.parsing.decoding import decoded_text
from timbra.errors import ServiceError
from timbra.text import find_unstorable


def json_object(body: bytes) -> dict[str, object]:
    """The JSON object of a body. Numbers are their text.

    ServiceError TB4004 for anything else, for repeated names, and for text that cannot be stored (`timbra.text`).
    """
    text = decoded_text(body)
    try:
        parsed = json.loads(
            text,
            parse_int=str,
            parse_float=str,
            parse_constant=_no_constant,
            object_pairs_hook=_unique_keys,
        )
    except json.JSONDecodeError as problem:
        raise ServiceError(
            "TB4004", f"No es JSON válido: renglón {problem.lineno}, columna {problem.colno}."
        ) from problem
    except RecursionError as problem:
        raise ServiceError("TB4004", "El JSON está anidado demasiado profundo.") from problem
    if not isinstance(parsed, dict):
        raise ServiceError("TB4004", "Se espera un objeto JSON.")
    # Only an escape can write what cannot be stored: the text itself is UTF-8, and JSON has no bare control characters.
    if "\\u" in text and (character := find_unstorable(parsed)):
        raise ServiceError("TB4004", f"El JSON trae {character}, que no es un carácter de texto.")
    return parsed


def lower_keys(members: dict[str, object]) -> dict[str, object]:
    """The same members with their names in lower case: clients write `user`, `User`, `b64Cer`, `B64Cer`."""
    return {name.lower(): value for name, value in members.items()}


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ServiceError("TB4004", "El JSON repite el nombre de un miembro.")
    return members


def _no_constant(written: str) -> NoReturn:
    raise ServiceError("TB4004", f"El JSON trae {written}, que no es un número.")

"""JSON bodies, with numbers kept as they are written: money never passes through a float."""

from __future__ import annotations

import json
from typing import NoReturn

from timbra.api.content import decoded_text
from timbra.errors import ServiceError


def json_object(body: bytes) -> dict[str, object]:
    """The JSON object of a body. Numbers are their text. ServiceError TB4004 for anything else, repeated keys too."""
    try:
        parsed = json.loads(
            decoded_text(body),
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

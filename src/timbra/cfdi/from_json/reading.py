"""JSON bytes to plain objects: numbers keep their written form, and duplicate keys are rejected."""

from __future__ import annotations

import json
from typing import Any

from timbra.errors import ServiceError

Json = dict[str, Any]


def read_object(body: bytes) -> Json:
    """Parse a JSON object; numbers become the text as written.

    Raises:
        ServiceError: 301 for anything else.
    """
    try:
        content = json.loads(
            body.decode("utf-8-sig"),
            parse_float=str,
            parse_int=str,
            parse_constant=_reject_constant,
            object_pairs_hook=_reject_duplicates,
        )
    except (ValueError, RecursionError) as error:
        raise json_rejection(f"El JSON no se pudo leer: {_reason(error)}.") from error
    if not isinstance(content, dict):
        raise json_rejection("El JSON no es un objeto.")
    return content


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


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> Json:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("una clave se repite en un mismo objeto")
    return content

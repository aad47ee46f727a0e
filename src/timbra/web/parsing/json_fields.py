"""Typed access to the members of a JSON object."""

from __future__ import annotations

import re
from dataclasses import dataclass

from timbra.core.errors import ServiceError
from timbra.web.parsing.json_body import json_object, lower_keys

_WHOLE = re.compile(r"-?[0-9]{1,9}")
_DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class JsonFields:
    """The members of a JSON object. Names match without case, and null counts as missing.

    Every method raises a ServiceError with `code` for a value of another type, and names the member in its detail.

    Attributes:
        values: Values by name in lower case.
        code: Error code of a value with the wrong type.
    """

    values: dict[str, object]
    code: str = "TB4005"

    @classmethod
    def read(cls, body: bytes, code: str = "TB4005") -> JsonFields:
        """Parse a body; an empty body is an empty object.

        Args:
            code: Error code of a value with the wrong type.

        Raises:
            ServiceError: "TB4004" when the body is not a JSON object.
        """
        return cls(lower_keys(json_object(body)) if body.strip() else {}, code)

    def has_value(self, name: str) -> bool:
        """Whether a member has a value of any type: not missing, null, blank or empty."""
        value = self.values.get(name.lower())
        return bool(value.strip() if isinstance(value, str) else value)

    def text(self, name: str) -> str:
        """Return a text; empty when missing."""
        value = self.values.get(name.lower())
        if value is None:
            return ""
        return value if isinstance(value, str) else self._reject(name, "un texto")

    def password(self, name: str = "password") -> str:
        """Return a text; empty when missing or false, which Odoo sends for the password of a key without one."""
        return "" if self.values.get(name) is False else self.text(name)

    def texts(self, name: str) -> tuple[str, ...] | None:
        """Return a list of texts, or a single text as a list of one; None when missing."""
        value = self.values.get(name.lower())
        if value is None:
            return None
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str) for item in items):
            self._reject(name, "una lista de textos")
        return tuple(items)

    def objects(self, name: str) -> list[JsonFields]:
        """Return a list of objects; empty when missing."""
        value = self.values.get(name.lower())
        items = [] if value is None else value
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            self._reject(name, "una lista de objetos")
            return []
        return [JsonFields(lower_keys(item), self.code) for item in items]

    def whole(self, name: str) -> int | None:
        """Return an integer; None when missing."""
        text = self.text(name)
        return int(text if _WHOLE.fullmatch(text) else self._reject(name, "un entero")) if text else None

    def decimal(self, name: str) -> float | None:
        """Return a number with or without decimals; None when missing."""
        text = self.text(name)
        return float(text if _DECIMAL.fullmatch(text) else self._reject(name, "un número")) if text else None

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean, which may be text ("true", "1"); `default` when missing."""
        value = self.flag_or_none(name)
        return default if value is None else value

    def flag_or_none(self, name: str) -> bool | None:
        """Return a boolean, which may be text ("true", "1"); None when missing."""
        value = self.values.get(name.lower())
        if value is None or value == "":
            return None
        text = str(value).lower()
        return _FLAGS[text] if text in _FLAGS else bool(self._reject(name, "true o false"))

    def _reject(self, name: str, expected: str) -> str:
        raise ServiceError(self.code, f"El campo {name} debe ser {expected}.")

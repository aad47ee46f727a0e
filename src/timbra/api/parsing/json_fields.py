"""Members of a JSON object, read with their types; names without case, null and missing alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

from timbra.api.parsing.json_body import json_object, lower_keys
from timbra.errors import ServiceError

_WHOLE = re.compile(r"-?[0-9]{1,9}")
_DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class JsonFields:
    """code: of the ServiceError that a value of another type raises, with the member in its detail."""

    values: dict[str, object]
    code: str = "TB4005"

    @classmethod
    def read(cls, body: bytes, code: str = "TB4005") -> JsonFields:
        """The object in a body; an empty body is an empty object. ServiceError TB4004 for what is none."""
        return cls(lower_keys(json_object(body)) if body.strip() else {}, code)

    def text(self, name: str) -> str:
        """A text, empty when missing."""
        value = self.values.get(name.lower())
        if value is None:
            return ""
        return value if isinstance(value, str) else self._reject(name, "un texto")

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of texts, or one alone; None when missing."""
        value = self.values.get(name.lower())
        if value is None:
            return None
        several = value if isinstance(value, list) else [value]
        if not all(isinstance(one, str) for one in several):
            self._reject(name, "una lista de textos")
        return tuple(several)

    def objects(self, name: str) -> list[JsonFields]:
        """A list of objects, empty when missing."""
        value = self.values.get(name.lower())
        several = [] if value is None else value
        if not isinstance(several, list) or not all(isinstance(one, dict) for one in several):
            self._reject(name, "una lista de objetos")
            return []
        return [JsonFields(lower_keys(one), self.code) for one in several]

    def whole(self, name: str) -> int | None:
        """A whole number, None when missing."""
        text = self.text(name)
        return int(text if _WHOLE.fullmatch(text) else self._reject(name, "un entero")) if text else None

    def decimal(self, name: str) -> float | None:
        """A number of seconds and the like, None when missing."""
        text = self.text(name)
        return float(text if _DECIMAL.fullmatch(text) else self._reject(name, "un número")) if text else None

    def flag(self, name: str, *, default: bool) -> bool:
        """true or false, also as text; `default` when missing."""
        found = self.flag_or_none(name)
        return default if found is None else found

    def flag_or_none(self, name: str) -> bool | None:
        """true or false, also as text; None when missing."""
        value = self.values.get(name.lower())
        if value is None or value == "":
            return None
        word = str(value).lower()
        return _FLAGS[word] if word in _FLAGS else bool(self._reject(name, "true o false"))

    def _reject(self, name: str, wanted: str) -> str:
        raise ServiceError(self.code, f"El campo {name} debe ser {wanted}.")

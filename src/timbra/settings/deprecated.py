"""Names and values of an earlier release: read for one more release, each with one warning on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from timbra.core.bounds import Bound, BoundKind

ENV_PREFIX = "TIMBRA_"
DEPRECATED_NAMES = {
    "answer_silence_seconds": "write_timeout_seconds",
    "body_least_bytes_per_second": "body_min_bytes_per_second",
    "body_longest_seconds": "body_timeout_seconds",
    "body_silence_seconds": "body_idle_timeout_seconds",
    "database_connect_seconds": "database_connect_timeout_seconds",
    "database_lock_seconds": "database_lock_timeout_seconds",
    "database_statement_seconds": "database_statement_timeout_seconds",
    "head_seconds": "header_timeout_seconds",
    "open_registry": "accept_any_rfc",
    "print_seconds": "print_timeout_seconds",
    "refusal_days": "rejection_days",
    "refusal_documents": "rejection_documents",
    "sat_answer_url": "sat_acceptance_url",
    "sat_seconds": "sat_timeout_seconds",
    "smtp_seconds": "smtp_timeout_seconds",
}
"""The field that replaces each name of an earlier release."""
DEPRECATED_STATUS_SERVICE = "usual"


class DeprecatedNames(PydanticBaseSettingsSource):
    """Values under names of an earlier release; the lowest priority, so that a new name always wins.

    Args:
        settings: the class of the settings.
        environment: the variables of the process and of the settings file, in order of priority; names in lower case.
    """

    def __init__(self, settings: type[BaseSettings], *environment: Mapping[str, str | None]) -> None:
        super().__init__(settings)
        self._environment = environment

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002
        """Not used: `__call__` reads all fields."""
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """Return the value of each field whose former name is set, and warn about that name."""
        values: dict[str, Any] = {}
        for former, name in DEPRECATED_NAMES.items():
            key = f"{ENV_PREFIX}{former}".lower()
            value = next((variables[key] for variables in self._environment if key in variables), None)
            if value is not None:
                warn(f"{key.upper()} is deprecated; use {ENV_PREFIX}{name.upper()}")
                values[name] = value
        return values


def former_names(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables of the process that have a name of an earlier release, each with the present one."""
    written = {name.upper() for name in environment}
    names = ((_variable(former), _variable(name)) for former, name in DEPRECATED_NAMES.items())
    return {former: name for former, name in names if former in written}


def _variable(field: str) -> str:
    return f"{ENV_PREFIX}{field}".upper()


@cache
def warn(message: str) -> None:
    """Write the message to standard error, once in a process."""
    print(f"timbra: {message}", file=sys.stderr)


BOUNDS = (Bound("warn", BoundKind.CACHE, "one for each deprecated setting", "There are no further settings."),)

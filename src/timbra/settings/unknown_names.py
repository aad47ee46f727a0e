"""Variables `TIMBRA_*` that no part of Timbra reads: misspelt settings, whose default would apply silently."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pydantic_settings import DotEnvSettingsSource

from timbra.settings import DEPRECATED_NAMES, ENV_PREFIX, Settings

OTHER_NAMES = frozenset(
    {
        "TIMBRA_BUILD_NATIVE",
        "TIMBRA_COMPLETE",
        "TIMBRA_CONFIG",
        "TIMBRA_DEV_PASSWORD",
        "TIMBRA_DEV_TOKEN",
        "TIMBRA_DEV_USER",
        "TIMBRA_LANG",
        "TIMBRA_NATIVE",
        "TIMBRA_NATIVE_CFLAGS",
        "TIMBRA_RSA8",
        "TIMBRA_TOKEN",
    }
)
"""Variables that commands and builds read besides the settings."""
TEST_PREFIX = "TIMBRA_TEST_"
"""Variables of the pytest plugin and of Timbra's own tests."""


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A variable that nothing reads.

    Attributes:
        name: The variable, in upper case.
        nearest: The setting that was probably meant; empty when none is similar.
    """

    name: str
    nearest: str


def unknown_names(environment: Mapping[str, str] | None = None) -> list[UnknownName]:
    """Return the variables `TIMBRA_*` of the process and of the file `TIMBRA_CONFIG` that nothing reads, by name.

    Args:
        environment: The variables of the process; those of this one when None.
    """
    variables = os.environ if environment is None else environment
    file = variables.get("TIMBRA_CONFIG")
    in_file = DotEnvSettingsSource(Settings, env_file=file).env_vars if file else {}
    written = {name.upper() for name in (*variables, *in_file)}
    settings = {f"{ENV_PREFIX}{name.upper()}" for name in (*Settings.model_fields, *DEPRECATED_NAMES)}
    unknown = sorted(
        name
        for name in written - settings - OTHER_NAMES
        if name.startswith(ENV_PREFIX) and not name.startswith(TEST_PREFIX)
    )
    return [UnknownName(name, _nearest(name, settings)) for name in unknown]


def _nearest(name: str, settings: Collection[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, sorted(settings), 1)), "")

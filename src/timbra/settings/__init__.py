"""Settings of the server, read from `TIMBRA_*` environment variables and an optional dotenv file."""

from __future__ import annotations

import os
from typing import Any

from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from timbra.settings.archive import ArchiveSettings
from timbra.settings.authority import AuthoritySettings
from timbra.settings.bulk_download import BulkDownloadSettings
from timbra.settings.delivery import DeliverySettings
from timbra.settings.deprecated import DEPRECATED_NAMES, ENV_PREFIX, DeprecatedNames
from timbra.settings.documents import DocumentSettings
from timbra.settings.inspector import InspectorSettings
from timbra.settings.installation import InstallationSettings
from timbra.settings.integrations import IntegrationSettings
from timbra.settings.lists import ListSettings
from timbra.settings.provider import ProviderSettings
from timbra.settings.sandbox import SandboxSettings
from timbra.settings.server import ServerSettings

__all__ = ["DEPRECATED_NAMES", "ENV_PREFIX", "Settings", "load_settings"]


class Settings(
    ServerSettings,
    AuthoritySettings,
    BulkDownloadSettings,
    DeliverySettings,
    ProviderSettings,
    ListSettings,
    ArchiveSettings,
    DocumentSettings,
    InspectorSettings,
    IntegrationSettings,
    InstallationSettings,
    SandboxSettings,
):
    """The settings. Each field is a variable `TIMBRA_<FIELD>`; the dotenv file `TIMBRA_CONFIG` has the same names."""

    model_config = SettingsConfigDict(env_prefix=ENV_PREFIX, extra="ignore", frozen=True, hide_input_in_errors=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: arguments, environment, file, then deprecated names in environment and file."""
        has_file = isinstance(dotenv_settings, DotEnvSettingsSource) and dotenv_settings.env_file
        # Without a file its source would look up every setting in nothing.
        sources = (env_settings, dotenv_settings) if has_file else (env_settings,)
        environment = [source.env_vars for source in sources if isinstance(source, EnvSettingsSource)]
        return init_settings, *sources, file_secret_settings, DeprecatedNames(settings_cls, *environment)


def load_settings(**overrides: Any) -> Settings:
    """Read the settings from the environment and from the file that `TIMBRA_CONFIG` names.

    Args:
        overrides: Values by field name, which have priority over both.

    Raises:
        pydantic.ValidationError: A value is invalid.
    """
    return Settings(_env_file=os.environ.get("TIMBRA_CONFIG"), **overrides)  # type: ignore[call-arg]


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment variables that give a server these settings."""
    names = settings.model_fields_set - {"data"}
    values = {name: getattr(settings, name) for name in names}
    return {f"{ENV_PREFIX}{name.upper()}": str(value) for name, value in values.items() if value is not None}

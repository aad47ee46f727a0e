"""The client of the mail server of the settings."""

from __future__ import annotations

from timbra.core.smtp import Smtp
from timbra.settings import Settings


def smtp_client(settings: Settings) -> Smtp:
    """Build the client of the mail server of the settings."""
    return Smtp(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_user,
        settings.smtp_password,
        settings.smtp_timeout_seconds,
        settings.smtp_ca,
    )

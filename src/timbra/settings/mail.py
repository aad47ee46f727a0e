"""What the settings of e-mail mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.core.environments import ENVIRONMENTS

if TYPE_CHECKING:
    from timbra.settings import Settings


def is_mail_kept(settings: Settings) -> bool:
    """Whether the server keeps e-mails for the portal instead of sending them."""
    is_sandbox = ENVIRONMENTS[settings.environment].is_sandbox
    return is_sandbox and not settings.smtp_host and settings.sandbox_mail == "keep"


def is_mail_enabled(settings: Settings) -> bool:
    """Whether e-mails are sent or kept."""
    return bool(settings.smtp_host) or is_mail_kept(settings)

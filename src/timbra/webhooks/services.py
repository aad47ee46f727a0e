"""The services of webhooks, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.accounts.accounts import Accounts
    from timbra.webhooks.endpoints import WebhookService


@dataclass(frozen=True, slots=True)
class WebhookServices:
    """Webhooks of accounts.

    Attributes:
        accounts: finds accounts by their user name.
    """

    webhooks: WebhookService
    accounts: Accounts

"""How the documents of an account are printed: template, colour, footer and logo."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

from timbra.accounts.store.branding_repository import BrandingRepository
from timbra.accounts.store.models import StoredBranding
from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.events.audit.audit import Audit
from timbra.rendering.branding import DEFAULT_BRANDING, Branding, check_color, check_footer, check_template
from timbra.rendering.logo import Logo, LogoKind, check_logo, read_logo


@dataclass(frozen=True, slots=True)
class BrandingChange:
    """A change of the branding.

    Attributes:
        template, color, footer: the new values; None leaves the value as it is. Empty texts restore the default.
        logo: the new image; None leaves the logo as it is, empty bytes remove it.
    """

    template: str | None = None
    color: str | None = None
    footer: str | None = None
    logo: bytes | None = field(default=None, repr=False)


class BrandingService:
    """Reads and changes the brandings of accounts; do not call it on the event loop.

    Args:
        database: the database.
        wall, fiscal: clocks of the audit log.
    """

    def __init__(self, database: Database, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._repository = BrandingRepository(database)
        self._audit = Audit(wall, fiscal)
        self._wall = wall

    def find(self, account_id: int) -> Branding:
        """Return the branding of an account; the default when it has none of its own."""
        with self._database.read() as transaction:
            stored = self._repository.find(transaction, account_id)
        return DEFAULT_BRANDING if stored is None else _branding(stored)

    def change(self, account_id: int, change: BrandingChange) -> Branding:
        """Change the branding of an account and return it.

        Raises:
            ServiceError: "TB4005" for an invalid value; nothing is changed.
        """
        logo = check_logo(read_logo(change.logo)) if change.logo else None
        with self._database.write() as transaction:
            stored = self._repository.find(transaction, account_id)
            branding = DEFAULT_BRANDING if stored is None else _branding(stored)
            if change.template is not None:
                template = check_template(change.template) if change.template.strip() else DEFAULT_BRANDING.template
                branding = replace(branding, template=template)
            if change.color is not None:
                color = check_color(change.color) if change.color.strip() else DEFAULT_BRANDING.color
                branding = replace(branding, color=color)
            if change.footer is not None:
                branding = replace(branding, footer=check_footer(change.footer))
            if change.logo is not None:
                branding = replace(branding, logo=logo)
            self._repository.save(transaction, account_id, _stored(branding), self._wall.now())
            body = {"template": branding.template, "color": branding.color, "logo": branding.logo is not None}
            self._audit.record(transaction, "branding.changed", account_id, str(account_id), body)
        return branding

    def reset(self, account_id: int) -> Branding:
        """Return an account to the default branding."""
        with self._database.write() as transaction:
            self._repository.delete(transaction, account_id)
            self._audit.record(transaction, "branding.reset", account_id, str(account_id))
        return DEFAULT_BRANDING


def _branding(stored: StoredBranding) -> Branding:
    logo = None
    if stored.logo is not None and stored.logo_kind is not None:
        logo = Logo(cast(LogoKind, stored.logo_kind), stored.logo)
    return Branding(stored.template, stored.color, stored.footer, logo)


def _stored(branding: Branding) -> StoredBranding:
    logo = branding.logo
    return StoredBranding(
        branding.template,
        branding.color,
        branding.footer,
        None if logo is None else logo.kind,
        None if logo is None else logo.content,
    )

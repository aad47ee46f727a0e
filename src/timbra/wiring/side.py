"""What stands behind printing's neighbours: signed links and the mail server."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from timbra.errors import ServiceError
from timbra.service.links import Links
from timbra.service.mail.addresses import sender
from timbra.service.mail.mailing import Mailing
from timbra.service.mail.smtp import Smtp

if TYPE_CHECKING:
    from timbra.clock import Clock
    from timbra.seals.envelope import Envelope
    from timbra.service.printing import Printing
    from timbra.service.storage import Storage
    from timbra.settings import Settings
    from timbra.store.database import Database

LINKS = "links"


def links(database: Database, envelope: Envelope, wall: Clock) -> Links:
    """Links that every process of the service understands."""
    from timbra.accounts.secrets import shared_secret

    return Links(cache(lambda: shared_secret(database, envelope, LINKS)), wall)


def mailing(settings: Settings, storage: Storage, printing: Printing, *, sandbox: bool) -> Mailing:
    """Mail as the settings say; ServiceError("CO1000") for a sender that is no address."""
    if not settings.smtp_host:
        return Mailing(storage, printing, None, None, sandbox=sandbox)
    try:
        writer = sender(settings.smtp_sender)
    except ValueError:
        raise ServiceError("CO1000", "TIMBRA_SMTP_SENDER no es una dirección de correo.") from None
    post = Smtp(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_user,
        settings.smtp_password,
        settings.smtp_seconds,
        settings.smtp_ca,
    )
    return Mailing(storage, printing, post, writer, sandbox=sandbox)

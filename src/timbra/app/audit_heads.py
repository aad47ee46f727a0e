"""Construction of the destinations of audit heads."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.app.mail import smtp_transport
from timbra.audit.head_publication import HeadAddress, HeadDestination, HeadEmail, HeadFile
from timbra.core.errors import ServiceError
from timbra.sat.transport import Transport
from timbra.settings.archive import destinations_of

if TYPE_CHECKING:
    from timbra.settings import Settings

FILE, MAIL = "file:", "mailto:"
TIMEOUT_SECONDS = 10


def destinations(settings: Settings) -> dict[str, HeadDestination]:
    """Build the destinations by their names in the settings.

    Raises:
        ServiceError: "CO1000" for an e-mail address without a mail server.
    """
    transport = Transport(1)
    return {name: _destination(name, settings, transport) for name in destinations_of(settings.audit_heads)}


def _destination(name: str, settings: Settings, transport: Transport) -> HeadDestination:
    if name.startswith(FILE):
        return HeadFile(Path(name.removeprefix(FILE)))
    if not name.startswith(MAIL):
        return HeadAddress(name, transport, TIMEOUT_SECONDS)
    if not settings.smtp_host:
        raise ServiceError("CO1000", f"TIMBRA_AUDIT_HEADS: {name} necesita TIMBRA_SMTP_HOST.")
    server = settings.public_url or socket.gethostname()
    return HeadEmail(name.removeprefix(MAIL), settings.smtp_sender, server, smtp_transport(settings).send)

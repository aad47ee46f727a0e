"""Construction of signed links and of the mailer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from timbra.core.environments import ENVIRONMENTS
from timbra.core.errors import ServiceError
from timbra.documents.mail.addresses import sender
from timbra.documents.mail.mailer import Mailer, MailTransport
from timbra.documents.mail.notices import NoticeMailer
from timbra.documents.mail.smtp import Smtp
from timbra.documents.signed_links import SignedLinks
from timbra.events.notices import NoticeOutbox

if TYPE_CHECKING:
    from email.headerregistry import Address

    from timbra.core.clock import Clock
    from timbra.core.metrics import MetricsRegistry
    from timbra.database.database import Database
    from timbra.documents.printing import PrintingService
    from timbra.documents.storage import StoredCfdiService
    from timbra.sandbox.caught_mails import CaughtMails
    from timbra.seals.encryption.envelope import EnvelopeEncryption
    from timbra.settings import Settings

LINKS = "links"
KEPT_SENDER = "Timbra <timbra@localhost>"


def signed_links(database: Database, envelope: EnvelopeEncryption, wall: Clock) -> SignedLinks:
    """Build signed links; all processes of the server share their secret, which the database stores."""
    from timbra.accounts.secrets import SharedSecret

    return SignedLinks(SharedSecret(database, envelope, LINKS).read, wall)


def is_mail_kept(settings: Settings) -> bool:
    """Whether the server keeps e-mails for the portal instead of sending them."""
    is_sandbox = ENVIRONMENTS[settings.environment].is_sandbox
    return is_sandbox and not settings.smtp_host and settings.sandbox_mail == "keep"


def is_mail_enabled(settings: Settings) -> bool:
    """Whether e-mails are sent or kept."""
    return bool(settings.smtp_host) or is_mail_kept(settings)


def kept_mails(database: Database, wall: Clock) -> CaughtMails:
    """Return the e-mails that a sandbox keeps."""
    from timbra.sandbox.caught_mails import CaughtMails
    from timbra.sandbox.store.mails import CaughtMailStore

    return CaughtMails(CaughtMailStore(database), wall)


def mailer(
    settings: Settings,
    database: Database,
    wall: Clock,
    storage: StoredCfdiService,
    printing: PrintingService,
    metrics: MetricsRegistry,
) -> Mailer:
    """Build the mailer; without a mail server in the settings, it has no transport, or keeps e-mails in a sandbox.

    Raises:
        ServiceError: "CO1000" when the sender is not an e-mail address.
    """
    fiscal_effect = ENVIRONMENTS[settings.environment].fiscal_effect
    if not is_mail_enabled(settings):
        return Mailer(storage, printing, None, None, fiscal_effect=fiscal_effect, metrics=metrics)
    transport, address = _transport(settings, database, wall), _sender(settings)
    return Mailer(storage, printing, transport, address, fiscal_effect=fiscal_effect, metrics=metrics)


def notice_mailer(settings: Settings, database: Database, wall: Clock) -> NoticeMailer | None:
    """Build the mailer of notices about the security of accounts; None without a mail server."""
    if not is_mail_enabled(settings):
        return None
    transport = _transport(settings, database, wall)
    return NoticeMailer(NoticeOutbox(database, wall), transport, _sender(settings), wall)


def _sender(settings: Settings) -> Address:
    if not settings.smtp_sender and is_mail_kept(settings):
        return sender(KEPT_SENDER)
    try:
        return sender(settings.smtp_sender)
    except ValueError:
        raise ServiceError("CO1000", "TIMBRA_SMTP_SENDER no es una dirección de correo.") from None


def _transport(settings: Settings, database: Database, wall: Clock) -> MailTransport:
    return kept_mails(database, wall) if is_mail_kept(settings) else smtp_transport(settings)


def smtp_transport(settings: Settings) -> Smtp:
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

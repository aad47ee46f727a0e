"""Construction of stored documents, their prints, their links and their e-mail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from functools import partial

from timbra.accounts.build import account_services, branding_service, envelope_encryption
from timbra.accounts.secrets import SharedSecret
from timbra.cfdi.build import document_parser, thread_parser
from timbra.cfdi.document import DocumentParser
from timbra.cfdi.qr import SAT_PAGES
from timbra.container import Container
from timbra.core.errors import ServiceError
from timbra.database.build import cluster_jobs, opened_database
from timbra.delivery.build import delivery_state
from timbra.delivery.receptions import DeliveryState
from timbra.documents.cancellation_marks import CancellationMarks
from timbra.documents.listing import DocumentListing
from timbra.documents.mail.addresses import sender
from timbra.documents.mail.consumer import email_consumer
from timbra.documents.mail.mailer import Mailer
from timbra.documents.mail.notices import NoticeMailer
from timbra.documents.ports import cancellation_acuses, mail_transport
from timbra.documents.printing import LIMITS, PrintingService
from timbra.documents.signed_links import SignedLinks
from timbra.documents.storage import StoredCfdiService
from timbra.documents.typesetting import Typesetter
from timbra.documents.words import indexed_document
from timbra.events.build import dispatch_events, email_outbox
from timbra.events.cancellation_states import cancellation_states
from timbra.events.consumers import Consumer
from timbra.events.event_log import Event, cancellation_events
from timbra.events.notices import NoticeOutbox
from timbra.rendering import ViewReader
from timbra.rendering.build import view_reader
from timbra.sat.ports import status_service
from timbra.settings import Settings
from timbra.settings.mail import is_mail_kept
from timbra.stamps.build import database_stamps, stamp_months
from timbra.stamps.document_index import DocumentIndex
from timbra.stamps.listed_states import states_consumer
from timbra.stamps.search import StampSearch
from timbra.validation.ports import provider_certificates
from timbra.web.build import verification_pages
from timbra.web.server.feature_jobs import FeatureJobs, by_holder, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob

LINKS = "links"
KEPT_SENDER = "Timbra <timbra@localhost>"
WORDS_LEASE_SECONDS = 30
"""Half of the term for which one process of all nodes writes the words of searches; a search does not wait for it."""
MONTHS_SECONDS = 3600
"""Time between two runs of the job that creates the tables of the next months."""


@dataclass(frozen=True, slots=True)
class DocumentServices:
    """Stored CFDI: search, files, printed representation, links and e-mail.

    Attributes:
        parser: for documents that are parsed on the event loop.
        cancellation_events: returns the audit log entries of a folio in lower case.
        delivery_state: returns the state of the delivery of a folio to the authority.
    """

    storage: StoredCfdiService
    stamp_search: StampSearch
    listing: DocumentListing
    views: ViewReader
    printing: PrintingService
    signed_links: SignedLinks
    mailer: Mailer
    parser: DocumentParser
    cancellation_events: Callable[[str], Sequence[Event]]
    delivery_state: Callable[[str], DeliveryState]


def document_services(container: Container) -> DocumentServices:
    """Build stored CFDI, printed representations, signed links and e-mail."""
    get = container.get
    database, stamps, parser = get(opened_database), get(database_stamps), get(thread_parser)
    storage = StoredCfdiService(stamps, parser, get(account_services).users, get(cancellation_acuses))
    printing, search = get(printing_service), StampSearch(database)
    return DocumentServices(
        storage=storage,
        stamp_search=search,
        listing=DocumentListing(search, stamps, parser, partial(cancellation_states, database), get(document_index)),
        views=view_reader(container),
        printing=printing,
        signed_links=SignedLinks(SharedSecret(database, get(envelope_encryption), LINKS).read, container.wall),
        mailer=_mailer(container, storage, printing),
        parser=get(document_parser),
        cancellation_events=partial(cancellation_events, database),
        delivery_state=get(delivery_state),
    )


def printing_service(container: Container) -> PrintingService:
    """Build the printed representations."""
    get, settings, repository = container.get, container.settings, container.get(provider_certificates)
    # Threads may query the SAT's repository for the certificate of a stamp's provider; the event loop may not.
    views = view_reader(container, repository.provider) if repository else view_reader(container)
    printing = PrintingService(
        get(thread_parser),
        views,
        Typesetter(LIMITS.running, settings.print_memory_bytes, settings.print_timeout_seconds),
        settings.max_print_bytes,
        container.metrics,
        verification_pages(settings) or SAT_PAGES,
        get(branding_service).find,
        CancellationMarks(get(database_stamps), get(cancellation_acuses), get(status_service)),
    )
    container.closing.callback(printing.close)
    return printing


def document_index(container: Container) -> DocumentIndex:
    """Build the index of stamped documents: words of searches, and amounts."""
    read = partial(indexed_document, container.get(thread_parser))
    return DocumentIndex(container.get(opened_database), read, container.wall)


def notice_mailer(container: Container) -> NoticeMailer | None:
    """Build the mailer of notices about the security of accounts; None without a mail server."""
    transport, wall = container.get(mail_transport), container.wall
    if transport is None:
        return None
    outbox = NoticeOutbox(container.get(opened_database), wall)
    return NoticeMailer(outbox, transport, _sender(container.settings), wall)


def send_mail(container: Container) -> None:
    """Send the e-mails that are due."""
    # Here too, as for webhooks: an event would wait for another run of this job otherwise.
    dispatch_events(container)
    container.get(document_services).mailer.send_pending(container.get(email_outbox), container.wall)
    notices = container.get(notice_mailer)
    if notices is not None:
        notices.send_pending()


def _mailer(container: Container, storage: StoredCfdiService, printing: PrintingService) -> Mailer:
    """Build the mailer, which has no transport without a mail server. ServiceError: "CO1000" for a wrong sender."""
    transport, settings = container.get(mail_transport), container.settings
    address = None if transport is None else _sender(settings)
    effect = container.environment.fiscal_effect
    return Mailer(storage, printing, transport, address, fiscal_effect=effect, metrics=container.metrics)


def _sender(settings: Settings) -> Address:
    if not settings.smtp_sender and is_mail_kept(settings):
        return sender(KEPT_SENDER)
    try:
        return sender(settings.smtp_sender)
    except ValueError:
        raise ServiceError("CO1000", "TIMBRA_SMTP_SENDER no es una dirección de correo.") from None


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    index = container.get(cluster_jobs).once(
        "words", WORDS_LEASE_SECONDS, container.get(document_index).index_when_idle
    )
    return [
        by_holder(container, "mail", 1, partial(send_mail, container)),
        PeriodicJob("words", 1, index, idle_seconds=2),
        once_in_cluster(container, "months", MONTHS_SECONDS, container.get(stamp_months).create),
    ]


def event_consumer(container: Container) -> Consumer:
    """Build the consumer of the event log that writes the e-mails of stamps."""
    return email_consumer(container.get(opened_database))


def state_consumer(container: Container) -> Consumer:
    """Build the consumer of the event log that writes the states of cancellations for lists."""
    return states_consumer(container.get(document_index).list_documents)


SERVICES = {DocumentServices: document_services}
CONSUMERS = (event_consumer, state_consumer)
JOBS = FeatureJobs(delivery=_delivery_jobs)

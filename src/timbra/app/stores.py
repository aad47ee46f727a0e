"""Repositories that several groups of services share: stamps, outboxes and the SAT's lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.app.infrastructure import Infrastructure
from timbra.app.parts import cached_property

if TYPE_CHECKING:
    from timbra.audit.audit_log import AuditLog
    from timbra.audit.head_publication import HeadPublication
    from timbra.delivery.delivered_events import DeliveredEvents
    from timbra.delivery.deliveries import AuthorityOutbox, Backlog
    from timbra.delivery.receptions import DeliveryState, ReceptionRepository
    from timbra.events.audit.audit import Audit
    from timbra.events.audit.counts import UseCounter
    from timbra.events.consumers import Consumer, IsRead
    from timbra.events.dispatcher import EventDispatcher
    from timbra.events.email import EmailOutbox
    from timbra.events.recorder import EventRecorder
    from timbra.lists.importer import ListImporter, Offload
    from timbra.lists.list_store import ListEdition
    from timbra.lists.published import PublishedLists
    from timbra.operations.cluster_jobs import ClusterJobs
    from timbra.stamps.repository import DatabaseStamps


class Stores(Infrastructure):
    """Repositories over the database and the data folder, each built at first use."""

    @cached_property
    def stamps(self) -> DatabaseStamps:
        from timbra.stamps.instrumented import MeteredStamps

        return MeteredStamps(self.database, self.fiscal, self.wall, self.metrics)

    @cached_property
    def outbox(self) -> AuthorityOutbox:
        from timbra.delivery.deliveries import AuthorityOutbox

        return AuthorityOutbox(self.database, self.wall, self.settings.delivery_attempts, self.delivered_events)

    @cached_property
    def consumers(self) -> Sequence[Consumer]:
        """The consumers of the event log, which features declare."""
        from timbra.core.features import features

        built = (build for feature in features() for build in feature.load(feature.consumers, "CONSUMERS"))
        return [build(self) for build in built]

    @cached_property
    def event_dispatcher(self) -> EventDispatcher:
        from timbra.events.dispatcher import EventDispatcher

        return EventDispatcher(self.database, self.consumers, self.wall)

    @cached_property
    def is_event_read(self) -> IsRead:
        """Whether a consumer reads the events of a kind of an account."""
        from timbra.events.consumers import read_by

        return read_by(lambda: self.consumers)

    @cached_property
    def delivered_events(self) -> DeliveredEvents:
        from timbra.delivery.delivered_events import DeliveredEvents

        return DeliveredEvents(self.is_event_read, self.wall, self.fiscal)

    @cached_property
    def receptions(self) -> ReceptionRepository:
        """The answers of the authority to deliveries; a sandbox answers none, its ledger has the stamps."""
        from timbra.delivery.receptions import ReceptionRepository

        return ReceptionRepository(self.database, self.delivered_events)

    def delivery_state(self, uuid: str) -> DeliveryState:
        """Return the state of the delivery of a stamp, by its folio."""
        return self.receptions.state_of(uuid)

    @cached_property
    def email_outbox(self) -> EmailOutbox:
        """The outbox of e-mails."""
        from timbra.events.email import EmailOutbox

        return EmailOutbox(self.database, self.fiscal, self.wall)

    @cached_property
    def cluster_jobs(self) -> ClusterJobs:
        """Jobs that one worker of all nodes runs, under a lease."""
        from timbra.database.leases import Leases
        from timbra.operations.cluster_jobs import ClusterJobs

        return ClusterJobs(Leases(self.database, self.wall))

    @cached_property
    def audit(self) -> Audit:
        """Writes events of the audit log."""
        from timbra.events.audit.audit import Audit

        return Audit(self.wall, self.fiscal)

    @cached_property
    def use_counter(self) -> UseCounter:
        """Counts logins, and uses of tokens and keys, for the audit log."""
        from timbra.events.audit.counts import UseCounter

        return UseCounter(self.database, self.wall, self.fiscal)

    def count_provider_signature(self, number: str) -> None:
        """Count a use of the key of the provider's certificate of this number."""
        from timbra.events.audit.counts import KEY_USED

        self.use_counter.count(KEY_USED, None, "", number)

    @cached_property
    def audit_log(self) -> AuditLog:
        """The audit log: its events, chain and verification."""
        from timbra.audit.audit_log import AuditLog
        from timbra.audit.keys import AuditKeys

        return AuditLog(self.database, AuditKeys(self.envelope, self.wall), self.use_counter, self.data, self.wall)

    @cached_property
    def audit_heads(self) -> HeadPublication:
        """Sends the newest head of the audit log to the destinations of the settings."""
        from timbra.app.audit_heads import destinations
        from timbra.audit.head_publication import HeadPublication

        return HeadPublication(
            self.audit_log.newest_head, destinations(self.settings), self.data, self.wall, self.metrics
        )

    def audit_problems(self) -> Sequence[str]:
        """Return what an operator must see to about the audit log, in Spanish."""
        from timbra.settings.archive import destinations_of

        names = destinations_of(self.settings.audit_heads)
        if not names:
            return ()
        from timbra.audit.head_publication import problems

        return problems(self.data, names)

    @cached_property
    def lists(self) -> PublishedLists:
        """The SAT's published lists, with which production evaluates documents."""
        from timbra.lists.published import PublishedLists

        return PublishedLists(self.list_folder)

    @cached_property
    def event_log(self) -> EventRecorder:
        """The event log, for events that belong to no other change."""
        from timbra.events.recorder import EventRecorder

        return EventRecorder(self.database, self.wall, self.fiscal)

    @property
    def list_folder(self) -> Path:
        return self.settings.lists_folder or self.data / "lists"

    def list_importer(self, columns: Sequence[str] = (), offload: Offload | None = None) -> ListImporter:
        """Build the importer of the SAT's lists; in production it accepts lists that the SAT signed only.

        Args:
            columns: Meaning of additional columns of l_RFC, `HEADER=field`, besides those of the settings.
            offload: Imports a large list in another process; None to import every list in this one.
        """
        from timbra.lists.importer import ListImporter
        from timbra.lists.ingest import ListColumns
        from timbra.lists.signer_policy import ListSigners
        from timbra.lists.sources.columns import known_columns
        from timbra.lists.sources.exchange_rates import series_of

        settings = self.settings
        numbers = [number.strip() for number in settings.list_signers.split(",") if number.strip()]
        signers = ListSigners(self.trust, strict=self.environment.requires_signed_lists, numbers=numbers)
        meanings = ListColumns(
            known_columns(",".join((settings.lrfc_columns, *columns))), series_of(settings.exchange_rate_series)
        )
        return ListImporter(
            self.list_folder, signers, meanings, self.wall, on_published=self._record_list, offload=offload
        )

    def _record_list(self, edition: ListEdition, replaced: ListEdition | None) -> None:
        before = {} if replaced is None else _list_facts(replaced)
        with self.database.write() as transaction:
            self.audit.record(
                transaction, "lists.imported", None, str(edition.kind), before=before, after=_list_facts(edition)
            )

    def backlog(self) -> Backlog:
        """Return the pending deliveries of the outbox, and the dead letters of both outboxes."""
        backlog, emails = self.outbox.backlog(), self.email_outbox.dead_count()
        return replace(backlog, dead={**backlog.dead, "letter": emails}) if emails else backlog


def _list_facts(edition: ListEdition) -> dict[str, object]:
    return {
        "dated": edition.dated.isoformat(),
        "rows": edition.rows,
        "certificates": edition.certificates,
        "signers": list(edition.signers),
    }

"""Settings to objects: the use cases that the sandbox and production have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from timbra.wiring.foundation import Foundation

if TYPE_CHECKING:
    from timbra.accounts.accounts import Accounts
    from timbra.accounts.balances import Balances
    from timbra.accounts.users import Users
    from timbra.accounts.vault import Vault
    from timbra.authority.lists.importing import ListImporter
    from timbra.authority.lists.published import PublishedLists
    from timbra.authority.port import StatusService
    from timbra.service.accepting import Accepting
    from timbra.service.cancelling import Cancelling
    from timbra.service.certificates import Certificates
    from timbra.service.condition import Condition
    from timbra.service.inquiries import ProviderCertificates
    from timbra.service.large import LargeStamping
    from timbra.service.links import Links
    from timbra.service.lookups import Lookups
    from timbra.service.mail.mailing import Mailing
    from timbra.service.management import Management
    from timbra.service.order import Tools
    from timbra.service.printing import Printing
    from timbra.service.refusals import RefusalNotes
    from timbra.service.related import KnownDocuments
    from timbra.service.relating import Relating
    from timbra.service.signed_requests import SignedRequests
    from timbra.service.stamping import Stamping
    from timbra.service.storage import Acuses, Storage
    from timbra.service.validation import Validation
    from timbra.store.mailbox import Mailbox
    from timbra.store.outbox import Backlog, Outbox
    from timbra.store.refusals import RefusalStore
    from timbra.store.stamp_search import StampSearch
    from timbra.store.stamps import DatabaseStamps
    from timbra.store.usage import Usage


class House(Foundation):
    """Everything behind the edges; one house per process."""

    @cached_property
    def accounts(self) -> Accounts:
        from timbra.accounts.accounts import Accounts

        return Accounts(self.database, self.envelope, self.settings.environment, self.wall, self.fiscal)

    @cached_property
    def balances(self) -> Balances:
        from timbra.accounts.balances import Balances

        return Balances(self.database, self.wall, self.fiscal)

    @cached_property
    def users(self) -> Users:
        from timbra.accounts.users import Users

        return Users(self.database, self.accounts, self.balances, self.wall, self.fiscal)

    @cached_property
    def management(self) -> Management:
        from timbra.service.management import Management

        return Management(self.users, self.balances)

    @cached_property
    def vault(self) -> Vault:
        from timbra.accounts.vault import Vault
        from timbra.authority.sandbox.ca import rotate_keys

        return Vault(self.database, self.envelope, self.wall, self.fiscal, self.make_known, [rotate_keys])

    @cached_property
    def certificates(self) -> Certificates:
        from timbra.service.certificates import Certificates

        return Certificates(self.vault)

    @cached_property
    def stamps(self) -> DatabaseStamps:
        from timbra.store.metered import MeteredStamps

        return MeteredStamps(self.database, self.fiscal, self.wall, self.meters)

    @cached_property
    def stamp_search(self) -> StampSearch:
        from timbra.store.stamp_search import StampSearch

        return StampSearch(self.database)

    @cached_property
    def refusal_store(self) -> RefusalStore:
        from timbra.store.refusals import RefusalStore

        return RefusalStore(self.database)

    @cached_property
    def refusals(self) -> RefusalNotes:
        from timbra.service.refusals import RefusalNotes

        settings = self.settings
        return RefusalNotes(
            self.refusal_store,
            self.wall,
            self.fiscal,
            keep_documents=settings.refusal_documents,
            days=settings.refusal_days,
        )

    @cached_property
    def usage(self) -> Usage:
        from timbra.store.usage import Usage

        return Usage(self.database, self.wall)

    @cached_property
    def storage(self) -> Storage:
        from timbra.service.storage import Storage

        return Storage(self.stamps, self.side_parser, self.users, self._acuses())

    def _acuses(self) -> Acuses:
        if self.sandbox:
            from timbra.authority.sandbox.acuses import SandboxAcuses

            return SandboxAcuses(self.ledger.proceedings, self.authority_ca.seal_acuse)
        from timbra.store.acuses import NotedAcuses

        return NotedAcuses(self.database)

    @cached_property
    def printing(self) -> Printing:
        from timbra.service.printing import Printing

        return Printing(self.side_parser, self.views)

    @cached_property
    def links(self) -> Links:
        from timbra.wiring.side import links

        return links(self.database, self.envelope, self.wall)

    @cached_property
    def mailbox(self) -> Mailbox:
        from timbra.store.mailbox import Mailbox

        return Mailbox(self.database, self.fiscal, self.wall)

    @cached_property
    def mailing(self) -> Mailing:
        from timbra.wiring.side import mailing

        return mailing(self.settings, self.storage, self.printing, sandbox=self.sandbox)

    def send_mail(self) -> None:
        """Sends the letters that are due."""
        self.mailing.empty(self.mailbox, self.wall)

    @cached_property
    def lookups(self) -> Lookups:
        from timbra.service.lookups import Lookups

        return Lookups(
            lambda: self.registry if self.sandbox else self.lists.current.taxpayers,
            lambda: self.registry if self.sandbox else None,
        )

    @cached_property
    def outbox(self) -> Outbox:
        from timbra.store.outbox import Outbox

        return Outbox(self.database, self.wall, self.settings.delivery_attempts)

    @cached_property
    def condition(self) -> Condition:
        from timbra.service.condition import Condition
        from timbra.wiring.checks import checks

        return Condition(checks(self), self.backlog)

    def backlog(self) -> Backlog:
        """What waits for delivery, and what was given up; letters too."""
        backlog, letters = self.outbox.backlog(), self.mailbox.stranded()
        return replace(backlog, dead={**backlog.dead, "letter": letters}) if letters else backlog

    @cached_property
    def tools(self) -> Tools:
        from timbra.accounts.empty import EmptyBalances
        from timbra.cfdi.cadena import OriginalString
        from timbra.cfdi.structure import Structure
        from timbra.rules.checking import ENGINE
        from timbra.seals.cache import CertificateCache
        from timbra.service.order import Tools

        return Tools(
            parser=self.parser,
            structure=Structure(self.snapshot),
            engine=ENGINE,
            cadena=OriginalString(self.snapshot),
            certificates=CertificateCache(),
            trust=self.trust,
            vault=self.vault,
            stamps=self.stamps,
            empty=EmptyBalances(self.database),
            world=self.world,
            meters=self.meters,
        )

    @cached_property
    def stamping(self) -> Stamping:
        from timbra.service.stamping import Stamping
        from timbra.store.group_commit import GroupCommit

        return Stamping(self.tools, self.provider, GroupCommit(self.stamps), self.settings.environment)

    @cached_property
    def large(self) -> LargeStamping:
        from timbra.service.large import LargeStamping
        from timbra.wiring.large import stamper

        return LargeStamping(stamper(self.settings), self.data / "large", self.settings.max_large_bytes)

    @cached_property
    def validation(self) -> Validation:
        from timbra.service.validation import Validation

        return Validation(self.tools, self.status_service, self.provider_certificates, self.settings.sat_seconds)

    @cached_property
    def status_service(self) -> StatusService | None:
        """Who is asked for the status of a CFDI; None when the settings say nobody."""
        from timbra.wiring.sat import sat_status

        choice = self.settings.status_service
        if choice == "none":
            return None
        return sat_status(self.settings, self.wall) if choice == "sat" or not self.sandbox else self.authority

    @cached_property
    def provider_certificates(self) -> ProviderCertificates | None:
        """Who has certificates of providers that are not known yet; nobody in the sandbox."""
        from timbra.wiring.sat import certificate_repository

        if self.sandbox:
            return None
        return certificate_repository(self.settings, self.data / "provider-certificates", self.trust)

    @cached_property
    def signed_requests(self) -> SignedRequests:
        from timbra.service.signed_requests import SignedRequests

        return SignedRequests(self.vault, self.trust, self.world)

    @cached_property
    def cancelling(self) -> Cancelling:
        from timbra.service.cancelling import Cancelling

        return Cancelling(self.signed_requests, self.cancellations)

    @cached_property
    def accepting(self) -> Accepting:
        from timbra.service.accepting import Accepting

        return Accepting(self.signed_requests, self.cancellations, self.provider.rfc if self.provider else "")

    @cached_property
    def relating(self) -> Relating:
        from timbra.service.relating import Relating

        return Relating(self.signed_requests, self.cancellations, self.provider.rfc if self.provider else "")

    @cached_property
    def related(self) -> KnownDocuments:
        from timbra.service.related import KnownDocuments

        return KnownDocuments(self.stamps, self.ledger if self.sandbox else None)

    @cached_property
    def lists(self) -> PublishedLists:
        """The SAT's own lists, which production judges by."""
        from timbra.authority.lists.published import PublishedLists

        return PublishedLists(self.data / "lists")

    def list_importer(self, columns: Sequence[str] = ()) -> ListImporter:
        """Imports the SAT's lists; outside of the sandbox only what the SAT signed. columns: `HEADER=field`."""
        from timbra.authority.lists.columns import known_columns
        from timbra.authority.lists.importing import ListImporter
        from timbra.authority.lists.signers import ListSigners

        settings = self.settings
        numbers = [number.strip() for number in settings.list_signers.split(",") if number.strip()]
        signers = ListSigners(self.trust, strict=not self.sandbox, numbers=numbers)
        return ListImporter(
            self.data / "lists", signers, known_columns(",".join((settings.lrfc_columns, *columns))), self.wall
        )

    def take_lists(self) -> None:
        """Imports the SAT's lists that somebody has put into `lists/incoming`."""
        from timbra.authority.lists.incoming import DropFolder, refresh

        incoming = self.data / "lists" / "incoming"
        if incoming.is_dir():
            refresh(self.list_importer(), DropFolder(incoming, self.wall))

    def poll(self) -> None:
        """Learns what other processes changed."""
        self.database.poll()

    def close(self) -> None:
        """Gives the database back, if it was opened."""
        for part in ("accounts", "stamps", "database"):
            if part in self.__dict__:
                self.__dict__[part].close()

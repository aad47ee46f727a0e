"""Construction of links, mail accounts and the intake of files, from the container."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta

from timbra.accounts.build import envelope_encryption
from timbra.container import Container
from timbra.database.build import opened_database
from timbra.evaluation.build import started_document_processes
from timbra.events.build import audit_writer
from timbra.received.build import CHILD_WORK, document_intake, examiner, upload_examiner
from timbra.received.submissions.imap import MailFolder, open_folder
from timbra.received.submissions.links import SupplierLinks
from timbra.received.submissions.mail_accounts import MailAccounts
from timbra.received.submissions.models import MailAccount
from timbra.received.submissions.store import LinkRepository, MailAccountRepository, SubmissionRepository
from timbra.received.uploads import UploadExaminer
from timbra.web.server.feature_jobs import FeatureJobs, once_in_cluster
from timbra.web.server.periodic_jobs import PeriodicJob


def supplier_links(container: Container) -> SupplierLinks:
    """Build the links of suppliers."""
    get, database = container.get, container.get(opened_database)
    return SupplierLinks(
        database,
        LinkRepository(database),
        SubmissionRepository(database),
        get(upload_examiner),
        get(document_intake),
        get(audit_writer),
        container.wall,
    )


def mail_account_repository(container: Container) -> MailAccountRepository:
    """Build the storage of mail accounts."""
    return MailAccountRepository(container.get(opened_database), container.get(envelope_encryption))


def mail_accounts(container: Container) -> MailAccounts:
    """Build the reading of mail accounts. Files of e-mails come from anybody: child processes read them."""
    get, database, authority = container.get, container.get(opened_database), container.settings.received_mail_ca

    def opened(mail_account: MailAccount, password: str) -> AbstractContextManager[MailFolder]:
        return open_folder(
            mail_account.host, mail_account.port, mail_account.user, password, mail_account.folder, authority
        )

    processes = get(started_document_processes)
    uploads = UploadExaminer(get(examiner), processes, CHILD_WORK, container.wall, container.metrics)
    return MailAccounts(
        database,
        get(mail_account_repository),
        SubmissionRepository(database),
        uploads,
        get(document_intake),
        get(audit_writer),
        container.wall,
        opened,
    )


def _delivery_jobs(container: Container) -> list[PeriodicJob]:
    def expire() -> None:
        database, before = container.get(opened_database), container.wall.now() - timedelta(days=days)
        SubmissionRepository(database).expire(before)
        LinkRepository(database).expire(before)

    def read_mail() -> None:
        # The rules, which the validation loads, are not needed where no mail account is.
        if container.get(mail_account_repository).of_account(None):
            container.get(mail_accounts).read_all()

    days, seconds = container.settings.received_days, container.settings.received_mail_seconds
    return [
        once_in_cluster(container, "received mail", seconds, read_mail),
        once_in_cluster(container, "expire submissions", 3600, expire),
    ]


def _warnings(container: Container) -> Sequence[str]:
    """Return the mail accounts that cannot be read, in Spanish."""
    return container.get(mail_account_repository).problems()


SERVICES = {SupplierLinks: supplier_links, MailAccounts: mail_accounts, UploadExaminer: upload_examiner}
JOBS = FeatureJobs(delivery=_delivery_jobs)
WARNINGS = (_warnings,)

"""The mail accounts of accounts: each message is read once, and its documents are stored before it is remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import structlog

from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.events.audit.audit import Audit
from timbra.pools.coroutines import run_coroutine
from timbra.received.documents.intake import Arrival, DocumentIntake, IntakeTerms, Reason
from timbra.received.documents.models import MAIL
from timbra.received.files import UploadedFile
from timbra.received.submissions.imap import MailFolder, MailMessage
from timbra.received.submissions.models import MailAccount
from timbra.received.submissions.store import MailAccountRepository, SubmissionRepository, Values
from timbra.received.uploads import ReceivedOptions, UploadExaminer

log: structlog.stdlib.BoundLogger = structlog.get_logger("timbra.received")

MAX_MESSAGES: Final = 200
"""Messages of a mail account that are read at a time; the next time has the next ones."""
MAX_DOCUMENTS: Final = 5_000
"""Of a message."""
MAX_FIELD: Final = 250
OPTIONS: Final = ReceivedOptions(with_status=True, require_stamp=True, with_xml=True)
OpenFolder = Callable[[MailAccount, str], AbstractContextManager[MailFolder]]


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message that was read, with what became of its documents."""

    message: MailMessage
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True, slots=True)
class MailAccounts:
    """The mail accounts of accounts.

    Attributes:
        open_folder: Opens the folder of a mail account with its password.
    """

    database: Database
    repository: MailAccountRepository
    submissions: SubmissionRepository
    uploads: UploadExaminer
    intake: DocumentIntake
    audit: Audit
    wall: Clock
    open_folder: OpenFolder

    def save(self, account_id: int, host: str, port: int, user: str, folder: str, password: str) -> None:
        """Store a mail account of an account, after its folder was opened.

        Raises:
            ServiceError: "TB4005" for a value that is not accepted, "mail-down" when the folder cannot be opened.
        """
        values: Values = {"account_id": account_id, "host": host, "user": user, "folder": folder}
        for name in ("host", "user", "folder"):
            text = str(values[name])
            if not 0 < len(text) <= MAX_FIELD or not text.isprintable() or '"' in text or "\\" in text:
                raise ServiceError("TB4005", f"{name}: de 1 a {MAX_FIELD} caracteres, sin comillas.")
        with self.open_folder(MailAccount(0, account_id, host, port, user, folder, b"", None, 0, None, ""), password):
            pass
        with self.database.write() as connection:
            self.repository.save(connection, {**values, "port": port}, password)
            self.audit.record(connection, "mail-account.stored", account_id, user, {"host": host, "folder": folder})

    def remove(self, account_id: int, host: str, user: str, folder: str) -> None:
        """Delete a mail account. Raises ServiceError: "TB4041" when the account has none of that place."""
        wanted = (host, user, folder)
        found = [each for each in self.of_account(account_id) if (each.host, each.user, each.folder) == wanted]
        if not found:
            raise ServiceError("TB4041", "La cuenta no tiene ese buzón.")
        with self.database.write() as connection:
            self.repository.remove(connection, found[0].id)
            self.audit.record(connection, "mail-account.deleted", account_id, user, {"host": host, "folder": folder})

    def of_account(self, account_id: int | None = None) -> list[MailAccount]:
        """Return the mail accounts of an account; of all for None."""
        return self.repository.of_account(account_id)

    def read_all(self) -> None:
        """Read the new messages of all mail accounts, for a periodic job."""
        for mail_account in self.of_account():
            try:
                for read in self.read(mail_account):
                    for rejected in (each for each in read.arrivals if not each.is_stored):
                        codes = [reason.code for reason in rejected.reasons]
                        uid = read.message.uid
                        log.warning(
                            "attachment rejected",
                            mail_account=mail_account.id,
                            uid=uid,
                            name=rejected.name,
                            codes=codes,
                        )
            except ServiceError as error:
                log.warning("mail account not read", mail_account=mail_account.id, detail=error.detail)

    def read(self, mail_account: MailAccount) -> list[ReadMessage]:
        """Read the new messages of a mail account, at most `MAX_MESSAGES`.

        Raises:
            ServiceError: "mail-down" when the folder cannot be read; "CO1000" when no child process becomes free.
        """
        found: list[ReadMessage] = []
        try:
            with self.open_folder(mail_account, self.repository.password(mail_account)) as folder:
                last = mail_account.last_uid if folder.uid_validity == mail_account.uid_validity else 0
                for uid in folder.uids(last, MAX_MESSAGES):
                    read = self._read(mail_account, folder.read(uid))
                    if not self._remember(mail_account, folder.uid_validity, read):
                        break
                    mail_account = replace(mail_account, last_uid=uid, uid_validity=folder.uid_validity)
                    found.append(read)
        except ServiceError as error:
            self.repository.note(mail_account.id, {"problem": error.detail or error.code})
            raise
        self.repository.note(mail_account.id, {"problem": "", "read_at": self.wall.now()})
        return found

    def _read(self, mail_account: MailAccount, message: MailMessage) -> ReadMessage:
        """Store the documents of a message."""
        if message.problem:
            reason = Reason("TB4001", message.problem)
            return ReadMessage(message, (Arrival(message.subject or "mensaje", None, "", {}, (reason,)),))
        with TemporaryDirectory(prefix="timbra-") as folder:
            files = []
            for place, (name, content) in enumerate(message.attachments):
                path = Path(folder, str(place))
                path.write_bytes(content)
                files.append(UploadedFile(name, str(path)))
            try:
                arrivals = run_coroutine(self._stored(mail_account.account_id, message, files))
            except ServiceError as error:
                if error.retry_after is not None:
                    raise
                reason = Reason(error.code, error.detail or "")
                arrivals = [Arrival(name, None, "", {}, (reason,)) for name, _ in message.attachments]
        return ReadMessage(message, tuple(arrivals))

    async def _stored(self, account_id: int, message: MailMessage, files: list[UploadedFile]) -> list[Arrival]:
        terms = IntakeTerms(MAIL, message.sender, is_strict=True)
        arrivals: list[Arrival] = []
        async for part in self.uploads.of_files(files, str(account_id), OPTIONS, MAX_DOCUMENTS):
            for entry, _ in part:
                if entry.rejection is not None and entry.rejection.retry_after is not None:
                    raise entry.rejection  # the server is busy: the message is read again later
            arrivals += await asyncio.to_thread(self.intake.put, account_id, part, terms)
        return arrivals

    def _remember(self, mail_account: MailAccount, uid_validity: int, read: ReadMessage) -> bool:
        """Remember a message as read, with what became of its documents; False when another process has read it."""
        message = read.message
        with self.database.write() as connection:
            if not self.repository.advance(connection, mail_account, message.uid, uid_validity):
                return False
            if read.arrivals:
                values = {"account_id": mail_account.account_id, "at": self.wall.now(), "source": MAIL}
                values |= {"origin": message.sender, "subject": message.subject}
                self.submissions.insert(connection, values, read.arrivals)
        return True

"""Storage of links, mail accounts and submissions."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, insert, or_, select, update

from timbra.core.errors import ServiceError
from timbra.core.text import storable
from timbra.database.database import Database
from timbra.database.tables.accounts import ACCOUNT
from timbra.database.transaction import Transaction
from timbra.received.documents.intake import Arrival
from timbra.received.documents.models import Outcome
from timbra.received.submissions.models import MailAccount, ReceivedSubmission, SupplierLink
from timbra.received.submissions.tables import RECEIVED_LINK, RECEIVED_MAIL_ACCOUNT, RECEIVED_SUBMISSION
from timbra.seals.encryption.envelope import EnvelopeEncryption

TOKEN_BYTES: Final = 32
MAX_LINKS: Final = 1_000
MAX_FILES: Final = 200
"""Files of a submission that are stored; its numbers count all."""
MAX_TEXT: Final = 300
HOUR: Final = timedelta(hours=1)
UPLOADS_PER_HOUR: Final = 60
"""Uploads of a link."""
LINK, MAIL_ACCOUNT, SUBMISSION = RECEIVED_LINK.c, RECEIVED_MAIL_ACCOUNT.c, RECEIVED_SUBMISSION.c
Values = dict[str, Any]


def _query(model: type[Any], columns: Any) -> Select[Any]:
    return select(*(columns[field.name] for field in fields(model)))


class LinkRepository:
    """Rows of `received_link`. A link is found by the hash of its token, which only its creation returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def insert(self, connection: Connection, values: Values) -> tuple[int, str]:
        """Insert a link; return its number and its token.

        Raises:
            ServiceError: "TB4005" when the account has `MAX_LINKS`.
        """
        of_account = select(func.count()).where(LINK.account_id == values["account_id"])
        if connection.execute(of_account).scalar_one() >= MAX_LINKS:
            raise ServiceError("TB4005", f"Una cuenta guarda a lo más {MAX_LINKS:,} enlaces; elimine uno.")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        row = {**values, "token_hash": _hash(token), "hour_uploads": 0}
        number: int = connection.execute(insert(RECEIVED_LINK).values(row).returning(LINK.id)).scalar_one()
        return number, token

    def of_account(self, account_id: int) -> list[SupplierLink]:
        """Return the links of an account, newest first."""
        query = _query(SupplierLink, LINK).where(LINK.account_id == account_id).order_by(LINK.id.desc())
        with self._database.read() as connection:
            return [SupplierLink(*row) for row in connection.execute(query)]

    def by_token(self, token: str) -> SupplierLink | None:
        """Return the link of an active account."""
        with self._database.read() as connection:
            of_active = select(ACCOUNT.c.id).where(ACCOUNT.c.active)
            query = _query(SupplierLink, LINK).where(LINK.token_hash == _hash(token), LINK.account_id.in_(of_active))
            row = connection.execute(query).one_or_none()
        return None if row is None else SupplierLink(*row)

    def revoke(self, connection: Connection, account_id: int, number: int, now: datetime) -> bool:
        """Revoke a link; return whether the account has it."""
        own = (LINK.id == number, LINK.account_id == account_id)
        values = {"revoked_at": func.coalesce(LINK.revoked_at, now)}
        return connection.execute(update(RECEIVED_LINK).where(*own).values(values)).rowcount > 0

    def expire(self, before: datetime) -> None:
        """Delete the links that expired or were revoked earlier."""
        with self._database.write() as connection:
            ended = or_(LINK.expires_at < before, LINK.revoked_at < before)
            connection.execute(delete(RECEIVED_LINK).where(ended))

    def count_upload(self, number: int, now: datetime) -> int:
        """Count an upload of a link; return the seconds after which it is allowed, 0 for one that is.

        The count is of all processes, because each writes it in its row.
        """
        with self._database.write() as connection:
            row_of = select(LINK.hour_at, LINK.hour_uploads).where(LINK.id == number).with_for_update()
            row = connection.execute(row_of).one()
            begin, uploads = row.hour_at, row.hour_uploads
            if begin is None or now - begin >= HOUR:
                begin, uploads = now, 0
            if uploads >= UPLOADS_PER_HOUR:
                return max(1, int((begin + HOUR - now).total_seconds()))
            values = {"hour_at": begin, "hour_uploads": uploads + 1, "used_at": now}
            connection.execute(update(RECEIVED_LINK).where(LINK.id == number).values(values))
        return 0


class MailAccountRepository:
    """Rows of `received_mail_account`, with the passwords encrypted."""

    def __init__(self, database: Database, envelope: EnvelopeEncryption) -> None:
        self._database = database
        self._envelope = envelope

    def save(self, connection: Connection, values: Values, password: str) -> None:
        """Insert a mail account, or replace port and password of the one that the account has."""
        sealed = self._envelope.close(password.encode(), _context(values))
        first = {"last_uid": 0, "problem": ""}
        statement = self._database.insert(RECEIVED_MAIL_ACCOUNT).values({**values, **first, "sealed_password": sealed})
        key = [MAIL_ACCOUNT.account_id, MAIL_ACCOUNT.host, MAIL_ACCOUNT.user, MAIL_ACCOUNT.folder]
        again = {"port": values["port"], "sealed_password": sealed, "problem": ""}
        connection.execute(statement.on_conflict_do_update(index_elements=key, set_=again))

    def of_account(self, account_id: int | None) -> list[MailAccount]:
        """Return the mail accounts of an account; of all for None."""
        query = _query(MailAccount, MAIL_ACCOUNT).order_by(MAIL_ACCOUNT.id)
        if account_id is not None:
            query = query.where(MAIL_ACCOUNT.account_id == account_id)
        with self._database.read() as connection:
            return [MailAccount(*row) for row in connection.execute(query)]

    def problems(self) -> list[str]:
        """Return the mail accounts that cannot be read, in Spanish."""
        found = (each for each in self.of_account(None) if each.problem)
        return [f"Buzón {each.name} (cuenta {each.account_id}): {each.problem}" for each in found]

    def password(self, mail_account: MailAccount) -> str:
        """Return the password. Raises ServiceError: "vault-key-unknown", "vault-damaged"."""
        return self._envelope.open(mail_account.sealed_password, _context(_identity(mail_account))).decode()

    def remove(self, connection: Connection, number: int) -> None:
        connection.execute(delete(RECEIVED_MAIL_ACCOUNT).where(MAIL_ACCOUNT.id == number))

    def note(self, number: int, values: Values) -> None:
        """Store when a mail account was read, or why not."""
        with self._database.write() as connection:
            connection.execute(update(RECEIVED_MAIL_ACCOUNT).where(MAIL_ACCOUNT.id == number).values(values))

    def advance(self, connection: Connection, mail_account: MailAccount, uid: int, uid_validity: int) -> bool:
        """Remember a message as read; return False when another process has read it."""
        place = (MAIL_ACCOUNT.uid_validity == mail_account.uid_validity, MAIL_ACCOUNT.last_uid == mail_account.last_uid)
        if mail_account.uid_validity is None:
            place = (MAIL_ACCOUNT.uid_validity.is_(None), MAIL_ACCOUNT.last_uid == mail_account.last_uid)
        values = {"uid_validity": uid_validity, "last_uid": uid}
        statement = update(RECEIVED_MAIL_ACCOUNT).where(MAIL_ACCOUNT.id == mail_account.id, *place).values(values)
        return connection.execute(statement).rowcount > 0


class SubmissionRepository:
    """Rows of `received_submission`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def insert(self, connection: Connection, values: Values, arrivals: Sequence[Arrival]) -> None:
        """Insert a submission with what became of its documents."""
        rejected = [each for each in arrivals if not each.is_stored]
        known = sum(each.outcome is Outcome.KNOWN for each in arrivals)
        shown = [*rejected, *(each for each in arrivals if each.is_stored)][:MAX_FILES]
        numbers = {"stored": len(arrivals) - len(rejected) - known, "known": known, "rejected": len(rejected)}
        row = {**values, **numbers, "files": [_file(each) for each in shown]}
        connection.execute(insert(RECEIVED_SUBMISSION).values(row))

    def newest(self, account_id: int, limit: int) -> list[ReceivedSubmission]:
        query = _query(ReceivedSubmission, SUBMISSION).where(SUBMISSION.account_id == account_id)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(SUBMISSION.id.desc()).limit(limit))
            return [ReceivedSubmission(*row) for row in rows]

    def expire(self, before: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(delete(RECEIVED_SUBMISSION).where(SUBMISSION.at < before))


def rotate_mail_passwords(_database: Database, transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt the passwords that are under an older master key with the current one; return the number of them."""
    rows = [MailAccount(*row) for row in transaction.execute(_query(MailAccount, MAIL_ACCOUNT).with_for_update())]
    stale = [each for each in rows if envelope.needs_rotation(each.sealed_password)]
    for mail_account in stale:
        sealed = envelope.rotate(mail_account.sealed_password, _context(_identity(mail_account)))
        transaction.execute(
            update(RECEIVED_MAIL_ACCOUNT).where(MAIL_ACCOUNT.id == mail_account.id).values(sealed_password=sealed)
        )
    return len(stale)


ROTATIONS = (rotate_mail_passwords,)


def _file(arrival: Arrival) -> Values:
    reasons = [{"code": each.code, "text": storable(each.text, MAX_TEXT)} for each in arrival.reasons]
    return {
        "name": storable(arrival.name, MAX_TEXT),
        "outcome": arrival.word,
        "uuid": arrival.document.get("uuid"),
        "reasons": reasons,
    }


def _identity(mail_account: MailAccount) -> Values:
    return {name: getattr(mail_account, name) for name in ("account_id", "host", "user", "folder")}


def _context(values: Values) -> bytes:
    names = ("account_id", "host", "user", "folder")
    return "\n".join(["mail account", *(str(values[name]) for name in names)]).encode()


def _hash(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()

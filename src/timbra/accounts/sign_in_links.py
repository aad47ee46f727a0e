"""One-time links that sign in to the portal without a password, for the operator and `timbra dev`."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from timbra.accounts.accounts import Accounts
from timbra.accounts.store.account_repository import AccountRepository
from timbra.accounts.store.models import Account, SignInLinkRow
from timbra.accounts.store.sign_in_link_repository import SignInLinkRepository
from timbra.accounts.tokens.account_tokens import SessionToken
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.web.portal.dispatch.log_path import SIGN_IN_LINK

"""The path of a link without its token."""
LIFETIME = timedelta(minutes=15)
TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True)
class SignInLink:
    """A new link.

    Attributes:
        path: The path of the page, with the token; the server stores only a hash of the token.
        expires_at: Wall instant, exclusive.
    """

    path: str = field(repr=False)
    expires_at: datetime


class SignInLinks:
    """Sign-in links of one database.

    A link works once, for 15 minutes, and until the password of its account changes. Links are found by the SHA-256 of
    their token, so that the time of a look-up says nothing about the tokens that exist.
    """

    def __init__(self, database: Database, accounts: Accounts, wall: Clock, fiscal: Clock) -> None:
        self._database = database
        self._accounts = accounts
        self._account_rows = AccountRepository()
        self._links = SignInLinkRepository()
        self._wall = wall
        self._audit = Audit(wall, fiscal)

    def create(self, user: str) -> SignInLink:
        """Create a link for a user, and delete all expired links.

        Raises:
            ServiceError: "account-unknown", "account-disabled".
        """
        account = self._accounts.find_active(user)
        token, now = secrets.token_urlsafe(TOKEN_BYTES), self._wall.now()
        row = SignInLinkRow(account.account_id, account.generation, now + LIFETIME)
        with self._database.write() as transaction:
            self._links.delete_expired(transaction, now)
            self._links.insert(transaction, _hash(token), row)
            self._audit.record(transaction, "sign-in-link.created", account.account_id, account.user)
        return SignInLink(f"{SIGN_IN_LINK}{token}", row.expires_at)

    def find_user(self, token: str) -> str:
        """Return the user that a link signs in, without using the link.

        Raises:
            ServiceError: "sign-in-link-invalid" when it is unknown, used or expired, or its account has changed.
        """
        with self._database.read() as transaction:
            row = self._links.find(transaction, _hash(token), self._wall.now())
            account = self._account_of(transaction, row)
        if account is None:
            raise _invalid()
        return account.user

    def consume(self, token: str) -> SessionToken:
        """Use a link and return a session token of its account; of several simultaneous calls, one succeeds.

        Raises:
            ServiceError: As `find_user`.
        """
        with self._database.write() as transaction:
            row = self._links.consume(transaction, _hash(token), self._wall.now())
            account = self._account_of(transaction, row)
            if account is not None:
                self._audit.record(transaction, "sign-in-link.used", account.account_id, account.user)
        if account is None:
            raise _invalid()
        return self._accounts.open_session(account)

    def _account_of(self, transaction: Transaction, row: SignInLinkRow | None) -> Account | None:
        """Return the account of a link; None without a link, or when the account was closed or its password changed."""
        account = None if row is None else self._account_rows.find_by_id(transaction, row.account_id)
        if row is None or account is None or not account.active or account.generation != row.generation:
            return None
        return account


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _invalid() -> ServiceError:
    return ServiceError("sign-in-link-invalid")

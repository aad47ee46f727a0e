"""Values that the repositories of accounts read and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AccountHolder:
    """The person or company of an account. A text is empty when it was not provided.

    Attributes:
        tax_id: The RFC.
    """

    name: str = ""
    tax_id: str = ""
    notification_email: str = ""
    phone: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """An account with its profile and balance.

    Attributes:
        role: `administrator` or `account`.
        guid: The identifier of the account in the API.
        dealer_id: The account that created this one over the API.
        generation: Number of password changes.
        remaining, assigned, used: Stamps of the balance, which do not change while the account is unlimited; see
            `timbra.accounts.balances.Balances.used`.
        article_69b: The policy of the account, see `timbra.accounts.article_69b`; None for that of the server.
        vendor_leniency: The choice of the account, see `timbra.accounts.vendor_leniency`; None for that of the server.
    """

    account_id: int
    user: str
    role: str
    active: bool
    created_at: datetime
    guid: str
    holder: AccountHolder
    dealer_id: int | None
    password_at: datetime
    generation: int
    unlimited: bool
    remaining: int
    assigned: int
    used: int
    article_69b: str | None = None
    vendor_leniency: str | None = None

    @property
    def shown_name(self) -> str:
        """The name of the holder; the user name when there is none."""
        return self.holder.name or self.user


@dataclass(frozen=True, slots=True)
class NewAccount:
    """An account to insert.

    Attributes:
        user: The user name as it is displayed.
        name: The normalized user name, which is unique.
        password: The argon2id hash.
        unlimited: Whether the account stamps without a balance.
        at: Wall instant of the creation.
        dealer_id: The account that creates this one over the API.
    """

    user: str
    name: str
    password: str = field(repr=False)
    role: str
    unlimited: bool
    at: datetime
    holder: AccountHolder = AccountHolder()
    dealer_id: int | None = None


@dataclass(frozen=True, slots=True)
class UserFilter:
    """Conditions of a list of accounts; None for no condition.

    Attributes:
        guid: The identifier, in any form that a UUID may have.
        user: The normalized user name.
        tax_id: The RFC, in any letter case.
        active: Whether the account is open.
    """

    guid: str | None = None
    user: str | None = None
    tax_id: str | None = None
    active: bool | None = None


@dataclass(frozen=True, slots=True)
class UserPage:
    """One page of accounts, oldest first.

    Attributes:
        total: The number of accounts on all pages.
    """

    users: Sequence[Account]
    total: int


@dataclass(frozen=True, slots=True)
class AccountRow:
    """The columns of an account that authentication reads, deleted accounts included.

    Attributes:
        name: The normalized user name.
        generation: Number of password changes.
        password: The argon2id hash.
        changed: The cache version of the last change.
        article_69b, vendor_leniency: As in `Account`.
        has_second_factor: Whether the user of the account itself has one.
    """

    account_id: int
    user: str
    name: str
    role: str
    active: bool
    generation: int
    password: str = field(repr=False)
    unlimited: bool
    deleted: bool
    changed: int
    article_69b: str | None = None
    vendor_leniency: str | None = None
    has_second_factor: bool = False


@dataclass(frozen=True, slots=True)
class AccountUser:
    """A user of an account besides the user of the account itself.

    Attributes:
        guid: The identifier in the API.
        role: See `timbra.core.roles`.
        active: Whether the user may log in.
        generation: Number of password changes.
    """

    user_id: int
    account_id: int
    guid: str
    user: str
    role: str
    active: bool
    created_at: datetime
    password_at: datetime
    generation: int


@dataclass(frozen=True, slots=True)
class NewAccountUser:
    """A user to insert; `name` is normalized, and `password` the argon2id hash."""

    account_id: int
    user: str
    name: str
    password: str = field(repr=False)
    role: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AccountUserRow:
    """The columns of a user that authentication reads.

    Attributes:
        name: The normalized user name.
        password: The argon2id hash.
        changed: The cache version of the last change.
    """

    user: AccountUser
    name: str
    password: str = field(repr=False)
    removed: bool
    changed: int
    has_second_factor: bool


@dataclass(frozen=True, slots=True)
class InfiniteToken:
    """An infinite token without its text, which the server returns once, when it creates the token.

    Attributes:
        scopes: Names separated by blanks; empty for all.
        expires_at: Wall instant; None for a token that is valid until it is revoked.
        user_id: The `AccountUser` to whom it belongs; None for the user of the account itself.
    """

    token_id: str
    account_id: int
    label: str
    created_at: datetime
    scopes: str = ""
    expires_at: datetime | None = None
    user_id: int | None = None


@dataclass(frozen=True, slots=True)
class EndedSession:
    """A session that its user left; `token_id` is that of its token, and `expires_at` the end of the token."""

    token_id: str
    account_id: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class TokenRow:
    """The columns of an infinite token that authentication reads; `changed` is the cache version of the last change."""

    token_id: str
    revoked: bool
    changed: int


@dataclass(frozen=True, slots=True)
class BalanceEntry:
    """Stamps that were added (stamps_in) or removed (stamps_out), and the balance afterwards (current).

    Attributes:
        comment: What the administrator wrote about it.
        by_account_id: The account that moved them; None for the operator of the server (CLI).
    """

    number: int
    account_id: int
    stamps_in: int
    stamps_out: int
    current: int
    comment: str
    at: datetime
    by_account_id: int | None


@dataclass(frozen=True, slots=True)
class StoredCertificate:
    """A certificate of the vault without its key.

    Attributes:
        kind: `stamp`.
        certificate: The DER.
    """

    number: str
    kind: str
    rfc: str
    name: str
    valid_from: datetime
    valid_to: datetime
    active: bool
    certificate: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class EncryptedKey:
    """The private key of a stored certificate.

    Attributes:
        certificate: The DER of the certificate.
        sealed_key: The ciphertext of the key.
    """

    account_id: int
    number: str
    certificate: bytes = field(repr=False)
    sealed_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SignInLinkRow:
    """A one-time sign-in link.

    Attributes:
        generation: Number of password changes of the account when the link was created.
        expires_at: Wall instant, exclusive.
    """

    account_id: int
    generation: int
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class StoredBranding:
    """How the documents of an account are printed.

    Attributes:
        template: Name of the template.
        color: `#rrggbb`.
        footer: Text at the foot of every page.
        logo_kind: `png` or `jpg`; None without a logo.
        logo: The image; None without one.
    """

    template: str
    color: str
    footer: str
    logo_kind: str | None
    logo: bytes | None = field(default=None, repr=False)

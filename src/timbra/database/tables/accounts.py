"""Tables of accounts: users, profiles, second factors, tokens, sign-in links, seal certificates, shared secrets."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, LargeBinary, Table, Text

from timbra.database.tables import METADATA
from timbra.database.tables.column_types import AutoNumber, Instant

# name: the user folded for comparison. password: argon2id, PHC form. generation: counts password changes.
# changed: cache version of the area "accounts" at the last change, so that a cache reads only newer rows.
# deleted_at: wall instant of the deletion; the name becomes free, the rows of the account stay.
# article_69b, vendor_leniency: the choices of the modules `timbra.accounts.article_69b` and `vendor_leniency`; NULL for
# those of the server.
ACCOUNT = Table(
    "account",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("user", Text, nullable=False),
    Column("name", Text, nullable=False, unique=True),
    Column("password", Text, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("role", Text, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("deleted_at", Instant),
    Column("article_69b", Text),
    Column("vendor_leniency", Text),
    Index(None, "changed"),
    sqlite_autoincrement=True,
)

# The profile of an account. guid: its identifier in the API. dealer_id: the account that created it over the API.
# name, tax_id (RFC), notification_email, phone: empty when not provided. password_at: its last change.
ACCOUNT_PROFILE = Table(
    "holder",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("guid", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("tax_id", Text, nullable=False),
    Column("notification_email", Text, nullable=False),
    Column("phone", Text, nullable=False),
    Column("dealer_id", BigInteger),
    Column("password_at", Instant, nullable=False),
)

# Users of an account besides the user of the account itself. name: unique among these and the names of accounts.
# guid: the identifier in the API. role: see `timbra.core.roles`. generation, changed: as in `account`.
# removed_at: wall instant; the name becomes free.
ACCOUNT_USER = Table(
    "account_user",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("guid", Text, nullable=False, unique=True),
    Column("user", Text, nullable=False),
    Column("name", Text, nullable=False, unique=True),
    Column("password", Text, nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("role", Text, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("password_at", Instant, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("removed_at", Instant),
    Index(None, "account_id"),
    Index(None, "changed"),
    sqlite_autoincrement=True,
)

# The application that computes one-time codes (TOTP) of a user. user_id: that of `account_user`, 0 for the user of the
# account itself. sealed_secret: encrypted for this user. confirmed_at: NULL until the first right code, before which it
# has no effect. last_step: the newest time step whose code was used; no code is used twice.
TOTP = Table(
    "totp",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("sealed_secret", LargeBinary, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("confirmed_at", Instant),
    Column("last_step", BigInteger, nullable=False),
)

# Codes that take the place of a second factor, each once: a used one is deleted. user_id: as in `totp`.
RECOVERY_CODE = Table(
    "recovery_code",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("user_id", BigInteger, primary_key=True, autoincrement=False),
    Column("code_hash", LargeBinary, primary_key=True),
)

# Passkeys of users (WebAuthn). user_id: as in `totp`. public_key: in the form of COSE. challenge_at: instant of the
# newest challenge that was signed; an older one is not accepted.
PASSKEY = Table(
    "passkey",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("user_id", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("credential_id", LargeBinary, nullable=False, unique=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("challenge_at", Instant, nullable=False),
    Index(None, "account_id"),
    sqlite_autoincrement=True,
)

# Operations that one person requested and another one confirms. account_id: whose owners confirm, NULL for
# administrators. requested_by, confirmed_by: normalized user names. closed_at: when it was used or rejected.
APPROVAL = Table(
    "approval",
    METADATA,
    Column("id", AutoNumber, primary_key=True),
    Column("account_id", BigInteger),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("requested_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("confirmed_by", Text),
    Column("confirmed_at", Instant),
    Column("closed_at", Instant),
    Index(None, "expires_at"),
    sqlite_autoincrement=True,
)

# The text of the token is not stored: `id` is its claim jti, which does not authenticate without the signature.
# scopes: names separated by blanks, NULL for all. expires_at: NULL for a token that does not expire. user_id: the user
# of `account_user` to whom it belongs, NULL for the user of the account itself.
INFINITE_TOKEN = Table(
    "infinite_token",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("label", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("revoked_at", Instant),
    Column("changed", BigInteger, nullable=False),
    Column("scopes", Text),
    Column("expires_at", Instant),
    Column("user_id", BigInteger),
    Index(None, "account_id"),
    Index(None, "changed"),
)

# Sessions that their users left before they expired. id: the claim jti of the session token.
ENDED_SESSION = Table(
    "ended_session",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Index(None, "changed"),
    Index(None, "expires_at"),
)

# The text of the link's token is not stored, only its SHA-256. generation: that of the account when it was created.
SIGN_IN_LINK = Table(
    "sign_in_link",
    METADATA,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Index(None, "expires_at"),
)

# kind: as clients write it ("stamp"). sealed_key: PKCS#8 DER, encrypted for this account and number.
CSD = Table(
    "csd",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("number", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("rfc", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("valid_from", Instant, nullable=False),
    Column("valid_to", Instant, nullable=False),
    Column("certificate", LargeBinary, nullable=False),
    Column("sealed_key", LargeBinary, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("stored_at", Instant, nullable=False),
    Index(None, "account_id", "rfc"),
)

# How the documents of an account are printed. color: "#rrggbb". logo_kind: "png" or "jpg", NULL without a logo.
PRINT_BRANDING = Table(
    "print_branding",
    METADATA,
    Column("account_id", BigInteger, ForeignKey(ACCOUNT.c.id), primary_key=True, autoincrement=False),
    Column("template", Text, nullable=False),
    Column("color", Text, nullable=False),
    Column("footer", Text, nullable=False),
    Column("logo_kind", Text),
    Column("logo", LargeBinary),
    Column("changed_at", Instant, nullable=False),
)

# Secrets that every process of the service shares, encrypted under the master key.
SECRET = Table(
    "secret",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
)

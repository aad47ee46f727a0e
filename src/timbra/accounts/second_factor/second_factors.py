"""Second factors of the users of the portal: one-time codes of an application (TOTP, RFC 6238), and recovery codes."""

from __future__ import annotations

import secrets
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest

from pyotp import TOTP, random_base32
from sqlalchemy import select, update

from timbra.accounts.account_cache import AREA
from timbra.accounts.accounts import Accounts
from timbra.accounts.field_validation import normalize_user
from timbra.accounts.login.limits import LoginSubject, limited
from timbra.accounts.store.second_factor_repository import (
    ACCOUNT_ITSELF,
    Owner,
    SecondFactorRepository,
    delete_factors,
)
from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.database.tables.accounts import TOTP as TOTP_TABLE
from timbra.database.transaction import Transaction
from timbra.events.audit.audit import Audit
from timbra.events.audit.counts import LOGIN_FAILED, UseCounter
from timbra.seals.encryption.envelope import EnvelopeEncryption

STEP_SECONDS = 30
SKEW_STEPS = 1
"""Steps before and after the present one whose codes are accepted."""
RECOVERY_CODES = 10
CODE_BYTES = 10
"""Random bytes of a recovery code: with 80 bits, a hash without a salt cannot be reversed."""
INVALID = "second-factor-invalid"
ISSUER = "Timbra"


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A new secret, which is shown once.

    Attributes:
        secret: Base32, for applications without a camera.
        uri: `otpauth://`, the content of the QR code.
    """

    secret: str = field(repr=False)
    uri: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FactorState:
    """The second factors of a user.

    Attributes:
        totp_since: When the application was confirmed; None without one.
        is_pending: Whether a secret waits for its first code.
        recovery_codes: Number of unused recovery codes.
    """

    totp_since: datetime | None
    is_pending: bool
    recovery_codes: int


class SecondFactors:
    """Second factors of one database. Methods with a caller are those of its user."""

    def __init__(
        self,
        database: Database,
        envelope: EnvelopeEncryption,
        accounts: Accounts,
        wall: Clock,
        audit: Audit,
        uses: UseCounter,
    ) -> None:
        self._database = database
        self._envelope = envelope
        self._accounts = accounts
        self._wall = wall
        self._audit = audit
        self._uses = uses
        self._rows = SecondFactorRepository(database)

    def state(self, caller: Caller) -> FactorState:
        owner = owner_of(caller)
        with self._database.read() as transaction:
            stored, codes = self._rows.totp(transaction, owner), self._rows.count_codes(transaction, owner)
        since = None if stored is None else stored.confirmed_at
        return FactorState(since, stored is not None and since is None, codes)

    def enrolled_users(self, account_id: int) -> frozenset[int]:
        """Return the users of an account who have a second factor; 0 for the user of the account itself."""
        with self._database.read() as transaction:
            return self._rows.users_with_factor(transaction, account_id)

    def enrol(self, caller: Caller) -> Enrolment:
        """Create a secret, which has no effect until `confirm`. Raises ServiceError: "second-factor-exists"."""
        owner, secret = owner_of(caller), random_base32()
        sealed = self._envelope.close(secret.encode(), _context(owner))
        with self._database.write() as transaction:
            if not self._rows.insert_totp(transaction, owner, sealed, self._wall.now()):
                raise ServiceError("second-factor-exists")
        return Enrolment(secret, TOTP(secret).provisioning_uri(name=caller.user, issuer_name=ISSUER))

    def confirm(self, caller: Caller, code: str, origin: str) -> tuple[str, ...]:
        """Make the new secret the second factor of the user.

        Args:
            code: A code that the application computed.
            origin: The client's address as pools count it.

        Returns:
            New recovery codes, which are shown once; empty when the user has some of another factor.

        Raises:
            ServiceError: Those of `verify`; "second-factor-exists" when it is confirmed already.
        """
        owner = owner_of(caller)
        with self._database.read() as transaction:
            stored = self._rows.totp(transaction, owner)
        if stored is None or stored.confirmed_at is not None:
            raise ServiceError("second-factor-exists" if stored else INVALID)
        self._check(caller, origin, lambda: self._use_totp(owner, code, confirmed=False))
        with self._database.write() as transaction:
            is_first = not self.has_factor(transaction, owner)
            self._rows.confirm_totp(transaction, owner, self._wall.now())
            self.record_added(transaction, caller, {"method": "totp"})
            return self.new_codes(transaction, owner) if is_first else ()

    def verify(self, caller: Caller, code: str, origin: str) -> None:
        """Check the code that a user types after the password: of the application, or a recovery code; each once.

        Args:
            origin: The client's address as pools count it.

        Raises:
            ServiceError: "second-factor-invalid", with `retry_after` beyond the limit of failures; "TB4291" with
                `retry_after`, without a check, beyond the limits of `LoginLimiter`.
        """
        typed = "".join(code.split()).replace("-", "")

        def use() -> bool:
            return self._use_totp(owner_of(caller), typed, confirmed=True) or self._use_recovery(caller, typed)

        self._check(caller, origin, use)

    def remove_totp(self, caller: Caller) -> None:
        """Remove the application of a user, confirmed or not."""
        owner = owner_of(caller)
        with self._database.write() as transaction:
            if self._rows.delete_totp(transaction, owner):
                self.record_removed(transaction, caller, {"method": "totp"})

    def renew_codes(self, caller: Caller) -> tuple[str, ...]:
        """Return new recovery codes, which are shown once; the others are not accepted any more."""
        with self._database.write() as transaction:
            self._audit.record(transaction, "second-factor.codes", caller.account_id, caller.user)
            return self.new_codes(transaction, owner_of(caller))

    def reset(self, account_id: int, user_id: int | None, user: str) -> None:
        """Remove every second factor of a user, who then signs in with the password; for an administrator."""
        owner = Owner(account_id, user_id or ACCOUNT_ITSELF)
        with self._database.write() as transaction:
            delete_factors(transaction, owner.account_id, owner.user_id)
            self._rows.mark_changed(transaction, owner, self._database.bump(transaction, AREA))
            self._audit.record(transaction, "second-factor.reset", account_id, user)

    def reset_by_name(self, user: str) -> str:
        """As `reset`, by the name of an account or of a user of one; return the user name as it was created."""
        login = self._accounts.find_login(user)
        name = login.account.user if login.user is None else login.user.user
        self.reset(login.account.account_id, login.user_id, name)
        return name

    def record_added(self, transaction: Transaction, caller: Caller, facts: dict[str, object]) -> None:
        """Write the event of a new factor, and let the caches of all processes read the user again."""
        self._audit.record(transaction, "second-factor.added", caller.account_id, caller.user, after=facts)
        self._rows.mark_changed(transaction, owner_of(caller), self._database.bump(transaction, AREA))

    def record_removed(self, transaction: Transaction, caller: Caller, facts: dict[str, object]) -> None:
        """As `record_added`, of a removed factor; with the last one, the recovery codes end too."""
        owner = owner_of(caller)
        self._audit.record(transaction, "second-factor.removed", caller.account_id, caller.user, before=facts)
        if not self.has_factor(transaction, owner):
            self._rows.replace_codes(transaction, owner, ())
        self._rows.mark_changed(transaction, owner, self._database.bump(transaction, AREA))

    def has_factor(self, transaction: Transaction, owner: Owner) -> bool:
        """Whether a user has a second factor of any kind."""
        return self._rows.has_factor(transaction, owner)

    def new_codes(self, transaction: Transaction, owner: Owner) -> tuple[str, ...]:
        """Replace the recovery codes of a user, and return the new ones."""
        codes = tuple(b32encode(secrets.token_bytes(CODE_BYTES)).decode().lower() for _ in range(RECOVERY_CODES))
        self._rows.replace_codes(transaction, owner, [_hash(code) for code in codes])
        return tuple("-".join(code[start : start + 4] for start in range(0, len(code), 4)) for code in codes)

    def _use_totp(self, owner: Owner, code: str, *, confirmed: bool) -> bool:
        with self._database.read() as transaction:
            stored = self._rows.totp(transaction, owner)
        if stored is None or (stored.confirmed_at is not None) != confirmed:
            return False
        totp = TOTP(self._envelope.open(stored.sealed_secret, _context(owner)).decode(), interval=STEP_SECONDS)
        now = int(self._wall.now().timestamp()) // STEP_SECONDS
        steps = range(now - SKEW_STEPS, now + SKEW_STEPS + 1)
        # Every step is compared, so that the time says nothing about the code.
        right = [step for step in steps if compare_digest(totp.generate_otp(step).encode(), code.encode())]
        if not right:
            return False
        with self._database.write() as transaction:
            return self._rows.use_step(transaction, owner, stored.sealed_secret, right[-1])

    def _use_recovery(self, caller: Caller, code: str) -> bool:
        with self._database.write() as transaction:
            used = self._rows.use_code(transaction, owner_of(caller), _hash(code.lower()))
            if used:
                self._audit.record(transaction, "second-factor.code-used", caller.account_id, caller.user)
        return used

    def _check(self, caller: Caller, origin: str, use: Callable[[], bool]) -> None:
        """Check a code under the limits of passwords; raises as `verify`."""
        subject, limiter = _subject(caller, origin), self._accounts.limiter
        state = limiter.read(subject)
        if state.retry_after is not None:
            raise limited(state.retry_after)
        if use():
            limiter.record_success(subject, state)
            return
        self._uses.count(LOGIN_FAILED, caller.account_id, caller.user, caller.user, INVALID)
        raise ServiceError(INVALID, retry_after=limiter.record_failure(subject, state))


def owner_of(caller: Caller) -> Owner:
    """Return the user of a caller as the owner of factors."""
    return Owner(caller.account_id, caller.user_id or ACCOUNT_ITSELF)


def rotate_totp_secrets(_database: Database, transaction: Transaction, envelope: EnvelopeEncryption) -> int:
    """Encrypt the secrets that are under an older master key with the current one; return the number of them."""
    columns = TOTP_TABLE.c
    query = select(columns.account_id, columns.user_id, columns.sealed_secret).with_for_update()
    stale = [row for row in transaction.execute(query) if envelope.needs_rotation(row.sealed_secret)]
    for row in stale:
        owner = Owner(row.account_id, row.user_id)
        is_row = (columns.account_id == owner.account_id) & (columns.user_id == owner.user_id)
        sealed = envelope.rotate(row.sealed_secret, _context(owner))
        transaction.execute(update(TOTP_TABLE).where(is_row).values(sealed_secret=sealed))
    return len(stale)


ROTATIONS = (rotate_totp_secrets,)


def _subject(caller: Caller, origin: str) -> LoginSubject:
    name = f"{normalize_user(caller.user)} second-factor"
    return LoginSubject(name, caller.account_id, caller.user, origin, caller.user_id, is_code=True)


def _context(owner: Owner) -> bytes:
    return f"totp:{owner.account_id}:{owner.user_id}".encode()


def _hash(code: str) -> bytes:
    return sha256(code.encode("utf-8", "surrogatepass")).digest()

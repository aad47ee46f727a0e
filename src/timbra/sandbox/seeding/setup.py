"""Preparation of a sandbox for development: an account with known credentials, certificates and the seed file."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from timbra.core.bounds import Bound, BoundKind
from timbra.core.caller import ADMINISTRATOR
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.certificates.key_files import new_key
from timbra.sandbox.authority.taxpayers import seeds
from timbra.sandbox.certificates import MintRequest
from timbra.sandbox.seeding.seed_file import Seed
from timbra.sandbox.seeding.seeding import (
    apply_accounts,
    apply_clock,
    apply_faults,
    apply_taxpayers,
    exists,
    rejections_at,
)

if TYPE_CHECKING:
    from timbra.accounts.services import AccountServices, CertificateServices
    from timbra.sandbox.services import SandboxServices

USER = "dev@example.com"
PASSWORD = "desarrollo"  # noqa: S105 - known by design; the sandbox's stamps have no fiscal effect
TOKEN_LABEL = "timbra dev"  # noqa: S105


@dataclass(frozen=True, slots=True)
class DevelopmentCredentials:
    """The credentials that the account of development gets.

    Attributes:
        token: a text that the server accepts as the token of the account; empty for the token that it makes.
    """

    user: str = USER
    password: str = field(default=PASSWORD, repr=False)
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class DevelopmentAccount:
    """The account of a prepared sandbox.

    Attributes:
        token: a new infinite token.
        sign_in_path: path of a new one-time link to the portal.
        rfcs: RFC of the CSD in its vault that are valid now, sorted.
    """

    user: str
    password: str = field(repr=False)
    token: str = field(repr=False)
    sign_in_path: str = field(repr=False)
    rfcs: Sequence[str]


class KeyPool:
    """RSA keys that threads generate in advance, while the caller opens the database and issues certificates.

    Args:
        count: number of keys to generate in advance.
        threads: number of threads.
    """

    def __init__(self, count: int, threads: int = 2) -> None:
        self._threads = ThreadPoolExecutor(threads, "keys")
        self._keys = deque(self._threads.submit(new_key) for _ in range(count))

    def take(self) -> RSAPrivateKey:
        """Return a key that was not returned before."""
        return self._keys.popleft().result() if self._keys else new_key()

    def close(self) -> None:
        """Stop the threads; keys that were not started are not generated."""
        self._threads.shutdown(cancel_futures=True)


class DevelopmentSetup:
    """Prepares a sandbox; what it has already stays as it is."""

    def __init__(
        self,
        accounts: AccountServices,
        certificates: CertificateServices,
        sandbox: SandboxServices,
        credentials: DevelopmentCredentials | None = None,
    ) -> None:
        self._accounts = accounts
        self._certificates = certificates
        self._sandbox = sandbox
        self._credentials = credentials or DevelopmentCredentials()

    def prepare(self, seed: Seed, keys: KeyPool) -> DevelopmentAccount:
        """Apply the seed file, and give the account of development its password, certificates, token and link.

        Raises:
            SeedFileError: a value of the seed file is rejected.
            ServiceError: "account-exists" when the account exists and is no administrator.
        """
        user, password = self._credentials.user, self._credentials.password
        apply_clock(seed, self._sandbox)
        account_id = self._ensure_account()
        apply_taxpayers(seed, self._sandbox)
        apply_accounts(seed, self._accounts)
        self._store_certificates(account_id, sat_test_rfcs(), keys)
        for place, certificate in enumerate(seed.csds):
            if certificate.kind == "csd":
                with rejections_at(f"csds[{place}]"):
                    owner = self._accounts.accounts.find(certificate.account or user)
                    self._store_certificates(owner.account_id, [certificate.rfc], keys)
        apply_faults(seed, self._sandbox)
        token = self._accounts.accounts.create_infinite_token(user, TOKEN_LABEL)
        link = self._accounts.sign_in_links.create(user)
        return DevelopmentAccount(user, password, token, link.path, sorted(self._valid_rfcs(account_id)))

    def _ensure_account(self) -> int:
        """Create the account, or reset what differs from the known account; return its number."""
        accounts, user, password = self._accounts.accounts, self._credentials.user, self._credentials.password
        if not exists(self._accounts, user):
            return accounts.create(user, password, ADMINISTRATOR).account_id
        account = accounts.find(user)
        if account.role != ADMINISTRATOR:
            detail = f"{user} no es de administrador; cámbiela con: timbra account promote {user}"
            raise ServiceError("account-exists", detail)
        if not account.active:
            accounts.set_active(user, True)
        if not self._has_known_password():
            accounts.set_password(user, password)
        return account.account_id

    def _has_known_password(self) -> bool:
        try:
            asyncio.run(self._accounts.accounts.authenticate(self._credentials.user, self._credentials.password))
        except ServiceError as error:
            if error.code != "AU2000":
                raise
            return False
        return True

    def _store_certificates(self, account_id: int, rfcs: Sequence[str], keys: KeyPool) -> None:
        """Issue a CSD for each RFC of which the vault of the account has no valid one."""
        for rfc in sorted(set(rfcs) - self._valid_rfcs(account_id)):
            minted = self._sandbox.certificates.mint(MintRequest(rfc, key=keys.take()))
            self._certificates.vault.save(account_id, minted.certificate_der, minted.key_der, minted.password)

    def _valid_rfcs(self, account_id: int) -> set[str]:
        now = self._sandbox.fiscal.now()
        stored = self._certificates.vault.list_certificates(account_id)
        return {csd.rfc for csd in stored if csd.active and csd.valid_from <= now <= csd.valid_to}


def sat_test_rfcs() -> list[str]:
    """Return the RFC of the SAT's test taxpayers that can issue a CFDI 4.0: those with postal code and regimes."""
    return [taxpayer.rfc for taxpayer in seeds.taxpayers() if taxpayer.postal_code and taxpayer.regimes]


BOUNDS = (
    Bound(
        "KeyPool",
        BoundKind.POOL,
        "the keys that a new sandbox needs, in 2 threads",
        "A further key is generated by the caller.",
    ),
)

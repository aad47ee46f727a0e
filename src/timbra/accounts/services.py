"""The services of accounts, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.accounts.accounts import Accounts
    from timbra.accounts.administration.accounts import AccountAdministration
    from timbra.accounts.administration.branding import BrandingService
    from timbra.accounts.administration.certificates import CertificateService
    from timbra.accounts.approvals import Approvals
    from timbra.accounts.balances import Balances
    from timbra.accounts.second_factor.passkeys import Passkeys
    from timbra.accounts.second_factor.second_factors import SecondFactors
    from timbra.accounts.sign_in_links import SignInLinks
    from timbra.accounts.users import Users
    from timbra.accounts.vault.vault import Vault
    from timbra.core.clock import Clock
    from timbra.rules.engine.ports import ReferenceData
    from timbra.seals.certificates.trust_store import TrustStore


@dataclass(frozen=True, slots=True)
class AccountServices:
    """Users, passwords, tokens, sign-in links, second factors, balances, and the branding of printed documents."""

    accounts: Accounts
    users: Users
    balances: Balances
    administration: AccountAdministration
    sign_in_links: SignInLinks
    branding: BrandingService
    second_factors: SecondFactors
    passkeys: Passkeys
    approvals: Approvals


@dataclass(frozen=True, slots=True)
class CertificateServices:
    """Seal certificates (CSD) of the accounts, and the data that decide whether stamping accepts one.

    Attributes:
        trust: returns the trust store.
        reference_data: returns the lists in force at the moment of the call.
    """

    certificates: CertificateService
    vault: Vault
    trust: Callable[[], TrustStore]
    reference_data: Callable[[], ReferenceData]
    fiscal: Clock
    approvals: Approvals

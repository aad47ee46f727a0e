"""Applies a seed file to a sandbox. What the sandbox has already is not written again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from timbra.accounts.users import FIRST_STAMPS
from timbra.core.caller import ACCOUNT, ADMINISTRATOR
from timbra.core.errors import ServiceError
from timbra.rules.reference.messages import sentence
from timbra.sandbox.fault_selection import FaultSelection
from timbra.sandbox.faults import make_fault
from timbra.sandbox.seeding.seed_file import Seed, SeededAccount, SeededTaxpayer, SeedFileError
from timbra.sandbox.taxpayers import TaxpayerChange, TaxpayerEntry

if TYPE_CHECKING:
    from timbra.accounts.services import AccountServices
    from timbra.database.transaction import Transaction
    from timbra.sandbox.services import SandboxServices


def apply_clock(seed: Seed, sandbox: SandboxServices) -> None:
    """Set fiscal time."""
    if seed.clock is not None:
        sandbox.clock_control.apply(seed.clock)


def apply_taxpayers(seed: Seed, sandbox: SandboxServices) -> None:
    """Register the taxpayers, or change them and publish the lists. Raises SeedFileError: a value is rejected."""
    changed = False
    for place, taxpayer in enumerate(seed.taxpayers):
        with rejections_at(f"taxpayers[{place}]"):
            changed |= _apply_taxpayer(taxpayer, sandbox)
    if changed:
        sandbox.registry.refresh()


def apply_accounts(seed: Seed, services: AccountServices) -> None:
    """Create the accounts that do not exist. Raises SeedFileError: a value is rejected."""
    for place, account in enumerate(seed.accounts):
        with rejections_at(f"accounts[{place}]"):
            _create_account(account, services)


def apply_faults(seed: Seed, sandbox: SandboxServices) -> None:
    """Activate the faults. Raises SeedFileError: a value is rejected."""
    active = sandbox.faults.active()
    for place, fault in enumerate(seed.faults):
        with rejections_at(f"faults[{place}]"):
            selection = FaultSelection(fault.probability, fault.seed, fault.route, fault.account)
            if make_fault(fault.name, fault.times, fault.seconds, selection) not in active:
                sandbox.faults.set(fault.name, fault.times, fault.seconds, selection)


@contextmanager
def rejections_at(place: str) -> Iterator[None]:
    """Turn a ServiceError of the block into a SeedFileError that names the place in the file."""
    try:
        yield
    except ServiceError as error:
        raise SeedFileError(place, error.detail or sentence(error.code)) from error


def _apply_taxpayer(taxpayer: SeededTaxpayer, sandbox: SandboxServices) -> bool:
    """Register or change a taxpayer; return whether a change waits for the refresh."""
    values = taxpayer.model_dump(exclude={"rfc", "regime"})
    change = TaxpayerChange(**values, regimes=taxpayer.regime)
    try:
        entry = sandbox.registry.entry(taxpayer.rfc)
    except ServiceError as error:
        if error.code != "taxpayer-unknown":
            raise
        sandbox.registry.add(taxpayer.rfc, change)
        return False
    if change.columns().items() <= _columns(entry).items():
        return False
    sandbox.registry.change(taxpayer.rfc, change)
    return True


def _columns(entry: TaxpayerEntry) -> dict[str, object]:
    taxpayer = entry.taxpayer
    return {
        "name": taxpayer.name,
        "postal_code": taxpayer.postal_code,
        "regimes": " ".join(sorted(taxpayer.regimes)),
        "obligations": entry.obligations,
        "cancelled": taxpayer.cancelled,
        "situation": taxpayer.situation,
        **entry.pending,
    }


def _create_account(account: SeededAccount, services: AccountServices) -> None:
    def add_stamps(transaction: Transaction, number: int) -> None:
        if account.stamps:
            services.balances.add_within(transaction, number, account.stamps, FIRST_STAMPS, None)

    unlimited = False if account.unlimited is None and account.stamps else account.unlimited
    role = ADMINISTRATOR if account.administrator else ACCOUNT
    if exists(services, account.user):
        return
    services.accounts.create(account.user, account.password, role, unlimited=unlimited, seed=add_stamps)


def exists(services: AccountServices, user: str) -> bool:
    """Whether an account has this user name."""
    try:
        services.accounts.find(user)
    except ServiceError as error:
        if error.code != "account-unknown":
            raise
        return False
    return True

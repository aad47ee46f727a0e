"""Construction of the services of the sandbox."""

from __future__ import annotations

from functools import partial

from timbra.accounts.build import envelope_encryption
from timbra.container import Container, sandbox_only
from timbra.container.build import fiscal_clock
from timbra.database.build import opened_database
from timbra.delivery.ports import authority_work
from timbra.evaluation.build import confirmation_registry
from timbra.sandbox.account_reset import AccountReset
from timbra.sandbox.authority.build import (
    clock_control,
    kept_mails,
    sandbox_authority,
    sandbox_cancellations,
    sandbox_faults,
    sandbox_ledger,
    sandbox_registry,
    sandbox_store,
)
from timbra.sandbox.cancellation_replies import CancellationReplies
from timbra.sandbox.certificates import CertificateAdministration
from timbra.sandbox.ledger import LedgerService
from timbra.sandbox.services import SandboxServices
from timbra.sandbox.state import SandboxState
from timbra.sandbox.taxpayers import TaxpayerAdministration
from timbra.web.server.feature_jobs import feature_jobs


def sandbox_services(container: Container) -> SandboxServices:
    """Build the administration of the simulated authority.

    Raises:
        UnavailableServicesError: The environment is not the sandbox.
    """
    if not container.environment.is_sandbox:
        raise sandbox_only()
    get, wall, fiscal = container.get, container.wall, container.get(fiscal_clock)
    store, authority, registry, faults = (
        get(sandbox_store),
        get(sandbox_authority),
        get(sandbox_registry),
        get(sandbox_faults),
    )
    clock = get(clock_control)
    return SandboxServices(
        registry=TaxpayerAdministration(registry, store),
        certificates=CertificateAdministration(authority, registry, faults, fiscal, store),
        clock_control=clock,
        faults=faults,
        ledger=LedgerService(get(sandbox_ledger)),
        authority_ca=authority,
        cancellation_service=CancellationReplies(get(sandbox_cancellations), store),
        state=SandboxState(store, get(envelope_encryption), registry, clock, wall),
        account_reset=AccountReset(store, wall, fiscal, partial(flush_buffers, container)),
        mails=get(kept_mails),
        confirmations=get(confirmation_registry),
        poll=get(opened_database).poll,
        refresh=get(authority_work).refresh,
        wall=wall,
        fiscal=fiscal,
    )


def flush_buffers(container: Container) -> None:
    """Write what this process has in buffers. ServiceError when the database fails."""
    for feature in feature_jobs():
        feature.flush(container)


SERVICES = {SandboxServices: sandbox_services}

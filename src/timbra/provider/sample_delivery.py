"""A stamp of an example document through to the SAT's answers, for `timbra provider check --deliver`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.container import Container
from timbra.container.build import fiscal_clock
from timbra.core.checks import CheckResult, CheckState, run_check
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.delivery.build import delivery_state
from timbra.delivery.ports import authority_work
from timbra.delivery.receptions import RECEIVED, WAITING, WITH_INCIDENCIA
from timbra.events.cancellation_acuses import ACCEPTED_CODES
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

if TYPE_CHECKING:
    from timbra.accounts.store.models import StoredCertificate
    from timbra.core.caller import Caller
    from timbra.examples import ExampleParty

STAMP, DELIVERY, CANCELLATION = "timbre de prueba", "entrega de prueba", "cancelación de prueba"
AGE = timedelta(minutes=5)
WAIT_SECONDS = 60
PAUSE_SECONDS = 0.2
COMPANY_RFC_LENGTH = 12
WITHOUT_RELATION = "02"


@dataclass(frozen=True, slots=True)
class _Issuer:
    """An issuer whose CSD is in the vault of an account."""

    caller: Caller
    certificate: StoredCertificate


def sample_delivery(container: Container) -> Iterator[CheckResult]:
    """Stamp an example document, deliver it, wait for its acuse and request its cancellation.

    The issuer is that of the first CSD in force of an account; the stamp is taken from the balance of the account. The
    steps after one that failed are left out.
    """
    if container.settings.environment != "rehearsal":
        text = "Un documento de prueba solo se timbra en un ensayo."
        yield CheckResult(STAMP, CheckState.ERROR, text)
        return
    stamped: list[tuple[_Issuer, str]] = []
    yield run_check(STAMP, lambda: _stamp(container, stamped))
    for issuer, uuid in stamped:
        delivery = run_check(DELIVERY, lambda uuid=uuid: _deliver(container, uuid))  # type: ignore[misc]
        yield delivery
        if delivery.state is CheckState.OK:
            yield run_check(CANCELLATION, lambda: _cancel(container, issuer, uuid))  # noqa: B023 - called at once


def _stamp(container: Container, stamped: list[tuple[_Issuer, str]]) -> str:
    from timbra.examples import ingreso

    issuer = _issuer(container)
    fecha = (container.get(fiscal_clock).now() - AGE).astimezone(CENTRAL_MEXICO).strftime("%Y-%m-%dT%H:%M:%S")
    xml = ingreso({"@Serie": "PRUEBA", "@Folio": uuid4().hex[:12]}, fecha=fecha, issuer=_party(issuer.certificate))
    request = StampRequest(issuer.caller, xml.encode(), f"check-{uuid4()}")
    result = asyncio.run(container.get(stamping_services).stamping.issue(request))
    stamped.append((issuer, result.uuid))
    return f"{result.uuid}, de {issuer.certificate.rfc}, cuenta {issuer.caller.user}"


def _issuer(container: Container) -> _Issuer:
    accounts, vault = container.get(account_services).accounts, container.get(certificate_services).vault
    now = container.get(fiscal_clock).now()
    for account in accounts.list_accounts():
        for certificate in vault.list_certificates(account.account_id) if account.active else ():
            if certificate.active and certificate.valid_from <= now < certificate.valid_to:
                return _Issuer(accounts.caller_for(account.user), certificate)
    raise ServiceError("csd-missing", "Ninguna cuenta tiene un CSD vigente: agréguelo con timbra csd add.")


def _party(certificate: StoredCertificate) -> ExampleParty:
    """Return the issuer as the examples describe it, otherwise a company or a person of the general regime."""
    from timbra import examples

    known = (examples.KEMPER, examples.ROBOTICA, examples.CASAS, examples.ILUMINADORA, examples.XODAR)
    for party in known:
        if party.rfc == certificate.rfc:
            return party
    regime = "601" if len(certificate.rfc) == COMPANY_RFC_LENGTH else "612"
    return examples.ExampleParty(certificate.rfc, certificate.name, examples.KEMPER.postal_code, regime)


def _deliver(container: Container, uuid: str) -> str:
    """Deliver what is due until the SAT has answered; a running server may deliver it instead."""
    begun = time.monotonic()
    while True:
        container.get(authority_work).deliver()
        found = container.get(delivery_state)(uuid)
        seconds = time.monotonic() - begun
        if found.state != WAITING or seconds > WAIT_SECONDS:
            break
        time.sleep(PAUSE_SECONDS)
    if found.state not in (RECEIVED, WITH_INCIDENCIA):
        raise ServiceError("delivery-rejected", f"{uuid}: {found.state} después de {seconds:.1f} s.")
    return f"{found.state} en {seconds:.1f} s"


def _cancel(container: Container, issuer: _Issuer, uuid: str) -> str:
    request = CancellationRequest(issuer.certificate.rfc, uuid, WITHOUT_RELATION, "")
    result = container.get(cancellation_services).cancelling.by_uuid(issuer.caller, request, f"check-{uuid4()}")
    code = {folio.lower(): code for folio, code in result.codes.items()}.get(uuid.lower(), "")
    if code not in ACCEPTED_CODES:
        raise ServiceError("delivery-rejected", f"El SAT respondió {code or 'nada'} a la cancelación de {uuid}.")
    return f"el SAT respondió {code}"

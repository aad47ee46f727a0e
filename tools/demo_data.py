"""Demo data for the screenshots of the documentation: a sandbox that has been in use for some weeks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import uuid4

from timbra import examples
from timbra.accounts.build import account_services
from timbra.accounts.certificates import certificate_services
from timbra.accounts.store.models import AccountHolder
from timbra.app.composition import Container, open_container
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.container.build import fiscal_clock
from timbra.core.caller import Caller
from timbra.core.clock import WallClock, to_central_mexico
from timbra.delivery.ports import authority_work
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.minting import MintRequest
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

USER, PASSWORD = "ana@example.com", "una contraseña de ejemplo"
OTHER = "tienda@example.com"
WEEK = (6, 9, 4, 11, 7, 2, 0)
DAYS = 24
RECEIVERS = (examples.ROBOTICA, examples.CASAS, examples.ILUMINADORA)
PRICES = ("1250.00", "480.50", "3200.00", "99.90", "18750.00")
CURSOS = "Curso de electrónica"
OLD, REQUESTED = 6, 2
"""Days ago: on REQUESTED, an invoice of OLD gets a pending cancellation, and one of REQUESTED is cancelled at once."""


@dataclass(frozen=True, slots=True)
class DemoData:
    """The seeded data.

    Attributes:
        token: token of the account.
        uuid: UUID of its last invoice.
    """

    token: str
    uuid: str


class SteppedClock:
    """Wall time that is advanced in steps."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        """Return the current instant."""
        return self.instant


def seed(data: Path) -> DemoData:
    """Fill an empty data folder."""
    today = WallClock().now()
    wall = SteppedClock(today - timedelta(days=DAYS))
    with open_container(Settings(data=data), wall) as container:
        caller = _account(container)
        folios, first = count(1001), {}
        for ago in range(DAYS - 1, -1, -1):
            wall.instant = today - timedelta(days=ago, hours=3)
            uuids = [_stamped(container, caller, next(folios), wall) for _ in range(WEEK[ago % len(WEEK)] or 1)]
            first[ago] = uuids[0]
            if ago == REQUESTED:
                for uuid in (first[OLD], first[REQUESTED]):
                    container.get(cancellation_services).cancelling.by_uuid(
                        caller, CancellationRequest(examples.KEMPER.rfc, uuid, "02", ""), str(uuid4())
                    )
        container.get(authority_work).deliver()
        _others(container)
        return DemoData(container.get(account_services).accounts.create_infinite_token(USER, "ERP"), uuids[-1].lower())


def _account(container: Container) -> Caller:
    made = container.get(account_services).accounts.create(
        USER, PASSWORD, "administrator", AccountHolder("Escuela Kemper Urgate", examples.KEMPER.rfc)
    )
    minted = container.get(sandbox_services).certificates.mint(MintRequest(examples.KEMPER.rfc))
    container.get(certificate_services).vault.save(
        made.account_id, minted.certificate_der, minted.key_der, minted.password
    )
    return Caller(made.account_id, made.user, made.role)


def _stamped(container: Container, caller: Caller, number: int, wall: SteppedClock) -> str:
    wall.instant += timedelta(minutes=13)
    changes: dict[str, examples.Change] = {
        "@Serie": "A",
        "@Folio": str(number),
        "Conceptos/Concepto[1]/@Descripcion": CURSOS,
    }
    concepts = [examples.concepto(price=PRICES[number % len(PRICES)])]
    fecha = to_central_mexico(container.get(fiscal_clock).now() - timedelta(hours=1))
    receiver = RECEIVERS[number % len(RECEIVERS)]
    text = examples.ingreso(changes, concepts=concepts, fecha=fecha, receiver=receiver)
    order = StampRequest(caller, text.encode(), str(uuid4()), None)
    return asyncio.run(container.get(stamping_services).stamping.issue(order)).uuid


def _others(container: Container) -> None:
    """Add an account with a balance, a receiver with an automatic reply, and a fault."""
    shop = container.get(account_services).accounts.create(
        OTHER, PASSWORD, holder=AccountHolder("Tienda de ejemplo", examples.CASAS.rfc), unlimited=False
    )
    container.get(account_services).balances.add(shop.account_id, 500, "Compra inicial")
    container.get(account_services).balances.remove(shop.account_id, 40, "Ajuste")
    container.get(sandbox_services).cancellation_service.scripts.set(examples.CASAS.rfc, "reject", "2h")
    container.get(sandbox_services).faults.set("answer-lost", 2)

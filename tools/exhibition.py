"""A sandbox that has been in use for some weeks, for the pictures of the documentation."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import uuid4

from timbra import examples
from timbra.accounts.caller import Caller
from timbra.accounts.records import Holder
from timbra.clock import WallClock, to_central_mexico
from timbra.service.cancelling import CancelOrder
from timbra.service.orders import StampOrder
from timbra.service.sandbox import MintOrder, mint
from timbra.settings import Settings
from timbra.wiring import House, open_house

USER, PASSWORD = "ana@example.com", "una contraseña de ejemplo"
OTHER = "tienda@example.com"
WEEK = (6, 9, 4, 11, 7, 2, 0)
DAYS = 24
RECEIVERS = (examples.ROBOTICA, examples.CASAS, examples.ILUMINADORA)
PRICES = ("1250.00", "480.50", "3200.00", "99.90", "18750.00")
CURSOS = "Curso de electrónica"
# Days ago: an invoice of OLD is to be cancelled at ASKED and waits for its receiver; one of ASKED is cancelled at once.
OLD, ASKED = 6, 2


@dataclass(frozen=True, slots=True)
class Exhibition:
    """token: of the account. uuid: of its last invoice."""

    token: str
    uuid: str


class SteppedClock:
    """Wall time that goes through the weeks in steps."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant


def furnish(data: Path) -> Exhibition:
    """Fills an empty data folder."""
    today = WallClock().now()
    wall = SteppedClock(today - timedelta(days=DAYS))
    with open_house(Settings(data=data), wall) as house:
        caller = _account(house)
        folios, first = count(1001), {}
        for ago in range(DAYS - 1, -1, -1):
            wall.instant = today - timedelta(days=ago, hours=3)
            uuids = [_stamped(house, caller, next(folios), wall) for _ in range(WEEK[ago % len(WEEK)] or 1)]
            first[ago] = uuids[0]
            if ago == ASKED:
                for uuid in (first[OLD], first[ASKED]):
                    house.cancelling.by_uuid(caller, CancelOrder(examples.KEMPER.rfc, uuid, "02", ""), str(uuid4()))
        house.deliver()
        _others(house)
        return Exhibition(house.accounts.create_infinite_token(USER, "ERP"), uuids[-1].lower())


def _account(house: House) -> Caller:
    made = house.accounts.create(USER, PASSWORD, "administrator", Holder("Escuela Kemper Urgate", examples.KEMPER.rfc))
    minted = mint(
        MintOrder(examples.KEMPER.rfc), house.authority_ca, house.registry, house.faults, house.clock_control.clock
    )
    house.vault.save(made.account_id, minted.certificate_der, minted.key_der, minted.password)
    return Caller(made.account_id, made.user, made.role)


def _stamped(house: House, caller: Caller, number: int, wall: SteppedClock) -> str:
    wall.instant += timedelta(minutes=13)
    changes: dict[str, examples.Change] = {
        "@Serie": "A",
        "@Folio": str(number),
        "Conceptos/Concepto[1]/@Descripcion": CURSOS,
    }
    concepts = [examples.concepto(price=PRICES[number % len(PRICES)])]
    fecha = to_central_mexico(house.fiscal.now() - timedelta(hours=1))
    receiver = RECEIVERS[number % len(RECEIVERS)]
    text = examples.ingreso(changes, concepts=concepts, fecha=fecha, receiver=receiver)
    order = StampOrder(caller, text.encode(), str(uuid4()), None)
    return asyncio.run(house.stamping.issue(order)).uuid


def _others(house: House) -> None:
    """An account with a balance, a scripted receiver, a fault."""
    shop = house.accounts.create(
        OTHER, PASSWORD, holder=Holder("Tienda de ejemplo", examples.CASAS.rfc), unlimited=False
    )
    house.balances.add(shop.account_id, 500, "Compra inicial")
    house.balances.remove(shop.account_id, 40, "Ajuste")
    house.counter.scripts.set(examples.CASAS.rfc, "reject", "2h")
    house.faults.set("answer-lost", 2)

"""Random activity of a sandbox, and the rows of its database, for tests of reset, save and restore."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.accounts.build import account_services
from timbra.app.composition import Container
from timbra.core.clock import to_central_mexico
from timbra.core.errors import ServiceError
from timbra.database.build import opened_database
from timbra.database.tables import METADATA
from timbra.database.tables.audit import AUDIT_TABLES
from timbra.database.tables.core import CACHE_VERSION, LEASE
from timbra.database.tables.digests import ROW_DIGEST
from timbra.delivery.ports import authority_work
from timbra.operations.build import operations_services
from timbra.rejections.log import RejectedRequest
from timbra.sandbox.build import sandbox_services
from timbra.sandbox.taxpayers import TaxpayerChange
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest

VOLATILE = frozenset({CACHE_VERSION.name, LEASE.name, ROW_DIGEST.name, *(table.name for table in AUDIT_TABLES)})
"""Tables that a restore does not replace: cache versions only grow, leases belong to workers, the audit log goes on,
digests are made after the rows."""


def rows_of(container: Container) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table except the volatile ones, in order."""
    with container.get(opened_database).read() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in METADATA.sorted_tables
            if table.name not in VOLATILE
        }


def cache_versions(container: Container) -> Mapping[str, int]:
    with container.get(opened_database).read() as connection:
        return {row.area: row.number for row in connection.execute(select(CACHE_VERSION))}


class Activity:
    """Random calls of a sandbox application; the same seed gives the same calls."""

    def __init__(self, app: SandboxApp, seed: int) -> None:
        self.app = app
        self.random = random.Random(seed)
        self.taxpayers = 0
        self.accounts = app.container.get(account_services)
        self.sandbox = app.container.get(sandbox_services)
        app.store(app.mint())

    def run(self, steps: int) -> None:
        choices = [
            self.issue,
            self.issue,
            self.create_account,
            self.change_password,
            self.create_token,
            self.add_balance,
            self.reject,
            self.register_taxpayer,
            self.change_taxpayer,
            self.mint,
            self.set_fault,
            self.advance_clock,
            self.set_auto_reply,
            self.deliver,
            self.count_usage,
        ]
        for step in [*choices, *self.random.choices(choices, k=steps)]:
            step()

    def issue(self) -> None:
        now = to_central_mexico(self.app.now - timedelta(hours=1))
        document = examples.ingreso({"@Folio": uuid4().hex[:10]}, fecha=now).encode()
        recipients = ("ana@example.com",) if self.random.random() < 0.5 else ()
        request = StampRequest(self.app.caller, document, str(uuid4()), uuid4().hex, recipients)
        asyncio.run(self.app.container.get(stamping_services).stamping.issue(request))

    def create_account(self) -> None:
        self.app.account(f"user-{uuid4().hex[:8]}@example.com")

    def change_password(self) -> None:
        self.accounts.accounts.set_password("ana@example.com", f"otra contraseña {uuid4().hex}")

    def create_token(self) -> None:
        self.accounts.accounts.create_infinite_token("ana@example.com", "label")

    def add_balance(self) -> None:
        self.accounts.balances.add(self.app.caller.account_id, self.random.randint(1, 1000), "comentario ñ")

    def reject(self) -> None:
        log = self.app.container.get(operations_services).rejections
        error = ServiceError("CFDI40147", "detalle")
        rejected = RejectedRequest(self.app.caller.account_id, str(uuid4()), "/cfdi33/stamp/v1", error, b"<x/>")
        asyncio.run(log.record(rejected))
        log.flush()

    def register_taxpayer(self) -> None:
        self.taxpayers += 1
        self.sandbox.registry.add(f"ZUA160101{self.taxpayers:03d}", TaxpayerChange(name="PRUEBA Ñ", regimes=["601"]))

    def change_taxpayer(self) -> None:
        self.sandbox.registry.change("EKU9003173C9", TaxpayerChange(obligations=self.random.randint(0, 4)))

    def mint(self) -> None:
        self.app.store(self.app.mint())

    def set_fault(self) -> None:
        self.sandbox.faults.set("list-late", self.random.randint(1, 50))

    def advance_clock(self) -> None:
        self.sandbox.clock_control.advance(f"{self.random.randint(1, 50)}m")

    def set_auto_reply(self) -> None:
        self.sandbox.cancellation_service.scripts.set("EKU9003173C9", "accept", f"{self.random.randint(1, 99)}s")

    def deliver(self) -> None:
        self.app.container.get(authority_work).deliver()

    def count_usage(self) -> None:
        self.app.container.get(operations_services).usage.count()


def differing(first: Mapping[str, Sequence[Any]], second: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the tables whose rows differ."""
    return [name for name in first if first[name] != second[name]]

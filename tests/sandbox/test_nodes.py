"""The simulated authority on several nodes that share a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar

import pytest
from tests.support.databases import need_postgresql, postgresql_database
from tests.support.events import list_events
from tests.support.sandbox_support import FOUR_YEARS, NOON, MovableClock, invoice, new_envelope, query

from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.core.clock import FixedClock, to_central_mexico
from timbra.database.database import Database, open_database
from timbra.sandbox.authority.cancellation_service import SandboxCancellationService
from timbra.sandbox.authority.certificates.authority import open_authority
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.authority.taxpayers.models import TaxpayerChange
from timbra.sandbox.authority.taxpayers.registry import SandboxRegistry
from timbra.sandbox.clock import ClockControl
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.transactions import SandboxStore
from timbra.sat.port import RequestOrigin
from timbra.seals.certificates.certificate import CertificateKind
from timbra.stamps.repository import DatabaseStamps

NODES = 3
Answer = TypeVar("Answer")


@pytest.fixture(scope="module")
def nodes() -> Iterator[list[Database]]:
    need_postgresql()
    with postgresql_database() as url:
        opened = [open_database(url) for _ in range(NODES)]
        yield opened
        for database in opened:
            database.close()


def run_on_all_nodes(nodes: list[Database], work: Callable[[Database], Answer]) -> list[Answer]:
    for node in nodes:
        node.poll()
    with ThreadPoolExecutor(NODES) as pool:
        return list(pool.map(work, nodes))


def test_open_authority_creates_one_authority_and_unique_numbers_on_several_nodes(nodes: list[Database]) -> None:
    authorities = run_on_all_nodes(nodes, lambda node: open_authority(SandboxStore(node), new_envelope()))
    assert len({authority.provider.certificate.der for authority in authorities}) == 1

    def mint(node: Database) -> set[str]:
        authority = open_authority(SandboxStore(node), new_envelope())
        return {authority.mint("EKU9003173C9", CertificateKind.CSD, "KEMPER", *FOUR_YEARS).number for _ in range(3)}

    assert len(set().union(*run_on_all_nodes(nodes, mint))) == 3 * NODES


def test_registry_publishes_once_a_night_on_several_nodes(nodes: list[Database]) -> None:
    clock = MovableClock()
    registries = run_on_all_nodes(
        nodes, lambda node: SandboxRegistry(SandboxStore(node), clock, Faults(SandboxStore(node)))
    )
    registries[0].change("EKU9003173C9", TaxpayerChange(postal_code="06300"))
    clock.instant = NOON + timedelta(days=1)
    published = run_on_all_nodes(nodes, lambda node: registries[nodes.index(node)].refresh_if_due())
    assert any(published)
    for node in nodes:
        node.poll()
    taxpayers = [registry.taxpayer("EKU9003173C9") for registry in registries]
    assert [taxpayer is not None and taxpayer.postal_code for taxpayer in taxpayers] == ["06300"] * NODES
    assert [event.kind for event in list_events(nodes[0])].count("taxpayer-changed") == 1


def test_clock_is_shared_by_several_nodes(nodes: list[Database]) -> None:
    controls = [ClockControl(SandboxStore(node), FixedClock(NOON), "2026-12-01T00:00:00") for node in nodes]
    controls[0].advance("1h")
    for node in nodes:
        node.poll()
    assert {to_central_mexico(control.now()) for control in controls} == {"2026-12-01T01:00:00"}


def test_faults_share_their_count_on_several_nodes(nodes: list[Database]) -> None:
    Faults(SandboxStore(nodes[0])).set("answer-lost", times=7)

    def take(node: Database) -> int:
        faults = Faults(SandboxStore(node))
        return sum(faults.take("answer-lost") is not None for _ in range(5))

    assert sum(run_on_all_nodes(nodes, take)) == 7


def test_ledger_imports_a_document_once_on_several_nodes(nodes: list[Database]) -> None:
    clock = FixedClock(NOON)

    def file(node: Database) -> bool:
        ledger = SandboxLedger(
            SandboxStore(node), DatabaseStamps(node, clock, clock), clock, Faults(SandboxStore(node))
        )
        new = ledger.import_document(invoice())[1]
        assert ledger.status(query()).status == "Vigente"
        return new

    assert sum(run_on_all_nodes(nodes, file)) == 1


def test_cancel_changes_the_state_once_when_nodes_request_it_together(nodes: list[Database]) -> None:
    clock = MovableClock(NOON + timedelta(days=10))
    counters = [
        SandboxCancellationService(
            SandboxLedger(SandboxStore(node), DatabaseStamps(node, clock, clock), clock, Faults(SandboxStore(node))),
            lambda _acuse: b"",
        )
        for node in nodes
    ]
    folios = [f"{place:08x}-6f6c-4a55-9b0e-0c8f5b1f4d77" for place in range(6)]
    ledger = SandboxLedger(
        SandboxStore(nodes[0]), DatabaseStamps(nodes[0], clock, clock), clock, Faults(SandboxStore(nodes[0]))
    )
    for folio in folios:
        ledger.import_document(invoice(folio=folio))

    def ask(turn: int) -> list[str]:
        order = folios if turn % 2 else folios[::-1]
        request = Cancelacion("EKU9003173C9", tuple(Folio(folio, "02") for folio in order))
        receipt = counters[turn % NODES].cancel(request, b"", RequestOrigin(1, str(turn)))
        return [receipt.codes[folio] for folio in folios]

    with ThreadPoolExecutor(NODES) as pool:
        answers = list(pool.map(ask, range(6)))
    assert [sorted(codes) for codes in zip(*answers, strict=True)] == [["201", *["202"] * 5]] * len(folios)
    clock.instant += timedelta(days=30)
    with ThreadPoolExecutor(NODES) as pool:
        ended = list(pool.map(lambda cancellation_service: cancellation_service.pendings("URE180429TM6"), counters))
    assert ended == [[]] * NODES
    for folio in folios:
        kinds = [event.kind for event in ledger.history(folio)]
        assert kinds == ["cancellation.requested", "cancellation.expired"]

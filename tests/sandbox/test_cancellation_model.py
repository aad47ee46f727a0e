"""Random sequences of cancellations keep every state in the table and every line of the history.

One authority settles requests as they become due, the other only when it is queried.
"""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import select
from tests.support.effort import rounds
from tests.support.sandbox_support import NOON, SEAL, MovableClock, new_database

from timbra.cfdi.cancelacion.answer import AcceptReject, ReceiverAnswer
from timbra.cfdi.cancelacion.request import Cancelacion, Folio
from timbra.database.tables.stamps import EVENT
from timbra.sandbox.authority.cancellation.state_machine import TABLE, CancellationState, Transition, after
from timbra.sandbox.authority.cancellation_service import SandboxCancellationService
from timbra.sandbox.authority.ledger.document_index import DocumentIndexEntry
from timbra.sandbox.authority.ledger.indexer import insert_entries
from timbra.sandbox.authority.ledger.ledger import SandboxLedger
from timbra.sandbox.faults import Faults
from timbra.sandbox.store.tables import SANDBOX_DOCUMENT, SANDBOX_REQUEST
from timbra.sandbox.store.transactions import SandboxStore
from timbra.sat.port import RequestOrigin, StatusQuery
from timbra.stamps.repository import DatabaseStamps

ISSUERS = ("EKU9003173C9", "CACX7605101P8")
RECEIVER = "URE180429TM6"
MOTIVOS = ("01", "02", "03", "04", "05")
UNKNOWN = "9d6e3b0a-6f6c-4a55-9b0e-0c8f5b1f4d11"
ORIGIN = RequestOrigin(1, "request")
DOCUMENT = SANDBOX_DOCUMENT.c


class Side:
    """One authority with its own database."""

    def __init__(self, folder: Path, clock: MovableClock) -> None:
        folder.mkdir()
        self.database = new_database(folder)
        self.ledger = SandboxLedger(
            SandboxStore(self.database),
            DatabaseStamps(self.database, clock),
            clock,
            Faults(SandboxStore(self.database)),
        )
        self.cancellation_service = SandboxCancellationService(self.ledger, lambda acuse: str(acuse.tag).encode())

    def states(self) -> dict[str, tuple[str, str]]:
        with self.database.read() as connection:
            rows = connection.execute(select(DOCUMENT.uuid, DOCUMENT.state, DOCUMENT.cancellation))
            return {uuid: (state, cancellation) for uuid, state, cancellation in rows}

    def waiting(self) -> set[str]:
        with self.database.read() as connection:
            return set(connection.execute(select(SANDBOX_REQUEST.c.uuid)).scalars())

    def log(self) -> list[tuple[object, ...]]:
        """Every line of the history, as it was written."""
        with self.database.read() as connection:
            rows = connection.execute(select(EVENT.c.subject, EVENT.c.kind, EVENT.c.fiscal_at, EVENT.c.body))
            return [(subject, kind, at, json.dumps(body, sort_keys=True)) for subject, kind, at, body in rows]


class CancellationMachine(RuleBasedStateMachine):
    documents: Bundle[str] = Bundle("documents")

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.clock = MovableClock(NOON)
        self.eager, self.lazy = (Side(Path(self.folder.name) / name, self.clock) for name in ("eager", "lazy"))
        self.seen: list[tuple[object, ...]] = []
        self.final: dict[str, tuple[str, str]] = {}
        self.count = 0

    def teardown(self) -> None:
        # An automatic reply without delay is due at the instant of the last request, which no `wait` followed.
        for side in (self.eager, self.lazy):
            side.ledger.settle()
        assert self.lazy.states() == self.eager.states()
        assert sorted(self.lazy.log(), key=str) == sorted(self.eager.log(), key=str)
        for side in (self.eager, self.lazy):
            side.database.close()
        self.folder.cleanup()

    @initialize(target=documents)
    def first(self) -> str:
        return self._stamp(ISSUERS[0], "I", Decimal(5000), frozenset())

    @rule(
        target=documents,
        issuer=st.sampled_from(ISSUERS),
        kind=st.sampled_from("IIIIEP"),
        total=st.sampled_from([Decimal(5000), Decimal(5000), Decimal(100)]),
        fuel=st.booleans(),
    )
    def stamp(self, issuer: str, kind: str, total: Decimal, fuel: bool) -> str:
        return self._stamp(issuer, kind, total, frozenset(), fuel=fuel)

    @rule(
        target=documents,
        related=documents,
        relation=st.sampled_from(["01", "04", "04", "pago"]),
        issuer=st.sampled_from((ISSUERS[0], *ISSUERS)),
    )
    def relate(self, related: str, relation: str, issuer: str) -> str:
        return self._stamp(issuer, "I", Decimal(5000), frozenset({(related, relation)}))

    @rule(
        uuid=documents, motivo=st.sampled_from(["01", "02", "03", "04", "05"]), substitute=documents | st.just(UNKNOWN)
    )
    def cancel(self, uuid: str, motivo: str, substitute: str) -> None:
        before = CancellationState(self._settled(uuid))
        folio = Folio(uuid, motivo, substitute if motivo == "01" else None)
        [code] = self._both(
            lambda side: side.cancellation_service.cancel(Cancelacion(self._issuer(uuid), (folio,)), b"", ORIGIN)
        )
        moved = CancellationState(self.eager.states()[uuid]) is not before
        assert code in ({"201"} if moved else {"201", "202", "204", "207"})
        if motivo != "05" and before not in (CancellationState.IN_FORCE, CancellationState.REJECTED):
            assert code == "202"

    @rule(uuid=documents, answer=st.sampled_from(list(ReceiverAnswer)))
    def answer(self, uuid: str, answer: ReceiverAnswer) -> None:
        before = CancellationState(self._settled(uuid))
        request = AcceptReject(RECEIVER, {uuid: answer})
        [code] = self._both(lambda side: side.cancellation_service.accept_reject(request, b"", ORIGIN))
        assert (code == "1000") is (before is CancellationState.REQUESTED)

    @rule(outcome=st.sampled_from(["accept", "reject", "silence"]), delay=st.sampled_from(["0s", "1h", "30d"]))
    def script(self, outcome: str, delay: str) -> None:
        for side in (self.eager, self.lazy):
            side.cancellation_service.scripts.set(RECEIVER, outcome, delay)

    @rule(hours=st.sampled_from([1, 72, 24 * 7, 24 * 7]))
    def wait(self, hours: int) -> None:
        self.clock.instant += timedelta(hours=hours)
        self.eager.ledger.settle()

    @rule(uuid=documents)
    def look(self, uuid: str) -> None:
        """Status tells what is on file and, of a CFDI in force that others need, that it cannot be cancelled."""
        query = StatusQuery(uuid, self._issuer(uuid), RECEIVER, "5000.00", "")
        found, same = (side.ledger.status(query) for side in (self.eager, self.lazy))
        assert found == same
        if found.status != "No Encontrado":
            assert (found.status, found.cancellation) == self.eager.states()[uuid]

    @invariant()
    def every_state_is_of_the_table_and_a_cancelled_one_stays(self) -> None:
        states = self.eager.states()
        expected = {state.value for state in {CancellationState.IN_FORCE, *TABLE.values()}}
        assert set(states.values()) <= expected
        assert all(states[uuid] == state for uuid, state in self.final.items())
        self.final = {uuid: state for uuid, state in states.items() if state[0] == "Cancelado"}
        assert self.eager.waiting() == {
            uuid for uuid, state in states.items() if state == CancellationState.REQUESTED.value
        }

    @invariant()
    def fuel_is_cancelled_by_an_answer_only(self) -> None:
        for uuid, state in self.eager.states().items():
            row = self.eager.ledger.indexer.find(uuid)
            assert row is not None
            assert not row.fuel or state[1] not in ("Plazo vencido", "Cancelado sin aceptación")

    @invariant()
    def history_only_grows_and_leads_to_what_is(self) -> None:
        log = self.eager.log()
        assert log[: len(self.seen)] == self.seen
        self.seen = log
        for uuid, state in self.eager.states().items():
            reached = CancellationState.IN_FORCE
            for event in self.eager.ledger.workflow.history(uuid):
                name = event.kind.removeprefix("cancellation.")
                if name != "ineffective":
                    reached = after(reached, Transition(name))
                    assert event.body["to"] == list(reached.value)
            assert reached.value == state

    def _stamp(
        self, issuer: str, kind: str, total: Decimal, relations: frozenset[tuple[str, str]], *, fuel: bool = False
    ) -> str:
        self.count += 1
        uuid = f"{self.count:08x}-6f6c-4a55-9b0e-0c8f5b1f4d11"
        document = DocumentIndexEntry(
            uuid=uuid,
            version="4.0",
            kind=kind,
            issuer_rfc=issuer,
            receiver_rfc=RECEIVER,
            total="5000.00",
            total_mxn=total,
            seal_tail=SEAL[-8:],
            issued_at=self.clock.now(),
            year=2026,
            fuel=fuel,
            relations=relations,
        )
        for side in (self.eager, self.lazy):
            with side.ledger.store.write() as transaction:
                insert_entries(transaction, [document], "delivered")
        return uuid

    def _issuer(self, uuid: str) -> str:
        row = self.eager.ledger.indexer.find(uuid)
        assert row is not None
        return str(row.issuer_rfc)

    def _settled(self, uuid: str) -> tuple[str, str]:
        self.eager.ledger.settle()
        return self.eager.states()[uuid]

    def _both(self, work: object) -> list[str]:
        first, second = (work(side) for side in (self.eager, self.lazy))  # type: ignore[operator]
        assert first.codes == second.codes
        return list(first.codes.values())


TestCancellationMachine = CancellationMachine.TestCase
TestCancellationMachine.settings = settings(
    max_examples=max(rounds(8, 300), settings().max_examples // 10),
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

"""The index of the simulated authority: CFDI and retenciones are two registers in one table."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.store_records import NOON

from timbra.database.database import Database
from timbra.sandbox.store.models import DocumentRow, RelatedDocumentRow, RelationRow
from timbra.sandbox.store.transactions import SandboxStore

RETENCION = "R"

NAMED, CFDI, WITHHELD, GONE, LOST = (f"0b9f1c5e-0000-4000-8000-00000000000{number}" for number in range(1, 6))
ISSUER, RECEIVER = "EKU9003173C9", "URE180429TM6"
ROW = DocumentRow(
    uuid=NAMED,
    version="4.0",
    kind="I",
    issuer_rfc=ISSUER,
    receiver_rfc=RECEIVER,
    total="5800.00",
    total_mxn="5800.000000",
    seal_tail="YmFzZTY0",
    issued_at=NOON,
    state="Vigente",
    cancellation="",
    origin="delivered",
    year=2026,
    fuel=False,
)


@pytest.fixture
def store(database: Database) -> SandboxStore:
    """Return a store with a document that a CFDI, a retención and a cancelled retención name."""
    store = SandboxStore(database)
    with store.write() as transaction:
        transaction.documents.insert(
            [
                ROW,
                replace(ROW, uuid=CFDI),
                replace(ROW, uuid=WITHHELD, kind=RETENCION, version="2.0"),
                replace(ROW, uuid=GONE, kind=RETENCION, version="2.0", state="Cancelado"),
            ]
        )
        transaction.documents.insert_relations(
            [RelationRow(uuid, NAMED, "04") for uuid in (CFDI, WITHHELD, GONE)] + [RelationRow(NAMED, LOST, "01")]
        )
    return store


def test_dependents_are_documents_in_force_of_one_register(store: SandboxStore) -> None:
    with store.read() as transaction:
        cfdi = transaction.documents.dependents(NAMED, "Vigente")
        retenciones = transaction.documents.dependents(NAMED, "Vigente", retenciones=True)
        cancelled = transaction.documents.dependents(NAMED, "Cancelado", retenciones=True)
    assert [row.uuid for row in cfdi] == [CFDI]
    assert [(row.uuid, row.relation, row.issuer_rfc, row.issued_at) for row in retenciones] == [
        (WITHHELD, "04", ISSUER, NOON)
    ]
    assert [row.uuid for row in cancelled] == [GONE]


def test_parents_and_children_have_their_kind(store: SandboxStore) -> None:
    with store.read() as transaction:
        children = transaction.documents.children(NAMED)
        parents = transaction.documents.parents(NAMED)
        of_retencion = transaction.documents.parents(WITHHELD)
    assert [(row.uuid, row.kind) for row in children] == [(CFDI, "I"), (WITHHELD, "R"), (GONE, "R")]
    assert parents == [RelatedDocumentRow(LOST, "", "", "")]
    assert of_retencion == [RelatedDocumentRow(NAMED, ISSUER, RECEIVER, "I")]

"""Related CFDI are queried once per document, off the event loop, up to a limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import ParamSpec, TypeVar
from uuid import uuid4

import pytest
from lxml import etree
from sqlalchemy import event
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.cfdi.nodes import walk
from timbra.database.build import opened_database
from timbra.database.membership import KEYS_PER_STATEMENT
from timbra.evaluation import known_documents
from timbra.evaluation.known_documents import KnownDocuments
from timbra.rules.engine.ports import InMemoryRelatedDocuments, ReferenceData
from timbra.rules.ports import reference_source
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.validation.build import validation_services

MOST_RELATED = 20_000
TOO_MANY = "CFDI relacionados (son más de 20,000; no se consultaron)"

P = ParamSpec("P")
T = TypeVar("T")

NOTES = "CFDI40999:TipoRelacion-01-02"


class Documents:
    """A source with some folios that counts its queries."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self.questions: list[Collection[str]] = []

    def types_of(self, folios: Collection[str]) -> Mapping[str, str]:
        self.questions.append(list(folios))
        return {folio: self._types[folio] for folio in folios if folio in self._types}


def folios(count: int) -> list[str]:
    return [str(uuid4()) for _ in range(count)]


def document_related_to(*uuids: str, relation: str = "01", rfc: str | None = None) -> bytes:
    children = "".join(f'<cfdi:CfdiRelacionado UUID="{uuid.upper()}"/>' for uuid in uuids)
    node = f'<cfdi:CfdiRelacionados TipoRelacion="{relation}">{children}</cfdi:CfdiRelacionados>'
    given = {"Receptor/@Rfc": rfc} if rfc else {}
    return examples.ingreso(given, fecha=FECHA).replace("<cfdi:Emisor", f"{node}<cfdi:Emisor", 1).encode()


def reference_data_with_related(documents: KnownDocuments, xml: bytes, sandbox_app: SandboxApp) -> ReferenceData:
    return documents.with_related(sandbox_app.container.get(reference_source).current(), walk(etree.fromstring(xml)))


@contextmanager
def statements(sandbox_app: SandboxApp) -> Iterator[list[tuple[str, int]]]:
    """Record every SELECT of the pool's connections with its thread."""
    made: list[tuple[str, int]] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT"):
            made.append((statement, threading.get_ident()))

    engine = sandbox_app.container.get(opened_database).engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield made
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_with_related_queries_each_source_once_with_distinct_folios(sandbox_app: SandboxApp) -> None:
    here, there, nowhere = folios(3)
    stamped, filed = Documents({here: "I"}), Documents({there: "P"})

    reference_data = reference_data_with_related(
        KnownDocuments(stamped, filed), document_related_to(here, there, nowhere, here), sandbox_app
    )

    assert reference_data.related == InMemoryRelatedDocuments({here: "I", there: "P"})
    assert stamped.questions == [[here, there, nowhere]]
    assert filed.questions == [[there, nowhere]]


def test_with_related_queries_no_source_without_relations(sandbox_app: SandboxApp) -> None:
    stamped = Documents({})
    reference_data = sandbox_app.container.get(reference_source).current()

    assert (
        KnownDocuments(stamped, stamped).with_related(
            reference_data, walk(etree.fromstring(examples.ingreso().encode()))
        )
        is reference_data
    )
    assert not stamped.questions


def test_with_related_reads_nothing_beyond_limit(sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_documents, "MOST_RELATED", 2)
    stamped = Documents({})

    reference_data = reference_data_with_related(
        KnownDocuments(stamped, None), document_related_to(*folios(3)), sandbox_app
    )

    assert not stamped.questions
    assert reference_data.related_missing == TOO_MANY


def test_validation_reports_too_many_related_documents_as_not_evaluated(
    sandbox_app: SandboxApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_documents, "MOST_RELATED", 2)

    report = asyncio.run(
        sandbox_app.container.get(validation_services).validation.validate(document_related_to(*folios(3)), False)
    )

    (rule,) = [rule for rule in report.not_evaluated if "CFDI relacionados" in rule.missing]
    assert rule.code
    assert TOO_MANY in rule.missing


@pytest.mark.parametrize("count", [1, 3 * KEYS_PER_STATEMENT])
def test_validation_reads_related_documents_in_bounded_statements_off_the_loop(
    sandbox_app: SandboxApp, count: int
) -> None:
    xml = document_related_to(*folios(count))
    asyncio.run(sandbox_app.container.get(validation_services).validation.validate(document_related_to(), False))

    with statements(sandbox_app) as made:
        asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, False))

    assert len(made) == 2 * -(-count // KEYS_PER_STATEMENT)
    assert threading.get_ident() not in {thread for _, thread in made}


@pytest.mark.parametrize("operation", ["issue", "validate"])
def test_related_documents_are_read_in_the_given_threads(sandbox_app: SandboxApp, operation: str) -> None:
    sandbox_app.store(sandbox_app.mint())
    container, xml = sandbox_app.container, document_related_to(*folios(1))
    threads: list[int] = []

    async def run_in_thread(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        def recorded() -> T:
            threads.append(threading.get_ident())
            return work(*args, **kwargs)

        return await asyncio.to_thread(recorded)

    run: Coroutine[object, object, object]
    if operation == "issue":
        run = container.get(stamping_services).stamping.issue(StampRequest(sandbox_app.caller, xml, "1"), run_in_thread)
    else:
        run = container.get(validation_services).validation.validate(xml, False, "1", run_in_thread)
    with statements(sandbox_app) as made:
        asyncio.run(run)
    looked_up_in = {thread for statement, thread in made if "uuid" in statement}
    assert looked_up_in
    assert looked_up_in <= set(threads)


def test_validation_of_a_document_without_relations_reads_nothing(sandbox_app: SandboxApp) -> None:
    xml = examples.ingreso(fecha=FECHA).encode()
    asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, False))

    with statements(sandbox_app) as made:
        asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, False))

    assert not made


def test_validation_reads_the_lists_once_for_many_new_taxpayers(sandbox_app: SandboxApp) -> None:
    sandbox_app.container.get(reference_source).current()
    rfcs = [
        f"AAA{day:02d}{month:02d}{year:02d}AA1" for day in range(10, 20) for month in (1, 2) for year in (10, 11, 12)
    ]
    parts = examples.ingreso(fecha=FECHA, concepts=len(rfcs)).split("</cfdi:Concepto>")
    third = (
        '<cfdi:ACuentaTerceros RfcACuentaTerceros="{}" NombreACuentaTerceros="X" RegimenFiscalACuentaTerceros="601"'
        ' DomicilioFiscalACuentaTerceros="01000"/></cfdi:Concepto>'
    )
    concepts = "".join(part + third.format(rfc) for part, rfc in zip(parts, rfcs, strict=False))

    with statements(sandbox_app) as made:
        report = asyncio.run(
            sandbox_app.container.get(validation_services).validation.validate((concepts + parts[-1]).encode(), False)
        )

    assert any(entry.found in rfcs for entry in report.entries)
    # The taxpayers are read in pieces of 32, 16, 8 and the rest, so that few statements stay prepared.
    assert len(made) == 4 + 2


def test_stamping_finds_a_related_stamp_and_rejects_its_type(sandbox_app: SandboxApp) -> None:
    sandbox_app.store(sandbox_app.mint())
    first = sandbox_app.issue(examples.ingreso(fecha=FECHA).encode())

    assert sandbox_app.issue(document_related_to(first.uuid)).uuid
    assert not [row for row in _not_evaluated(sandbox_app, document_related_to(first.uuid)) if row.startswith(NOTES)]
    assert [row for row in _not_evaluated(sandbox_app, document_related_to(*folios(1))) if row.startswith("CFDI40999")]


def _not_evaluated(sandbox_app: SandboxApp, xml: bytes) -> list[str]:
    report = asyncio.run(sandbox_app.container.get(validation_services).validation.validate(xml, False))
    return [rule.code for rule in report.not_evaluated]


def test_reference_data_has_no_related_documents_by_default(sandbox_app: SandboxApp) -> None:
    reference_data = sandbox_app.container.get(reference_source).current()

    assert reference_data.related == InMemoryRelatedDocuments()
    assert replace(reference_data, related_missing=TOO_MANY).related_missing == TOO_MANY
    assert str(MOST_RELATED // 1000) in TOO_MANY

"""Small documents that are costly: child processes get them, and the event loop describes few faults of any other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from lxml import etree
from tests.support.effort import rounds
from tests.support.sandbox_app import SandboxApp
from tools.document_shapes import KINDS, sample

from timbra.cfdi.structure import StructureFault, check
from timbra.cfdi.structure.error_messages import fault_of
from timbra.cfdi.structure.errors import SchemaError
from timbra.cfdi.structure.paths import ElementPaths
from timbra.core.errors import ServiceError
from timbra.core.metrics import DOCUMENTS_OFFLOADED
from timbra.evaluation.build import document_processes, started_document_processes
from timbra.evaluation.processes import DocumentProcesses
from timbra.examples import ingreso
from timbra.sat.ports import stamping_provider
from timbra.snapshot.opening import opened_snapshot
from timbra.stamping.build import stamping_services
from timbra.stamping.models import StampRequest
from timbra.stamping.stamping import StampingService
from timbra.stamps.build import database_stamps
from timbra.stamps.group_commit import GroupCommit
from timbra.validation.build import validation_services
from timbra.validation.models import ValidationReport
from timbra.validation.validation import ValidationService

NODES = 600
"""Nodes of a costly document here; a server's are more."""
MAX_BYTES = 256 * 1024


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("costly") / "data", large_document_nodes=NODES)
    made.container.bindings[document_processes] = started_document_processes
    yield made
    made.container.close()


def described(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the paths of the faults that this process describes."""
    found: list[str] = []

    def describe(error: SchemaError, element: etree._Element, paths: ElementPaths) -> StructureFault:
        fault = fault_of(error, element, paths)
        found.append(fault.path)
        return fault

    monkeypatch.setattr(check, "fault_of", describe)
    return found


def moved(app: SandboxApp) -> dict[str, float]:
    counts = app.container.metrics.counts
    return {labels[0]: count for (name, labels), count in counts.items() if name == DOCUMENTS_OFFLOADED.name}


def report_of(service: ValidationService, xml: bytes) -> ValidationReport | str:
    try:
        return asyncio.run(service.validate(xml, False))
    except ServiceError as error:
        return str(error)


def in_process(app: SandboxApp) -> ValidationService:
    """Return the use case without child processes."""
    container = app.container
    status = container.get(validation_services).status_service
    return ValidationService(container.get(stamping_services).checks, status, None, 5)


def many_faults(count: int) -> bytes:
    """Return an invoice with so many attributes that no schema has, in few elements."""
    text = ingreso(concepts=count)
    unknown = " ".join(f'a{number}="1"' for number in range(20))
    return text.replace("<cfdi:Concepto ", f"<cfdi:Concepto {unknown} ").encode()


def test_faults_move_a_document_before_they_are_described(app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    xml, faults = many_faults(30), described(monkeypatch)
    before = moved(app)
    report = report_of(app.container.get(validation_services).validation, xml)
    assert faults == []
    assert moved(app) == before | {"faults": before.get("faults", 0) + 1}
    assert isinstance(report, ValidationReport)
    here = in_process(app)
    assert report == report_of(here, xml)
    assert len(faults) > 600


def test_few_faults_stay_in_the_process(app: SandboxApp, monkeypatch: pytest.MonkeyPatch) -> None:
    before, faults = moved(app), described(monkeypatch)
    assert isinstance(report_of(app.container.get(validation_services).validation, many_faults(1)), ValidationReport)
    assert moved(app) == before
    assert 20 <= len(faults) <= NODES


def test_shapes_are_described_in_bounds_and_reported_as_without_children(
    app: SandboxApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = in_process(app)
    for shape in sample(app.container.get(opened_snapshot), rounds(1, 10) * len(KINDS), 3):
        for count in (NODES // 8, 2 * NODES):
            xml = shape.document(count)
            assert len(xml) < MAX_BYTES
            with monkeypatch.context() as patched:
                faults = described(patched)
                report = report_of(app.container.get(validation_services).validation, xml)
                assert len(faults) <= NODES, shape.name
            assert report == report_of(here, xml), shape.name
    assert moved(app)["nodes"] >= len(KINDS) - 2


def test_stamping_moves_a_document_and_rejects_it_as_without_children(
    app: SandboxApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    credential = app.mint()
    app.store(credential)
    xml = app.sealed(many_faults(30).decode(), credential)
    faults = described(monkeypatch)
    rejection = app.rejection(xml)
    assert (rejection.code, faults) == ("301", [])
    container = app.container
    checks, provider = container.get(stamping_services).checks, container.get(stamping_provider)()
    here = StampingService(checks, lambda: provider, GroupCommit(container.get(database_stamps)), "sandbox")
    with pytest.raises(ServiceError) as caught:
        asyncio.run(here.stamp(StampRequest(app.caller, xml, "r")))
    assert str(caught.value) == str(rejection)


def test_account_has_one_process_less_than_all(app: SandboxApp) -> None:
    processes: DocumentProcesses | None = app.container.get(document_processes)
    assert processes is not None
    assert processes._threads._queue._limits.per_account == app.container.settings.document_processes - 1

"""The validator page of a large document: bounded size, and work in proportion to the document."""

from __future__ import annotations

import asyncio
import sys
from types import FrameType
from typing import Any

import pytest
from tests.support.browser import Visitor
from tests.support.effort import rounds
from tests.support.sandbox_app import FECHA, SandboxApp

from timbra import examples
from timbra.app.portal_factory import template_loaders
from timbra.cfdi.qr import SAT_PAGES
from timbra.evaluation.build import document_processes, started_document_processes
from timbra.evaluation.processes import DocumentProcesses
from timbra.pools import AccountPools, Pools
from timbra.rendering.html import environment
from timbra.validation import view as validation
from timbra.validation.build import validation_services
from timbra.validation.view import ValidationView

MAX_FINDINGS = 500
MAX_SECTIONS = 60

SIZES = rounds(200, 400), rounds(400, 800), rounds(800, 1_600)
ROUNDING = 5_000

MAX_BYTES = 500_000


@pytest.fixture(scope="module")
def sandbox_app(module_sandbox_app: SandboxApp) -> SandboxApp:
    return module_sandbox_app


def same_name(count: int) -> str:
    return '<x:A xmlns:x="urn:x" c="1"/>' * count


def own_names(count: int) -> str:
    return "".join(f'<x:A{number} xmlns:x="urn:x" c="1"/>' for number in range(count))


def own_versions(count: int) -> str:
    return "".join(f'<x:A xmlns:x="urn:x" version="{number}"/>' for number in range(count))


def nested(count: int) -> str:
    return f'<x:A xmlns:x="urn:x">{"<x:B/>" * count}</x:A>'


def wrong_stamps(count: int) -> str:
    return '<t:TimbreFiscalDigital xmlns:t="http://www.sat.gob.mx/TimbreFiscalDigital"/>' * count


SHAPES = [same_name, own_names, own_versions, nested, wrong_stamps]


def document(inside: str) -> bytes:
    end = f"<cfdi:Complemento>{inside}</cfdi:Complemento></cfdi:Comprobante>"
    return examples.ingreso(fecha=FECHA).replace("</cfdi:Comprobante>", end).encode()


def examined(sandbox_app: SandboxApp, xml: bytes, processes: DocumentProcesses | None = None) -> ValidationView:
    templates, container = environment(*template_loaders()), sandbox_app.container
    return asyncio.run(
        validation.examine(
            container.get(validation_services),
            templates,
            1,
            "a.xml",
            xml,
            require_stamp=False,
            pages=SAT_PAGES,
            with_status=False,
            pools=AccountPools(Pools(), "1"),
            processes=processes,
        )
    )


def steps(sandbox_app: SandboxApp, xml: bytes) -> int:
    """Count the lines of Python that run while the document is examined."""
    count = 0

    def trace(_frame: FrameType, happened: str, _argument: Any) -> Any:
        nonlocal count
        count += happened == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        examined(sandbox_app, xml)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_examine_takes_steps_in_proportion_to_the_document(sandbox_app: SandboxApp, shape: Any) -> None:
    examined(sandbox_app, document(shape(SIZES[0])))

    small, middle, large = (steps(sandbox_app, document(shape(count))) for count in SIZES)

    assert large - middle < 2.2 * (middle - small) + ROUNDING


@pytest.mark.parametrize("shape", SHAPES)
def test_page_of_a_large_document_is_bounded(visitor: Visitor, shape: Any) -> None:
    visitor.get("/validador")
    answer = visitor.post("/validador", {}, files=[("xml", ("large.xml", document(shape(3_000))))])

    assert answer.status_code == 200
    assert len(answer.content) < MAX_BYTES


def test_page_counts_what_it_hides(visitor: Visitor) -> None:
    visitor.get("/validador")
    visitor.post("/validador", {}, files=[("xml", ("large.xml", document(own_names(3_000))))])

    assert "secciones más" in visitor.text
    assert "complementos más, que están en el XML" in visitor.text
    assert "elementos más" in visitor.text


def test_sections_with_errors_are_shown_before_others(sandbox_app: SandboxApp) -> None:
    examination = examined(sandbox_app, document(own_names(3_000) + wrong_stamps(1)))

    assert len(examination.sections) == MAX_SECTIONS
    assert sum(len(section.findings) for section in examination.sections) <= MAX_FINDINGS
    assert examination.sections[-1].has_errors
    assert examination.hidden_sections == len(examination.report.sections if examination.report else ()) - MAX_SECTIONS


def test_page_bounds_related_documents(visitor: Visitor) -> None:
    node = '<cfdi:CfdiRelacionado UUID="6F1AD3A4-1D9C-4C6E-9C35-0A43A8F0F001"/>' * 30
    nodes = f'<cfdi:CfdiRelacionados TipoRelacion="01">{node}</cfdi:CfdiRelacionados>' * 120
    xml = examples.ingreso(fecha=FECHA).replace("<cfdi:Emisor", f"{nodes}<cfdi:Emisor", 1).encode()

    visitor.get("/validador")
    visitor.post("/validador", {}, files=[("xml", ("large.xml", xml))])

    assert "20 nodos de CFDI relacionados más" in visitor.text
    assert visitor.page is not None
    relations = "".join(node.text_content() for node in visitor.page.find_class("relation"))
    assert relations.count("6F1AD3A4-1D9C") == 500


def test_examine_presents_a_large_document_in_a_child_process(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = SandboxApp(tmp_path_factory.mktemp("large") / "data", large_document_bytes=1)
    xml = examples.ingreso({"Receptor/@UsoCFDI": "ZZZ"}, fecha=FECHA).encode()
    try:
        here = examined(app, xml)
        app.container.parts[document_processes] = started_document_processes(app.container)
        monkeypatch.setattr(validation, "_present", None)
        there = examined(app, xml, app.container.get(document_processes))
    finally:
        app.container.close()
    assert there.invoice is not None
    assert "ZZZ" in there.invoice
    assert (there.invoice, there.source, there.rejection) == (here.invoice, here.source, None)

"""A real server answers while an anonymous visitor validates a document with relations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

from httpx2 import Client
from lxml.html import document_fromstring
from tests.resilience.gated_lookup import ENTERED, RELEASED, VARIABLE
from tests.support.server import invoice, running, seed
from tests.support.waiting import wait_until

MOST_RELATED = 20_000

PROBES = 3
TIMEOUT_SECONDS = 60


def related_document(data: Path) -> bytes:
    children = b"".join(b'<cfdi:CfdiRelacionado UUID="%s"/>' % str(uuid4()).encode() for _ in range(MOST_RELATED))
    node = b'<cfdi:CfdiRelacionados TipoRelacion="01">%s</cfdi:CfdiRelacionados>' % children
    return invoice(data).replace(b"<cfdi:Emisor", node + b"<cfdi:Emisor", 1)


def validate(address: str, document: bytes) -> int:
    """Post the document to the validator page like its form, and return the status of the response."""
    with Client(base_url=address, timeout=TIMEOUT_SECONDS) as visitor:
        page = document_fromstring(visitor.get("/validador").text)
        form = page.find(".//form[@enctype]")
        assert form is not None
        return visitor.post(form.get("action", ""), files={"xml": ("relations.xml", document)}).status_code


def test_server_answers_live_probes_while_relations_are_looked_up(tmp_path: Path) -> None:
    data, gate = tmp_path / "data", tmp_path / "gate"
    gate.mkdir()
    seed(data)
    document = related_document(data)
    # The lookup that waits is the server's own, not that of a child process.
    limits = {"TIMBRA_LARGE_DOCUMENT_BYTES": str(len(document) + 1), "TIMBRA_LARGE_DOCUMENT_NODES": str(len(document))}
    environment = {VARIABLE: str(gate), **limits}
    with (
        running(data, program="tests.resilience.gated_lookup", environment=environment) as server,
        Client(base_url=server.address, timeout=TIMEOUT_SECONDS) as probe,
        ThreadPoolExecutor(1) as pool,
    ):
        validated = pool.submit(validate, server.address, document)
        try:
            wait_until((gate / ENTERED).exists)
            assert [probe.get("/health/live").status_code for _ in range(PROBES)] == [200] * PROBES
            assert not validated.done()
        finally:
            (gate / RELEASED).touch()
        assert validated.result() == 200

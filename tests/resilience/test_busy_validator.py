"""A real server answers while an anonymous visitor validates a document with many relations."""

from __future__ import annotations

import threading
from pathlib import Path
from uuid import uuid4

from httpx2 import Client
from lxml.html import document_fromstring
from tests.support.server import invoice, running, seed

RELATIONS = 20_000
FEWEST_ANSWERS = 3


def related_document(data: Path) -> bytes:
    children = b"".join(b'<cfdi:CfdiRelacionado UUID="%s"/>' % str(uuid4()).encode() for _ in range(RELATIONS))
    node = b'<cfdi:CfdiRelacionados TipoRelacion="01">%s</cfdi:CfdiRelacionados>' % children
    return invoice(data).replace(b"<cfdi:Emisor", node + b"<cfdi:Emisor", 1)


def validate(address: str, document: bytes, ended: threading.Event, answers: list[int]) -> None:
    """Post the document to the validator page like its form."""
    try:
        with Client(base_url=address, timeout=120) as visitor:
            page = document_fromstring(visitor.get("/validador").text)
            form = page.find(".//form[@enctype]")
            assert form is not None
            answer = visitor.post(form.get("action", ""), files={"xml": ("relations.xml", document)})
            answers.append(answer.status_code)
    finally:
        ended.set()


def test_server_answers_live_probes_while_relations_are_looked_up(tmp_path: Path) -> None:
    seed(tmp_path)
    document = related_document(tmp_path)
    ended = threading.Event()
    validated: list[int] = []
    with running(tmp_path) as server, Client(base_url=server.address, timeout=120) as probe:
        visitor = threading.Thread(target=validate, args=(server.address, document, ended, validated))
        visitor.start()
        alive = 0
        while not ended.is_set():
            alive += probe.get("/health/live").status_code == 200
        visitor.join()

    assert validated == [200]
    assert alive >= FEWEST_ANSWERS

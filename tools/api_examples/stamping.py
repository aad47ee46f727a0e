"""Calls of the operations that stamp documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from lxml import etree
from tests.support.json_documents import as_json

from timbra import examples
from timbra.app.openapi.document import operation_id
from timbra.app.operation_table import OPERATIONS
from timbra.web.framework.operation import Operation
from timbra.web.framework.router import placeholders
from tools.api_examples.calls import FORM, JSON, Call

JSON_CFDI = "application/jsontoxml"
FECHA = "2026-11-20T11:00:00"
"""Date from which the periods of example documents are derived; the calls have `{{fecha}}` in its place."""
INVOICE = examples.ingreso({"@Folio": "{{folio}}"}, fecha="{{fecha}}")
RETENCION = examples.retencion({"@FolioInt": "{{folio}}"}, fecha=FECHA).replace(FECHA, "{{fecha}}")
WRONG_TOTAL = INVOICE.replace('Total="232.00"', 'Total="233.00"', 1)
HEADERS = {"customid": "pedido-{{folio}}", "email": "cliente@example.com", "extra": "pdf", "pdf": "true"}
VERSIONS = ("v1", "v2", "v3", "v4")


def calls() -> Iterator[Call]:
    """Yield the calls of every path of the operations, in the order of the OpenAPI document."""
    for operation in OPERATIONS:
        if operation.tag == "stamping":
            for number, path in enumerate(operation.paths):
                yield from _calls(operation, operation_id(operation, number), path, is_first=number == 0)


def _calls(operation: Operation, identifier: str, path: str, *, is_first: bool) -> Iterator[Call]:
    is_base64 = "{format}" in path
    issues = operation.name.startswith("issue")
    choices = [name for name in placeholders(path) if len(operation.choices[name]) > 1]

    def call(name: str, body: Any, version: str, way: str, media_type: str = FORM, status: int | None = None) -> Call:
        values = {"operation": way, "version": version}
        headers = {each.name: HEADERS[each.name] for each in operation.parameters if each.place == "header"}
        values = {name: values[name] for name in choices}
        return Call(identifier, name, values, headers=headers, body=body, media_type=media_type, status=status)

    if operation.name == "stamp-zip":
        yield call("success", {"xml": "{{largeZip}}" if is_first else "{{otherLargeZip}}"}, "v4", "stamp")
    elif "json" in operation.name:
        is_cfdi = operation.name.startswith("issue-json")
        text, encoded = (INVOICE, "invoice") if is_cfdi else (RETENCION, "retencion")
        yield call("success", as_json(etree.fromstring(text.encode())), "v4", "issue", JSON_CFDI)
        data = f"{{{{{encoded}XmlB64}}}}" if is_base64 else text
        yield call("xml-in-json", {"data": data}, "v4", "issue", JSON)
    elif "retencion" in operation.name:
        plain, base64 = (
            (RETENCION, "{{retencionXmlB64}}") if issues else ("{{sealedRetencion}}", "{{sealedRetencionB64}}")
        )
        yield call("success", {"xml": base64 if is_base64 else plain}, "v4", "issue" if issues else "stamp")
    else:
        yield call("success", {"xml": "{{invoiceXmlB64}}" if is_base64 else INVOICE}, "v4", "issue")
        yield call("stamp", {"xml": "{{sealedXmlB64}}" if is_base64 else "{{sealedXml}}"}, "v4", "stamp")
    if identifier == "stamp-document":
        yield from (call(version, {"xml": INVOICE}, version, "issue") for version in VERSIONS[:3])
        yield call("total", {"xml": WRONG_TOTAL}, "v4", "issue", status=400)
        yield call("previous-stamp", {"xml": "{{stampedXml}}"}, "v4", "stamp", status=400)
        yield replace(call("dry-run", {"xml": INVOICE}, "v4", "issue"), query={"dry_run": "true"})

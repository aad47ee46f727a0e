"""The Postman collection: its form, and every request of it sent to a sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.asgi import application
from tests.support.postman import items, script_lines, send
from tools.api_examples.calls import variables_in
from tools.api_examples.collection import FILES, SCHEMA, chosen, operations_by_id
from tools.api_examples.recorder import PATHS
from tools.api_examples.sandbox import example_sandbox
from tools.api_examples.scenario import LARGE, SCENARIO
from tools.make_openapi import COLLECTION, DOCS

from timbra.app.openapi.document import build_document
from timbra.app.operation_table import OPERATIONS

CONTENT: dict[str, Any] = json.loads((DOCS / COLLECTION).read_text("utf-8"))
DESCRIBED = operations_by_id(build_document(OPERATIONS))
NAMES = [one.operation_id for one in chosen(SCENARIO)]
"""`operationId` of each request, in their order."""
assert len(list(items(CONTENT))) == len(NAMES), "run make docs"


def test_collection_has_every_operation() -> None:
    assert set(NAMES) == set(PATHS)


def test_collection_declares_every_variable() -> None:
    declared = [one["key"] for one in CONTENT["variable"]]
    assert len(declared) == len(set(declared))
    assert variables_in([item["request"] for item in items(CONTENT)]) <= set(declared)


def test_collection_has_the_form_of_version_2_1() -> None:
    """The required members of the published JSON schema of Postman, whose package is not installed here."""
    assert CONTENT["info"] == {**CONTENT["info"], "schema": SCHEMA, "name": "Timbra"}
    assert CONTENT["auth"]["bearer"] == [{"key": "token", "value": "{{token}}", "type": "string"}]
    for folder in CONTENT["item"]:
        assert set(folder) == {"name", "item"}
        for item in folder["item"]:
            request = item["request"]
            assert set(item) == {"name", "event", "request", "response"}
            assert request["url"]["raw"].partition("?")[0] == "{{url}}/" + "/".join(request["url"]["path"])
            assert request["method"] in ("GET", "POST", "PUT", "PATCH", "DELETE")
            assert all(set(header) == {"key", "value"} for header in request["header"])
            assert all(set(response) == {"name", "code", "header", "body"} for response in item["response"])
            _check_body(request.get("body"))


def _check_body(body: Any) -> None:
    if body is None:
        return
    assert set(body) - {"options"} == {"mode", body["mode"]}
    if body["mode"] == "formdata":
        assert all(set(field) in ({"key", "type", "value"}, {"key", "type", "src"}) for field in body["formdata"])
    elif body["mode"] == "file":
        assert body["file"]["src"] in FILES.values()
    else:
        assert isinstance(body["raw"], str)


def test_every_request_gets_the_status_of_its_test_script(tmp_path: Path) -> None:
    with example_sandbox(tmp_path / "data", large=False) as sandbox:
        app = application(sandbox.container)
        sandbox.variables.values["url"] = "http://localhost:8080"
        for name, item in zip(NAMES, items(CONTENT), strict=True):
            if name not in LARGE:
                sent = send(app, item, sandbox.variables)
                assert sent.answer.status == sent.expected, f"{name}: {sent.answer.body[:500]!r}"
                if name == "sandbox-state":
                    sandbox.variables.values["stateFile"] = sent.answer.body
                sandbox.run_jobs(PATHS[name][0].tag)


def test_scripts_expect_a_documented_status() -> None:
    for name, item in zip(NAMES, items(CONTENT), strict=True):
        [line] = [line for line in script_lines(item) if line.startswith("pm.test(")]
        operation = DESCRIBED[name]
        assert any(f"have.status({status})" in line for status in operation["responses"]), name

"""The generated files agree with the table of operations and the messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.support.asgi import call
from tests.support.fake_services import FakeServices
from tools.make_openapi import pages

from timbra.app.openapi.document import build_document
from timbra.app.operation_table import OPERATIONS
from timbra.web.framework.router import Router, expand_path, fill_single_choices, placeholders

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", pages())
def test_generated_files_are_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == pages()[name], "run make docs"


def test_document_describes_every_operation() -> None:
    router = Router(OPERATIONS)
    paths = build_document(OPERATIONS)["paths"]
    for operation in OPERATIONS:
        for path in operation.paths:
            pattern = fill_single_choices(path, operation.choices)
            described = paths[pattern][operation.method.lower()]
            named = {parameter["name"] for parameter in described.get("parameters", ()) if parameter["in"] == "path"}
            assert named == set(placeholders(pattern))
            if all(name in operation.choices for name in placeholders(path)):
                for closed, parameters in expand_path(path, operation.choices):
                    assert router.find(operation.method, closed) == (operation, parameters)
            else:
                filled = path.format(**dict.fromkeys(placeholders(path), "Xy"))
                found = router.find(operation.method, filled)
                assert found is not None
                assert found[0] is operation


def test_operation_ids_are_unique() -> None:
    ids = [
        operation["operationId"] for path in build_document(OPERATIONS)["paths"].values() for operation in path.values()
    ]
    assert len(ids) == len(set(ids))


def test_operation_ids_say_how_paths_differ() -> None:
    ids = {
        path: operation["operationId"]
        for path, item in build_document(OPERATIONS)["paths"].items()
        for operation in item.values()
    }
    assert [each for each in ids.values() if re.search(r"-\d+$", each)] == []
    assert ids["/v3/cfdi33/{operation}/{version}/b64"] == "stamp-document-v3-b64"
    assert ids["/security/authenticate"] == "authenticate-without-v2"


def test_document_has_no_property_that_generators_of_clients_reject() -> None:
    """They have no type that is null alone, and give the constructor of `User` the name `NewUser`."""
    schemas = build_document(OPERATIONS)["components"]["schemas"]
    properties = [
        (name, member, found)
        for name, schema in schemas.items()
        for member, found in schema.get("properties", {}).items()
    ]
    assert [(name, member) for name, member, found in properties if found.get("type") == "null"] == []
    assert [name for name in schemas if name.removeprefix("New") in {*schemas} - {name}] == []
    assert {"Error", "Exception", "Response", "Request"}.isdisjoint(schemas)


def test_document_describes_every_tag_and_its_servers() -> None:
    document = build_document(OPERATIONS)
    assert {tag["name"] for tag in document["tags"]} == {operation.tag for operation in OPERATIONS}
    assert all(tag["description"] for tag in document["tags"])
    assert [server["url"] for server in document["servers"]] == ["/", "{address}"]


def test_document_references_exactly_its_schemas() -> None:
    text = json.dumps(build_document(OPERATIONS))
    names = {piece.split('"')[0] for piece in text.split("#/components/schemas/")[1:]}
    assert names <= set(build_document(OPERATIONS)["components"]["schemas"])
    assert set(build_document(OPERATIONS)["components"]["schemas"]) == names


def test_openapi_json_is_served() -> None:
    answer = call(FakeServices().app(), "GET", "/openapi.json")
    assert (answer.status, answer.json) == (200, build_document(OPERATIONS))


def test_parameters_are_unique_and_those_of_paths_are_required() -> None:
    for path, methods in build_document(OPERATIONS)["paths"].items():
        for method, operation in methods.items():
            parameters = [(each["in"], each["name"]) for each in operation.get("parameters", ())]
            assert len(parameters) == len(set(parameters)), f"{method} {path}"
            assert all(each["required"] for each in operation.get("parameters", ()) if each["in"] == "path"), path

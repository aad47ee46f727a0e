"""The examples of the OpenAPI document: complete, valid, and of the shape that the application answers with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator
from tests.support.answer_schemas import differences
from tools.api_examples.collection import operations_by_id
from tools.api_examples.document import WITHOUT_SUCCESS, examples_by_tag
from tools.api_examples.recorder import record
from tools.api_examples.sandbox import example_sandbox
from tools.api_examples.scenario import LARGE, SCENARIO
from tools.make_api_examples import FOLDER

from timbra.app.openapi.document import SCHEMAS, OperationExamples, build_document, load_examples
from timbra.app.operation_table import OPERATIONS

MAX_BYTES = 500_000
DESCRIBED = operations_by_id(build_document(OPERATIONS))
FORMS = "multipart/form-data"


def contents(operation_id: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield status, media type and content of each answer of an operation."""
    for status, response in DESCRIBED[operation_id]["responses"].items():
        for media_type, content in response.get("content", {}).items():
            yield status, media_type, content


def test_operations_have_an_example_of_every_parameter_body_and_success() -> None:
    for operation_id in DESCRIBED:
        operation = DESCRIBED[operation_id]
        bodies = operation.get("requestBody", {}).get("content", {})
        missing = [parameter["name"] for parameter in operation.get("parameters", ()) if "example" not in parameter]
        missing += [media_type for media_type, content in bodies.items() if not content.get("examples")]
        if operation_id not in WITHOUT_SUCCESS:
            missing += [
                f"{status} {media_type}"
                for status, media_type, content in contents(operation_id)
                if status.startswith("2") and not content.get("examples")
            ]
        assert not missing, f"{operation_id}: run make docs"


def test_operations_have_an_example_of_every_error_of_their_own() -> None:
    for operation in OPERATIONS:
        own = {*operation.error_answers, *operation.failures}
        if operation.name == "relations-xml":
            own = set()  # the answer is that of the other operations of the service
        shown = {status for status, _, content in contents(operation.name) if content.get("examples")}
        assert own <= shown, operation.name


def test_examples_of_answers_match_their_schema() -> None:
    for operation_id in DESCRIBED:
        for status, media_type, content in contents(operation_id):
            if media_type == "application/json":
                for name, example in content.get("examples", {}).items():
                    alternatives = content["schema"].get("anyOf", [content["schema"]])
                    if operation_id == "reconciliations-report":  # a file, whose schema is that of any content
                        assert alternatives == [{"type": "string", "format": "binary"}]
                        continue
                    names = [schema["$ref"].rpartition("/")[2] for schema in alternatives]
                    problems = [differences(example["value"], SCHEMAS[one], one) for one in names]
                    assert not all(problems), f"{operation_id} {status} {name}: {problems}"


def test_examples_of_successful_requests_match_their_schema() -> None:
    """Requests that were rejected may differ from the schema; the name of their example is the reason."""
    for operation_id in DESCRIBED:
        rejected = {one.name for one in SCENARIO if one.operation_id == operation_id and one.status}
        for media_type, content in DESCRIBED[operation_id].get("requestBody", {}).get("content", {}).items():
            validator = Draft202012Validator({**content["schema"], "components": {"schemas": SCHEMAS}})
            for name, example in content["examples"].items():
                if name not in rejected:
                    value = example["value"] if media_type != FORMS else _typed(example["value"])
                    problems = [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(value)]
                    assert not problems, f"{operation_id} {media_type} {name}: {problems}"


def _typed(fields: dict[str, str]) -> dict[str, object]:
    """The fields of a form with the types of the schema: a form has texts only."""
    return {name: {"true": True, "false": False}.get(value, value) for name, value in fields.items()}


def test_data_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.json")) < MAX_BYTES


def test_recorded_calls_have_the_shape_of_the_examples(tmp_path: Path) -> None:
    """Run `make docs` when an answer has other members or types than its example."""
    calls = [one for one in SCENARIO if one.operation_id not in LARGE]
    with example_sandbox(tmp_path / "data", large=False) as sandbox:
        tags = examples_by_tag(record(sandbox, calls))
    answered = {name: OperationExamples(**found) for found in tags.values() for name, found in found.items()}
    recorded = {name: found for name, found in load_examples().items() if name not in LARGE}
    assert answered.keys() == recorded.keys(), "run make docs"
    for operation_id, found in answered.items():
        kept = recorded[operation_id]
        assert found.parameters.keys() == kept.parameters.keys(), f"run make docs: {operation_id}"
        for now, before in ((found.requests, kept.requests), (found.responses, kept.responses)):
            assert shape(now) == shape(before), f"run make docs: {operation_id}"


def shape(value: Any) -> Any:
    """Return the names of members and the types of values; texts that are keys of data, such as UUID, count as one."""
    if isinstance(value, dict):
        return {name if len(name) < 36 else "…": shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return type(value).__name__

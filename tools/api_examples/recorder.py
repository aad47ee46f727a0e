"""Recording of the scenario: every call is sent to the application in process, and its answer is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from starlette.types import ASGIApp, Receive, Scope, Send
from tests.support.asgi import Answer, application, call

from timbra.app.openapi.document import operation_id
from timbra.app.operation_table import OPERATIONS
from timbra.web.framework.router import REST, fill_single_choices, placeholders
from tools.api_examples.calls import Call, Variables, encode_body
from tools.api_examples.sandbox import ExampleSandbox

CLIENT = ("127.0.0.1", 40000)
HOST = "localhost:8080"
PATHS = {
    operation_id(operation, number): (operation, fill_single_choices(path, operation.choices))
    for operation in OPERATIONS
    for number, path in enumerate(operation.paths)
}
"""Operation and path template by `operationId`."""


class UnexpectedStatusError(Exception):
    """An answer has another status than the call expects."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A call with its values, and the answer.

    Attributes:
        call: The call, without variables.
        answer: The answer of the application.
    """

    call: Call
    answer: Answer


def record(sandbox: ExampleSandbox, calls: Iterable[Call]) -> list[Recording]:
    """Send calls in their order.

    Raises:
        UnexpectedStatusError: A call got another status than the expected one.
    """
    app = _application(sandbox)
    return [_recording(sandbox, app, one) for one in calls]


def expected_status(one: Call) -> int:
    """Return the status that a call expects."""
    operation, _ = PATHS[one.operation_id]
    return one.status or (204 if operation.answer == "nothing" else operation.success_status)


def captured(variables: Variables, captures: dict[str, str], answer: Answer) -> None:
    """Set the variables that an answer has.

    Args:
        variables: The variables.
        captures: Place by variable, see `Call.captures`; `*` is the whole body.
        answer: The answer.
    """
    for name, place in captures.items():
        variables.values[name] = answer.body if place == "*" else value_at(answer.json, place)


def value_at(content: Any, place: str) -> str:
    """Return the value at a place of JSON.

    Args:
        content: The JSON value.
        place: Names and indexes joined by dots; then, for one parameter of an address, `?` and its name.
    """
    steps, _, parameter = place.partition("?")
    for step in steps.split("."):
        content = content[int(step) if step.isdigit() else step]
    if not parameter:
        return str(content)
    [(found)] = re.findall(rf"[?&]{parameter}=([^&]+)", content)
    return str(found)


def _application(sandbox: ExampleSandbox) -> ASGIApp:
    """The application; a streamed answer learns of a client that disconnects by its writes, not by `receive`."""
    inner = application(sandbox.container)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await inner({**scope, "asgi": {"version": "3.0", "spec_version": "2.4"}}, receive, send)

    return app


def _recording(sandbox: ExampleSandbox, app: ASGIApp, one: Call) -> Recording:
    variables = sandbox.variables
    variables.start_call()
    operation, template = PATHS[one.operation_id]
    filled = Call(
        one.operation_id,
        one.name,
        variables.fill(one.path),
        variables.fill(one.query),
        variables.fill(one.headers),
        variables.fill(one.body),
        one.media_type,
        one.status,
    )
    answer = send(app, operation.method, template, filled, variables.text("token"))
    status = expected_status(one)
    if answer.status != status:
        raise UnexpectedStatusError(f"{one.operation_id} {one.name}: {answer.status} {answer.body[:600]!r}")
    captured(variables, dict(one.captures), answer)
    sandbox.run_jobs(operation.tag)
    return Recording(filled, answer)


def send(app: ASGIApp, method: str, template: str, one: Call, token: str) -> Answer:
    """Send a call without variables."""
    path = template
    for name in placeholders(template):
        path = path.replace(f"{{{name}}}", quote(one.path[name], safe="/" if name == REST else ""))
    headers = {"Host": HOST, "Authorization": f"Bearer {token}", **one.headers}
    body = b""
    if one.body is not None:
        body, headers["Content-Type"] = encode_body(one.body, one.media_type)
    return call(app, method, path, headers=headers, body=body, query=urlencode(one.query), client=CLIENT)

"""Runs the requests of a Postman collection against an application, without Postman."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.types import ASGIApp
from tests.support.asgi import Answer, call
from tools.api_examples.calls import FORM, Variables, encode_body
from tools.api_examples.collection import FILES
from tools.api_examples.recorder import captured

_STATUS = re.compile(r"pm\.response\.to\.have\.status\((\d+)\)")
_CAPTURE = re.compile(r'pm\.collectionVariables\.set\("(\w+)", (.+)\);')
_PLACE = re.compile(r"pm\.response\.json\(\)((?:\.\w+|\[\d+\])+)")
_PARAMETER = re.compile(r"\[\?&\](\w+)=")
_CLIENT = ("127.0.0.1", 40000)


@dataclass(frozen=True)
class Sent:
    """A request of the collection that was sent. expected: the status that its test script expects."""

    name: str
    expected: int
    answer: Answer


def items(collection: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the requests of all folders in their order."""
    for folder in collection["item"]:
        yield from folder["item"]


def script_lines(item: Mapping[str, Any]) -> list[str]:
    """Return the lines of the test script of a request."""
    return [line for event in item["event"] if event["listen"] == "test" for line in event["script"]["exec"]]


def send(app: ASGIApp, item: Mapping[str, Any], variables: Variables) -> Sent:
    """Send a request with the values of variables, and keep the variables that its test script sets."""
    request = item["request"]
    variables.start_call()
    address = urlsplit(str(variables.fill(request["url"]["raw"])))
    headers = {one["key"]: str(variables.fill(one["value"])) for one in request["header"]}
    if request.get("auth", {}).get("type") != "noauth":
        headers["Authorization"] = f"Bearer {variables.text('token')}"
    body = b""
    if "body" in request:
        body, media_type = encode_body(_content(request["body"], variables), _media_type(request))
        headers["Content-Type"] = media_type
    answer = call(
        app,
        request["method"],
        address.path,
        headers={"Host": address.netloc, **headers},
        body=body,
        query=quote(address.query, safe="=&%+?"),
        client=_CLIENT,
    )
    lines = script_lines(item)
    [status] = [int(found[1]) for line in lines if (found := _STATUS.search(line))]
    captured(variables, dict(_capture(found) for line in lines if (found := _CAPTURE.fullmatch(line))), answer)
    return Sent(item["name"], status, answer)


def _media_type(request: Mapping[str, Any]) -> str:
    declared = {one["key"]: one["value"] for one in request["header"]}
    return FORM if request["body"]["mode"] == "formdata" else str(declared["Content-Type"])


def _content(body: Mapping[str, Any], variables: Variables) -> Any:
    if body["mode"] == "formdata":
        return {one["key"]: variables.fill(_field(one)) for one in body["formdata"]}
    if body["mode"] == "file":
        return variables.fill(_of_file(body["file"]["src"]))
    if body.get("options", {}).get("raw", {}).get("language") == "json":
        return variables.fill(json.loads(body["raw"]))
    return variables.fill(body["raw"])


def _field(field: Mapping[str, str]) -> str:
    return _of_file(field["src"]) if field["type"] == "file" else field["value"]


def _of_file(name: str) -> str:
    """The variable with the content of a file that a user selects."""
    [variable] = [variable for variable, file in FILES.items() if file == name]
    return f"{{{{{variable}}}}}"


def _capture(found: re.Match[str]) -> tuple[str, str]:
    """The variable that a line sets, and the place of its value in the answer."""
    place, parameter = _PLACE.search(found[2]), _PARAMETER.search(found[2])
    assert place is not None, found[0]
    dotted = re.sub(r"\[(\d+)\]", r".\1", place[1]).removeprefix(".")
    return found[1], dotted + (f"?{parameter[1]}" if parameter else "")

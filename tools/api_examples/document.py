"""The recorded examples by tag and operation, in the form of the data files of `timbra.app.openapi.examples`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tools.api_examples.presentation import StableNames, present
from tools.api_examples.recorder import PATHS, Recording

WITHOUT_SUCCESS = frozenset({"cancel-uuid-without-motivo", "retencion-cancel-uuid-without-motivo"})
"""Operations that reject every request: the SAT requires the parameter that their path does not have."""

Examples = dict[str, dict[str, Any]]
"""Examples of an operation by its `operationId`: parameters, requests, responses."""


def examples_by_tag(recordings: Iterable[Recording]) -> dict[str, Examples]:
    """Return the examples of recorded calls."""
    names = StableNames()
    tags: dict[str, Examples] = {}
    for recording in recordings:
        tag = PATHS[recording.call.operation_id][0].tag
        examples = tags.setdefault(tag, {}).setdefault(
            recording.call.operation_id, {"parameters": {}, "requests": {}, "responses": {}}
        )
        _add(examples, recording, names)
    return tags


def _add(examples: dict[str, Any], recording: Recording, names: StableNames) -> None:
    one, answer = recording.call, recording.answer
    if answer.status < 300 or one.operation_id in WITHOUT_SUCCESS:
        for place, values in (("path", one.path), ("query", one.query), ("header", one.headers)):
            for name, value in present(dict(values), names).items():
                if value:
                    examples["parameters"].setdefault(f"{place} {name}", value)
    if one.body is not None:
        examples["requests"].setdefault(one.media_type, {})[one.name] = present(one.body, names)
    if answer.status != 204:
        media_type = answer.headers["content-type"].partition(";")[0]
        content = _content(recording, media_type)
        by_type = examples["responses"].setdefault(str(answer.status), {})
        by_type.setdefault(media_type, {})[one.name] = present(content, names)


def _content(recording: Recording, media_type: str) -> Any:
    """The content of an answer: JSON, text, or bytes."""
    answer = recording.answer
    if media_type == "application/json":
        content = answer.json
        if recording.call.operation_id == "openapi":
            content = {**content, "paths": {}, "components": {}}
        return content
    try:
        return answer.body.decode() if "\0" not in answer.body.decode() else answer.body
    except UnicodeDecodeError:
        return answer.body


def to_text(examples: Examples) -> str:
    """Return the content of a data file."""
    return json.dumps(examples, ensure_ascii=False, indent=1) + "\n"

"""Lines of the log."""

from __future__ import annotations

import json
from datetime import date

import structlog

from timbra.web.server.log_output import _json


def line(**values: object) -> dict[str, object]:
    return json.loads(_json(structlog.PrintLogger(), "info", values))  # type: ignore[no-any-return]


def test_line_is_json_with_every_value() -> None:
    assert line(event="answered", status=200, day=date(2026, 11, 17), code=None) == {
        "event": "answered",
        "status": 200,
        "day": "2026-11-17",
        "code": None,
    }


def test_line_replaces_a_lone_surrogate() -> None:
    assert line(event="job failed", detail="x\ud800") == {"event": "job failed", "detail": "x\ufffd"}

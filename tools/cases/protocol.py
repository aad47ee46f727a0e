"""The protocol of harnesses: one JSON line for each case on standard input, one on standard output.

A line asks `{"id": ..., "path": ..., "at": ..., "stage": ...}`. The answer is `{"id": ..., "codes": [...]}`, without
codes for a valid document, or `{"id": ..., "error": "..."}` when the program cannot evaluate the case.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

Evaluate = Callable[[bytes, str, str], list[str]]
"""Returns the codes of a document, evaluated at a fiscal instant and a stage."""


class CannotEvaluateError(Exception):
    """The program cannot tell whether the document is valid."""


def serve(evaluate: Evaluate) -> None:
    """Answer the cases of standard input until it ends."""
    for line in sys.stdin:
        case = json.loads(line)
        answer: dict[str, object] = {"id": case["id"]}
        try:
            answer["codes"] = evaluate(Path(case["path"]).read_bytes(), case["at"], case["stage"])
        except CannotEvaluateError as error:
            answer["error"] = str(error)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()

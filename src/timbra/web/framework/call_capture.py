"""Capture of an answered call for the request inspector: references only, without a copy of a small body."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from timbra.core.errors import ServiceError
from timbra.web.captured_call import CallBuffer, CapturedCall
from timbra.web.framework.request_context import RequestContext

ANSWER_LOST: Final = "answer-lost"


def capture_lost_answer(recorder: CallBuffer, request: RequestContext, seconds: float) -> None:
    """Record a call whose answer was dropped on purpose: status 0 and the code "answer-lost".

    Args:
        recorder: The buffer of the worker.
        seconds: Duration of the request.
    """
    request.error_code, request.error = ANSWER_LOST, ServiceError(ANSWER_LOST)
    capture_call(recorder, request, Response(status_code=0), seconds)


def capture_call(recorder: CallBuffer, request: RequestContext, response: Response, seconds: float) -> None:
    """Record a call whose caller is known; others belong to no account.

    Args:
        recorder: The buffer of the worker.
        response: The answer that was sent.
        seconds: Duration of the request.
    """
    caller = request.caller_or_none
    if caller is None:
        return
    scope, limit = request.scope, recorder.max_body_bytes
    received = request.received
    answered = getattr(response, "body", b"")
    recorder.record(
        CapturedCall(
            caller.account_id,
            caller.user,
            request.request_id,
            request.operation_name,
            scope["method"],
            scope["path"],
            scope["query_string"],
            scope["headers"],
            received if len(received) <= limit else received[:limit],
            len(received),
            response.status_code,
            response.raw_headers,
            answered if len(answered) <= limit else bytes(answered[:limit]),
            len(answered),
            request.error_code or "",
            request.error,
            int(seconds * 1_000_000),
        )
    )

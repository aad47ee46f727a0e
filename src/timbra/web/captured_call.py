"""An answered call, as the recorder of calls receives it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from timbra.core.errors import ServiceError

Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """An answered call, as the server handled it: with secrets.

    Attributes:
        operation: Name of the operation.
        user: The user of the token.
        query: The query string.
        request_body: The body, or its start.
        request_bytes: Size of the whole body.
        response_body: The same of the answer; empty when the answer was streamed.
        code: Error code; empty for success.
        error: The error with its location; None for success.
        microseconds: From the request's headers to the end of its answer.
    """

    account_id: int
    user: str
    request_id: str
    operation: str
    method: str
    path: str
    query: bytes
    request_headers: Headers = field(repr=False)
    request_body: bytes = field(repr=False)
    request_bytes: int
    status: int
    response_headers: Headers = field(repr=False)
    response_body: bytes = field(repr=False)
    response_bytes: int
    code: str
    error: ServiceError | None
    microseconds: int

    @property
    def size(self) -> int:
        """Bytes of its bodies in memory."""
        return len(self.request_body) + len(self.response_body)


class CallBuffer(Protocol):
    """The buffer of the recorded calls of one worker."""

    max_body_bytes: int

    def record(self, call: CapturedCall) -> None:
        """Buffer a call; it does no I/O and never waits."""

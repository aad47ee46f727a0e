"""The one error type of Timbra.

Inside, everything that a caller must be told is a `ServiceError` with a code; `timbra.messages` gives the code its
Spanish sentence and `timbra.api.errors` alone turns it into an envelope and an HTTP status.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a document a refusal found its cause. path: without prefixes; found, expected: as the report tells."""

    path: str | None = None
    found: str | None = None
    expected: str | None = None


class ServiceError(Exception):
    """A refusal that the caller is told about.

    code: a key of `timbra.messages.MESSAGES`, e.g. "301", "CFDI40147", "AU2000".
    detail: Spanish text that names the cause in this request, or None.
    data: for 307 and CFDI3307, what the answer carries; the edge decides its shape. None otherwise.
    retry_after: seconds, for refusals that pass by themselves (429, 503).
    place: where in the document the cause lies, None where it lies nowhere in it.
    """

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        data: object = None,
        retry_after: int | None = None,
        place: Place | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.data = data
        self.retry_after = retry_after
        self.place = place

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code

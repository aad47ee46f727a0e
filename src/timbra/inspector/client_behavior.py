"""What a client did wrong after an answer that it must survive, by the recorded calls of its account.

A call that stamps belongs to an operation of the client: its customid, or issuer, serie and folio of its document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Final

from timbra.cfdi.header_reader import DocumentHeader
from timbra.inspector.call_content import CallContent, document_header, header_value, read_content
from timbra.inspector.store import ApiCallStore, NumberedCall

STAMPING: Final = frozenset(
    {
        "stamp-document",
        "stamp-document-v4",
        "issue-json",
        "issue-json-v4",
        "stamp-retencion",
        "issue-retencion",
        "issue-retencion-json",
    }
)
"""The operations that stamp one document which the request has inside."""
LOST, REPEATED, EXPIRED = "answer-lost", frozenset({"307", "T307"}), "AU4000"
RETRY_AFTER: Final = "retry-after"
MAX_CALLS: Final = 200
"""Newest calls that stamp in which mistakes are searched."""
RETRY_WITHIN: Final = timedelta(seconds=60)
"""Time after which a missing repetition is a finding."""


class ClientFault(StrEnum):
    """What a client did wrong."""

    OTHER_BYTES = "other-bytes"
    IGNORED_REPEAT = "ignored-307"
    NO_RETRY = "no-retry"
    RETRIED_AT_ONCE = "retried-at-once"


@dataclass(frozen=True, slots=True)
class StampingCall:
    """A recorded call that stamps.

    Attributes:
        number: Number of the recorded call.
        started_at, answered_at: Wall instants.
        operation: What the client stamps; empty when that cannot be told.
        digest: SHA-256 of the document; None when it was not recorded whole.
        retry_after: Seconds of `Retry-After`; None without the header.
    """

    number: int
    started_at: datetime
    answered_at: datetime
    operation: str
    status: int
    code: str
    digest: bytes | None
    retry_after: float | None = None

    @property
    def must_be_repeated(self) -> bool:
        """Whether the client has no decision about its document yet."""
        return self.code in (LOST, EXPIRED) or self.status in (0, 429, 503) or self.retry_after is not None

    @property
    def may_have_stamped(self) -> bool:
        """Whether the document may be stamped although the client got no stamp."""
        return self.code == LOST or self.status in (0, 503)


@dataclass(frozen=True, slots=True)
class ClientFinding:
    """A mistake of the client.

    Attributes:
        first: Number of the call whose answer it had to survive.
        second: Number of the call that was wrong; None for one that is missing.
        seconds: Seconds that the client waited, and those that it had to wait; None for other mistakes.
    """

    fault: ClientFault
    first: int
    second: int | None = None
    seconds: tuple[float, float] | None = None


def findings_of(calls: Iterable[StampingCall], now: datetime) -> list[ClientFinding]:
    """Return the mistakes, those of the newest calls first.

    Args:
        calls: The calls of one account that stamp.
        now: Wall time.
    """
    by_operation: dict[str, list[StampingCall]] = {}
    for call in sorted(calls, key=lambda call: (call.started_at, call.number)):
        if call.operation:
            by_operation.setdefault(call.operation, []).append(call)
    found = [finding for sequence in by_operation.values() for finding in _findings(sequence, now)]
    return sorted(found, key=lambda finding: (finding.second or finding.first, finding.first), reverse=True)


def _findings(sequence: Sequence[StampingCall], now: datetime) -> Iterator[ClientFinding]:
    """Yield the mistakes of one operation, whose calls are in the order of time."""
    for call, following in zip(sequence, [*sequence[1:], None], strict=True):
        if call.code in REPEATED and following is not None:
            yield ClientFinding(ClientFault.IGNORED_REPEAT, call.number, following.number)
        if not call.must_be_repeated:
            continue
        if following is None:
            if now - call.answered_at >= RETRY_WITHIN:
                yield ClientFinding(ClientFault.NO_RETRY, call.number)
            continue
        is_known = None not in (call.digest, following.digest)
        if call.may_have_stamped and is_known and call.digest != following.digest:
            yield ClientFinding(ClientFault.OTHER_BYTES, call.number, following.number)
        waited = (following.started_at - call.answered_at).total_seconds()
        if call.retry_after is not None and waited < call.retry_after:
            seconds = round(max(waited, 0.0), 1), call.retry_after
            yield ClientFinding(ClientFault.RETRIED_AT_ONCE, call.number, following.number, seconds)


def recent_findings(store: ApiCallStore, account_id: int, now: datetime) -> list[ClientFinding]:
    """Return the mistakes in the newest calls of an account. `now`: Wall time."""
    rows = store.with_content(account_id, STAMPING, MAX_CALLS)
    calls = (stamping_call(numbered, read_content(content)) for numbered, content in rows)
    return findings_of((call for call in calls if call is not None), now)


def stamping_call(numbered: NumberedCall, content: CallContent) -> StampingCall | None:
    """Return a recorded call as one that stamps; None for another call and for a dry run."""
    call = numbered.call
    if call.operation not in STAMPING or header_value(content.response_headers, "x-timbra-dry-run"):
        return None
    wait = header_value(content.response_headers, RETRY_AFTER)
    return StampingCall(
        number=numbered.number,
        started_at=call.at - timedelta(microseconds=call.microseconds),
        answered_at=call.at,
        operation=_operation(content, document_header(content, call.path)),
        status=call.status,
        code=call.code,
        digest=_digest(content),
        retry_after=float(wait) if wait.isdigit() else None,
    )


def _operation(content: CallContent, header: DocumentHeader) -> str:
    custom_id = header_value(content.request_headers, "customid")
    if custom_id:
        return f"customid {custom_id}"
    parts = header.issuer_rfc, header.serie, header.folio
    return " ".join(parts) if header.issuer_rfc and header.folio else ""


def _digest(content: CallContent) -> bytes | None:
    """Return the digest of the document without the multipart frame, whose boundary differs in each request."""
    if content.request.is_cut or content.request.is_masked:
        return None
    document = content.request_xml or content.request.text
    return sha256(document.encode()).digest() if document else None

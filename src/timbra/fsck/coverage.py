"""What has no digest, and why: the list of the page docs/fsck.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DERIVED, CHAINED, AT_WORK = "derived", "chained", "at work"
REASONS: Final[Mapping[str, str]] = {
    DERIVED: "Every column follows from other rows, with which it is compared.",
    CHAINED: "The chain of hashes of the audit log or the transparency log has them.",
    AT_WORK: "Rows that live for moments, counters and cursors: what is impossible is named, no other value.",
}
NOT_COVERED: Final[Mapping[str, str]] = {
    "balance": DERIVED,
    "cancellation_sum": DERIVED,
    "custom_id": DERIVED,
    "document_sum": DERIVED,
    "listed_document": DERIVED,
    "sandbox_document": DERIVED,
    "sandbox_relation": DERIVED,
    "stamp_word": DERIVED,
    "usage_day": DERIVED,
    "audit_event": CHAINED,
    "audit_head": CHAINED,
    "audit_link": CHAINED,
    "audit_checkpoint": CHAINED,
    "audit_leaf": CHAINED,
    "audit_node": CHAINED,
    "api_call_dropped": AT_WORK,
    "audit_count": AT_WORK,
    "audit_pending": AT_WORK,
    "delivery_outage": AT_WORK,
    "event_consumer": AT_WORK,
    "known_origin": AT_WORK,
    "lease": AT_WORK,
    "letter": AT_WORK,
    "login_limit": AT_WORK,
    "node": AT_WORK,
    "notice": AT_WORK,
    "outbox": AT_WORK,
    "revision": AT_WORK,
    "row_digest": AT_WORK,
    "sandbox_fault": AT_WORK,
    "sign_in_link": AT_WORK,
    "stamp_word_progress": AT_WORK,
    "usage_progress": AT_WORK,
    "webhook_delivery": AT_WORK,
}

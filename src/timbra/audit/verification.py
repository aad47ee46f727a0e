"""Verification of the audit log: finds changed, deleted and inserted rows, a truncated end and forged heads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from timbra.events.audit.chain import AuditHead, AuditLink, link_hash
from timbra.transparency.keys import is_signed

FindingKind = Literal[
    "event-missing",
    "link-changed",
    "link-missing",
    "head-changed",
    "head-signature",
    "head-missing",
    "tail-missing",
    "tail-unsigned",
    "event-unchained",
    "log-empty",
    "head-file-missing",
]
MAX_UNCHAINED: Final = timedelta(minutes=10)
"""Age of an event after which it should have been chained."""


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """What is wrong.

    Attributes:
        kind: `link-changed`: the event of this sequence, or its link, was changed. `event-missing`: the event was
            deleted. `link-missing`: the link was deleted. `head-changed`: the head has another hash than the link.
            `head-signature`: no known key signed the head. `head-missing`: a head that was known before is not in the
            log. `tail-missing`: a head covers links that do not exist. `tail-unsigned`: no head covers the last links.
            `event-unchained`: the event was never chained, or its link was deleted. `log-empty`: the server has
            accounts, but the log has no events. `head-file-missing`: the log has heads, but the data folder has no
            file of the newest one.
        sequence: Place in the chain; 0 for an event without one.
        event_id: Number of the event; None when it is not known.
    """

    kind: FindingKind
    sequence: int
    event_id: int | None = None


@dataclass(slots=True)
class AuditVerification:
    """The result of a verification.

    Attributes:
        links: Number of verified links.
        heads: Number of verified heads.
        sequence: The last sequence.
        hash: The hash of the last link.
        unchained: Number of events that are not in the chain yet.
        keys: The raw public keys that signed, by identifier.
    """

    links: int = 0
    heads: int = 0
    sequence: int = 0
    hash: bytes = b""
    unchained: int = 0
    keys: Mapping[str, bytes] = field(default_factory=dict)
    findings: list[AuditFinding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AuditContent:
    """What is verified.

    Attributes:
        first: The sequence of the first link.
        previous: The hash before it.
        links: The links from there on, in order.
        heads: The heads from there on, in order.
        keys: The raw public keys that are trusted, by identifier.
        known_heads: Sequence and hash (hexadecimal) of heads that were seen before.
        unchained: Number and wall instant of the events without a link.
        has_accounts: Whether the server has accounts, so that its log has events.
        has_head_file: Whether the data folder has the file of the newest head; True for an export.
    """

    first: int
    previous: bytes
    links: Iterable[AuditLink]
    heads: Sequence[AuditHead]
    keys: Mapping[str, bytes]
    known_heads: Sequence[tuple[int, str]] = ()
    unchained: Sequence[tuple[int, datetime]] = ()
    has_accounts: bool = False
    has_head_file: bool = True


def verify(content: AuditContent, now: datetime) -> AuditVerification:
    """Verify an audit log, or the part of it that begins at a sequence.

    Args:
        now: Wall instant, for events that should have been chained.
    """
    found = AuditVerification(sequence=content.first - 1, hash=content.previous, keys=content.keys)
    anchors = {head.sequence for head in content.heads} | {sequence for sequence, _ in content.known_heads}
    hashes = {content.first - 1: content.previous} if content.first - 1 in anchors else {}
    for link in content.links:
        _check_link(link, found)
        if link.sequence in anchors:
            hashes[link.sequence] = link.hash
    _check_heads(content, hashes, found)
    found.unchained = len(content.unchained)
    late = (number for number, at in content.unchained if now - at > MAX_UNCHAINED)
    found.findings += [AuditFinding("event-unchained", 0, number) for number in late]
    if content.has_accounts and content.first == 1 and not found.links and not found.unchained:
        found.findings.append(AuditFinding("log-empty", 0))
    if content.heads and not content.has_head_file:
        found.findings.append(AuditFinding("head-file-missing", content.heads[-1].sequence))
    return found


def _check_link(link: AuditLink, found: AuditVerification) -> None:
    found.findings += [AuditFinding("link-missing", gap) for gap in range(found.sequence + 1, link.sequence)]
    is_next = link.sequence == found.sequence + 1
    if link.event is None:
        found.findings.append(AuditFinding("event-missing", link.sequence, link.event_id))
    elif is_next and link_hash(found.hash, link.sequence, link.event_id, link.event) != link.hash:
        found.findings.append(AuditFinding("link-changed", link.sequence, link.event_id))
    found.links += 1
    found.sequence, found.hash = link.sequence, link.hash


def _check_heads(content: AuditContent, hashes: Mapping[int, bytes], found: AuditVerification) -> None:
    covered = content.first - 1
    for head in content.heads:
        found.heads += 1
        if not is_signed(head, content.keys):
            found.findings.append(AuditFinding("head-signature", head.sequence))
        elif head.sequence in hashes and hashes[head.sequence] != head.hash:
            found.findings.append(AuditFinding("head-changed", head.sequence))
        covered = max(covered, head.sequence)
    stored = {head.sequence: head.hash.hex() for head in content.heads}
    for sequence, digest in content.known_heads:
        if sequence >= content.first and stored.get(sequence) != digest:
            found.findings.append(AuditFinding("head-missing", sequence))
            covered = max(covered, sequence)
    if covered > found.sequence:
        found.findings.append(AuditFinding("tail-missing", found.sequence + 1))
    elif found.sequence > max(stored, default=content.first - 1):
        found.findings.append(AuditFinding("tail-unsigned", found.sequence))

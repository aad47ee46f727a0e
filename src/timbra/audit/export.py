"""Export of the audit log as JSON lines, and its verification without the database.

The first line has the first sequence and the hash before it; then one line for each key, link and head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import IO, Any

import orjson

from timbra.audit.verification import AuditContent
from timbra.core.errors import ServiceError
from timbra.events.audit.chain import AuditHead, AuditLink
from timbra.events.audit.events import AUDIT_COLUMNS, AuditEvent
from timbra.transparency.keys import key_id_of

FORMAT = "timbra-audit-1"


def export_lines(content: AuditContent) -> Iterator[bytes]:
    yield _line({"format": FORMAT, "first": content.first, "previous": content.previous.hex()})
    for key_id, public in content.keys.items():
        yield _line({"key": key_id, "public": public.hex()})
    for link in content.links:
        event = None if link.event is None else {name: getattr(link.event, name) for name in AUDIT_COLUMNS}
        yield _line({"link": link.sequence, "id": link.event_id, "hash": link.hash.hex(), "event": event})
    for head in content.heads:
        values = {**asdict(head), "hash": head.hash.hex(), "signature": head.signature.hex()}
        yield _line({"head": head.sequence, **values})


def read_export(
    file: IO[bytes], trusted: Sequence[str], known_heads: Sequence[tuple[int, str]] = ()
) -> tuple[AuditContent, list[str]]:
    """Read an export.

    Args:
        file: The lines.
        trusted: Identifiers or public keys (hexadecimal) that the reader trusts; empty to trust those of the file.
        known_heads: Sequence and hash (hexadecimal) of heads that were seen before.

    Returns:
        The content, and the identifiers of the keys.

    Raises:
        ServiceError: "audit-unreadable".
    """
    try:
        lines = [orjson.loads(line) for line in file if line.strip()]
        start = lines[0]
        if start.get("format") != FORMAT:
            raise ServiceError("audit-unreadable", "El formato no se conoce.")
        keys = {line["key"]: bytes.fromhex(line["public"]) for line in lines if "key" in line}
        wanted = {name.lower() for name in trusted}
        keys = {
            name: public
            for name, public in keys.items()
            if name == key_id_of(public) and (not wanted or name in wanted or public.hex() in wanted)
        }
        links = [_link(line) for line in lines if "link" in line]
        heads = [_head(line) for line in lines if "head" in line]
        first, previous = int(start["first"]), bytes.fromhex(start["previous"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ServiceError("audit-unreadable", "Un renglón no se entiende.") from error
    return AuditContent(first, previous, links, heads, keys, known_heads), list(keys)


def write_lines(lines: Iterable[bytes], file: IO[bytes]) -> int:
    """Write lines; return how many."""
    count = 0
    for line in lines:
        file.write(line)
        count += 1
    return count


def _line(values: dict[str, Any]) -> bytes:
    return orjson.dumps(values, option=orjson.OPT_APPEND_NEWLINE)


def _link(line: dict[str, Any]) -> AuditLink:
    fields = line["event"]
    event = None
    if fields is not None:
        values = {name: fields[name] for name in AUDIT_COLUMNS}
        event = AuditEvent(**{**values, **{name: datetime.fromisoformat(values[name]) for name in ("at", "fiscal_at")}})
    return AuditLink(int(line["link"]), int(line["id"]), bytes.fromhex(line["hash"]), event)


def _head(line: dict[str, Any]) -> AuditHead:
    at, digest, signature = datetime.fromisoformat(line["at"]), bytes.fromhex(line["hash"]), line["signature"]
    return AuditHead(int(line["sequence"]), digest, at, line["key_id"], bytes.fromhex(signature))

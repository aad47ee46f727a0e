"""Data of the request inspector: durations, sizes, the findings of a call, and the call as a command of curl."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from shlex import quote
from typing import Final
from urllib.parse import quote as url_quote

from lxml import etree

from timbra.cfdi.document import DocumentParser
from timbra.core.errors import ServiceError
from timbra.inspector.bodies import RecordedBody
from timbra.inspector.call_content import CONTENT_TYPE, CallContent, header_value
from timbra.inspector.masking import MASK
from timbra.inspector.store import ApiCall, NumberedCall
from timbra.validation.models import ReportEntry, ReportEntryKind
from timbra.validation.rule_views import known_code
from timbra.validation.xml_view import XmlView, xml_view_of

MAX_INLINE: Final = 4_000
"""Characters of a body that the command of curl has inside; a longer one is a file."""
MAX_VALUE: Final = 1_000
"""Characters of a JSON text that the page shows."""
MAX_SHOWN: Final = 100_000
MAX_CODES: Final = 20
MAX_INDENTATION: Final = 40
TOKEN_PLACEHOLDER: Final = "$TIMBRA_TOKEN"  # noqa: S105 - a placeholder
_NOT_REPEATED: Final = frozenset(
    {
        "host",
        "content-length",
        "content-encoding",
        "connection",
        "accept-encoding",
        "expect",
        "transfer-encoding",
        "authorization",
    }
)
_CODE = re.compile(r"\b[A-Z]{2,6}\d{2,6}\b")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Latency:
    """Percentiles of the durations of calls.

    Attributes:
        calls: Number of calls.
        p50, p99: In milliseconds.
    """

    calls: int
    p50: float
    p99: float


@dataclass(frozen=True, slots=True)
class BodyView:
    """A body as the page shows it.

    Attributes:
        xml: Its XML document as lines; None without one that can be read.
        text: The text, indented when it is JSON, shortened when it is long.
    """

    body: RecordedBody
    xml: XmlView | None
    text: str


def latency_of(durations: Sequence[int]) -> Latency | None:
    """Return the percentiles of durations in microseconds, in ascending order; None without durations."""
    if not durations:
        return None
    p50, p99 = (durations[ceil(len(durations) * share) - 1] / 1000 for share in (0.5, 0.99))
    return Latency(len(durations), p50, p99)


def milliseconds(number: float) -> str:
    """Format a duration in milliseconds: `0.42 ms`, `12 ms` or `1.3 s`."""
    if number >= 1000:
        return f"{number / 1000:.1f} s"
    return f"{number:.0f} ms" if number >= 10 else f"{number:.2g} ms"


def file_size(size: int) -> str:
    """Format a size: `512 B`, `12 KiB` or `3.4 MiB`."""
    if size < 1024:
        return f"{size} B"
    return f"{size / 1024:.0f} KiB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MiB"


def status_class(call: ApiCall) -> str:
    return "bad" if call.code or call.status >= 400 else "good"


def finding_of(call: ApiCall, content: CallContent) -> ReportEntry | None:
    """Return the finding that rejected the call; None for success."""
    if not call.code:
        return None
    return ReportEntry(
        call.code,
        content.detail or None,
        ReportEntryKind.ERROR,
        call.code,
        content.place,
        content.found,
        content.expected,
    )


def codes_in(call: ApiCall, content: CallContent) -> list[str]:
    """Return further codes with an explanation that the answer names, such as those of a validation."""
    found = dict.fromkeys(_CODE.findall(content.response.text))
    return [code for code in found if code != call.code and known_code(code) == code][:MAX_CODES]


def body_view(body: RecordedBody, xml: str | None, parser: DocumentParser, finding: ReportEntry | None) -> BodyView:
    """Return a body for the page.

    Args:
        xml: The XML document in it; None without one.
        parser: Reads the document within its limits.
        finding: The finding about the document; None for none.
    """
    view = None
    if xml is not None:
        try:
            view = xml_view_of(parser.parse(xml.encode()).root, [finding] if finding and finding.path else [])
        except (ServiceError, etree.LxmlError):
            view = None  # it is shown as text
    text = indent_json(body.text) if body.text[:1] in ("{", "[") else body.text
    shown = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
    return BodyView(body, view, shown)


def indent_json(text: str) -> str:
    """Indent JSON without a change of its values; texts are shortened to `MAX_VALUE` characters."""
    parts: list[str] = []
    depth = 0
    for piece in _JSON_TOKEN.findall(text):
        if piece in "}]":
            depth = max(0, depth - 1)
            is_empty = bool(parts) and parts[-1].strip()[-1:] in ("{", "[")
            parts.append(piece if is_empty else f"\n{_indentation(depth)}{piece}")
        elif piece in "{[":
            depth += 1
            parts.append(f"{piece}\n{_indentation(depth)}")
        elif piece == ",":
            parts.append(f",\n{_indentation(depth)}")
        else:
            parts.append(": " if piece == ":" else _shorten(piece))
    return "".join(parts)


def curl_of(numbered: NumberedCall, content: CallContent, base_url: str) -> str:
    """Return the command that repeats a call, with a placeholder for the token and for each hidden value."""
    call = numbered.call
    url = base_url + url_quote(call.path, safe="/:@!$&'()*+,;=~[]") + (f"?{content.query}" if content.query else "")
    lines = [f"curl -X {quote(call.method)} {quote(url)}"]
    if any(name.lower() == "authorization" for name, _ in content.request_headers):
        lines.append(f'-H "Authorization: Bearer {TOKEN_PLACEHOLDER}"')
    repeated = (f"{name}: {value}" for name, value in content.request_headers if name.lower() not in _NOT_REPEATED)
    lines += [f"-H {quote(header)}" for header in repeated]
    body = content.request
    if body.size:
        is_inline = len(body.text) <= MAX_INLINE and "\r" not in body.text and not body.is_cut and not body.is_binary
        multipart = header_value(content.request_headers, CONTENT_TYPE).startswith("multipart/")
        data = quote(body.text) if is_inline and not multipart else f"@solicitud-{numbered.number}.txt"
        lines.append(f"--data-binary {data}")
    return " \\\n  ".join(lines)


def needs_file(curl: str) -> bool:
    """Whether the command reads the body from a file."""
    return "--data-binary @solicitud-" in curl


def has_hidden_values(content: CallContent) -> bool:
    """Whether values of the request are hidden, so that the command of curl is not complete."""
    headers = (value for name, value in content.request_headers if name.lower() != "authorization")
    return content.request.is_masked or any(MASK in value for value in headers)


def _indentation(depth: int) -> str:
    return "  " * min(depth, MAX_INDENTATION)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_VALUE else f'{text[:MAX_VALUE]}… ({len(text)} caracteres)"'


FILTERS = {"file_size": file_size, "milliseconds": milliseconds, "status_class": status_class}

"""W3C Trace Context: the header `traceparent`, and the ids of requests that belong to a trace.

The id of such a request is its `traceparent` without the version: trace, span and flags. Whatever the server does later
for the request, such as a delivery or a webhook, has the id of the request and so continues its trace.

Source: https://www.w3.org/TR/trace-context/
"""

from __future__ import annotations

import re

TRACEPARENT = "traceparent"
VERSION = "00"
_HEADER = re.compile(
    r"(?!ff)[0-9a-f]{2}"
    r"-(?P<trace>(?!0{32})[0-9a-f]{32})-(?P<parent>(?!0{16})[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<rest>-.*)?\Z"
)
_REQUEST_ID = re.compile(r"[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\Z")


def request_id_of(traceparent: str, span: str) -> str:
    """Return the id of a request that came with a header.

    Args:
        traceparent: The value of the header.
        span: Sixteen hexadecimal digits of the new span.

    Returns:
        The id; empty for a value that is not valid, which the specification says to ignore.
    """
    found = _HEADER.match(traceparent)
    if found is None or (traceparent.startswith(VERSION) and found["rest"]):
        return ""
    return f"{found['trace']}-{span}-{found['flags']}"


def traceparent_of(request_id: str) -> str:
    """Return the header that continues the trace of a request; empty for a request without one."""
    return f"{VERSION}-{request_id}" if _REQUEST_ID.match(request_id) else ""

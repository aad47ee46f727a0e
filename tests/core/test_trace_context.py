"""The header `traceparent` and the request ids that have its form."""

from __future__ import annotations

import pytest

from timbra.core.trace_context import request_id_of, traceparent_of

TRACE, PARENT, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "53995c3f42cd8ad8"


@pytest.mark.parametrize("flags", ["00", "01"])
def test_request_id_continues_the_trace(flags: str) -> None:
    request_id = request_id_of(f"00-{TRACE}-{PARENT}-{flags}", SPAN)
    assert request_id == f"{TRACE}-{SPAN}-{flags}"
    assert traceparent_of(request_id) == f"00-{TRACE}-{SPAN}-{flags}"


def test_request_id_accepts_a_later_version_with_more_fields() -> None:
    assert request_id_of(f"cc-{TRACE}-{PARENT}-01-what-the-future", SPAN) == f"{TRACE}-{SPAN}-01"


@pytest.mark.parametrize(
    "header",
    [
        "",
        f"00-{TRACE}-{PARENT}",
        f"00-{TRACE}-{PARENT}-01-more",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}-01\n",
        f"cc-{TRACE}-{PARENT}-01.more",
    ],
)
def test_request_id_ignores_a_header_that_is_not_valid(header: str) -> None:
    assert request_id_of(header, SPAN) == ""


@pytest.mark.parametrize("request_id", ["", "6c80838370c7874d-000001", f"{TRACE}-{SPAN}"])
def test_traceparent_is_empty_for_a_request_without_a_trace(request_id: str) -> None:
    assert traceparent_of(request_id) == ""

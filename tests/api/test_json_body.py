"""JSON objects with numbers as written."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.api.refusals import outcome

from timbra.api.json_body import json_object, lower_keys
from timbra.errors import ServiceError


def test_numbers_keep_their_written_form() -> None:
    sent = b'{"Total": 100.10, "Cantidad": 1, "TipoCambio": 1E2, "Serie": "A", "x": [0.30], "n": null, "b": true}'
    assert json_object(sent) == {
        "Total": "100.10",
        "Cantidad": "1",
        "TipoCambio": "1E2",
        "Serie": "A",
        "x": ["0.30"],
        "n": None,
        "b": True,
    }


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"{",
        b'{"a": }',
        b"[]",
        b'"text"',
        b"null",
        b'{"a": 1, "a": 2}',
        b'{"x": {"a": 1, "a": 2}}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a":' * 100_000,
        b"[" * 100_000,
        b'{"a": "\x00"}',
        b"\xff\xfe{\x00}\x00",
    ],
)
def test_refusals(sent: bytes) -> None:
    with pytest.raises(ServiceError) as refused:
        json_object(sent)
    assert refused.value.code == "TB4004"
    assert refused.value.detail


@given(st.binary(max_size=100))
def test_any_bytes(sent: bytes) -> None:
    for content in (sent, b'{"a": ' + sent + b"}"):
        result, code = outcome(partial(json_object, content))
        assert code == "TB4004" or isinstance(result, dict)


def test_names_in_lower_case() -> None:
    assert lower_keys({"User": "a", "b64Cer": "b"}) == {"user": "a", "b64cer": "b"}

"""JSON bodies: what is read with the faster parser is what `json` alone reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.cfdi.from_json import reading
from timbra.cfdi.from_json.reading import read_object
from timbra.core.errors import ServiceError

PIECES = (
    "{", "}", "[", "]", ",", ":", '"a"', '"b"', '"\\u0061"', '"\\ud800"', '"\\ud83d\\ude00"', '":"', '"é"', '"\t"', " ",
    "\n", "0", "-0", "-1", "1.50", "1E+2", "01", "1.", "NaN", "Infinity", "9" * 25, "9" * 5000, "true", "null", "tru",
    "\ufeff", "\x0b", "/**/", "'a'",
)  # fmt: skip
VALUES = st.recursive(
    st.sampled_from(["1.50", "-0", "0", "17", "-1e3", "true", "null", '"x"', '"12:30"', '"\\ud83d\\ude00"']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
        | st.lists(st.tuples(st.sampled_from("abc"), inner), max_size=3).map(
            lambda pairs: f"{{{','.join(f'{json.dumps(key)}: {value}' for key, value in pairs)}}}"
        )
    ),
    max_leaves=8,
)


def outcome(body: bytes) -> object:
    """Return what is read, or the code and sentence of the rejection."""
    try:
        return read_object(body)
    except ServiceError as error:
        return error.code, error.detail


def by_json_alone(body: bytes) -> object:
    """Return the outcome without the faster parser."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "restore_integers", None)
        return outcome(body)


@given(value=VALUES)
def test_read_object_agrees_with_json_on_documents(value: str) -> None:
    body = f'{{"document": {value}}}'.encode()
    assert outcome(body) == by_json_alone(body)


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=8))
def test_read_object_agrees_with_json_on_damaged_text(pieces: list[str]) -> None:
    body = f'{{"a": {"".join(pieces)}}}'.encode()
    assert outcome(body) == by_json_alone(body)


@given(body=st.binary(max_size=40))
def test_read_object_agrees_with_json_on_any_bytes(body: bytes) -> None:
    assert outcome(body) == by_json_alone(body)
    assert outcome(b'{"a": "' + body + b'"}') == by_json_alone(b'{"a": "' + body + b'"}')


def test_read_object_agrees_with_json_on_deep_text() -> None:
    for depth in (10, 900, 5_000, 200_000):
        body = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
        assert outcome(body) == by_json_alone(body)


def test_read_object_keeps_numbers_as_they_are_written() -> None:
    body = b'\xef\xbb\xbf{"a": 1.50, "b": [-0, 0, 1E+2, 12345678901234567890], "c": {"d": -0.0}, "e": true}'
    expected = {"a": "1.50", "b": ["-0", "0", "1E+2", "12345678901234567890"], "c": {"d": "-0.0"}, "e": True}
    assert read_object(body) == expected
    assert read_object(body.removeprefix(b"\xef\xbb\xbf")) == expected
    assert read_object(b'{"a": [7, 0], "b": 8}') == {"a": ["7", "0"], "b": "8"}

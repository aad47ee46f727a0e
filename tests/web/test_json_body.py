"""JSON objects whose numbers keep their written form."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.api_rejections import outcome

from timbra.core.errors import ServiceError
from timbra.web.parsing.json_body import json_object, lower_keys


def test_json_object_keeps_the_written_form_of_numbers() -> None:
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
def test_json_object_rejects_other_content(sent: bytes) -> None:
    with pytest.raises(ServiceError) as rejected:
        json_object(sent)
    assert rejected.value.code == "TB4004"
    assert rejected.value.detail


@given(st.binary(max_size=100))
def test_json_object_returns_an_object_or_rejects_any_bytes(sent: bytes) -> None:
    for content in (sent, b'{"a": ' + sent + b"}"):
        result, code = outcome(partial(json_object, content))
        assert code == "TB4004" or isinstance(result, dict)


def test_lower_keys_lowers_the_names_of_members() -> None:
    assert lower_keys({"User": "a", "b64Cer": "b"}) == {"user": "a", "b64cer": "b"}


@pytest.mark.parametrize("written", ["\\u0000", "\\ud800", "x\\udfffx", "\\udc00\\ud800"])
def test_json_object_rejects_text_that_cannot_be_stored(written: str) -> None:
    for sent in (f'{{"a": "{written}"}}', f'{{"{written}": 1}}', f'{{"a": [{{"b": ["{written}"]}}]}}'):
        with pytest.raises(ServiceError, match="no es un carácter de texto") as rejected:
            json_object(sent.encode())
        assert rejected.value.code == "TB4004"


def test_json_object_accepts_every_other_character() -> None:
    assert json_object(b'{"\\u00f1": "\\ud83d\\ude00 \\u0001"}') == {"ñ": "😀 \x01"}

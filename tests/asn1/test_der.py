"""The writer of DER, read back by the reader of `seals`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.asn1 import der_reader as reader
from timbra.asn1 import der_writer as der
from timbra.sandbox.authority.certificates import subject_names
from timbra.seals.certificates.subject_reader import decode_text


@given(st.integers(min_value=0, max_value=2**4096))
def test_integer_round_trips(value: int) -> None:
    encoded = der.integer(value)
    assert reader.integer(reader.parse_der(encoded)) == value


@given(st.binary(max_size=70_000), st.sampled_from([0x04, 0x30, 0xA3]))
def test_element_writes_shortest_definite_length(body: bytes, tag: int) -> None:
    encoded = der.element(tag, body)
    node = reader.parse_der(encoded)
    assert (node.tag, node.body) == (tag, body)
    assert node.content == 2 + (0 if len(body) < 128 else (len(body).bit_length() + 7) // 8)


@given(st.tuples(st.integers(0, 2), st.integers(0, 39)), st.lists(st.integers(0, 2**40), max_size=5))
def test_object_identifier_round_trips(head: tuple[int, int], arcs: list[int]) -> None:
    dotted = ".".join(map(str, (*head, *arcs)))
    assert reader.object_identifier(reader.parse_der(der.object_identifier(dotted))) == dotted


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_holder_text_round_trips(text: str) -> None:
    assert decode_text(subject_names.holder_text(text)) == text.strip()


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("ESCUELA KEMPER URGATE SA DE CV", der.PRINTABLE_STRING),
        (" / VADA800927HSRSRL05", der.PRINTABLE_STRING),
        ("LUCES & OBRAS", der.T61_STRING),
        ("ÑEVES RAMIREZ", der.T61_STRING),
        ("CSD01_AAA010101AAA", der.T61_STRING),
        ("ŁUKASZ", der.UTF8_STRING),
    ],
)
def test_holder_text_uses_string_types_of_sat(text: str, tag: int) -> None:
    assert subject_names.holder_text(text)[0] == tag


@pytest.mark.parametrize(
    ("instant", "tag", "body"),
    [
        (datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC), 0x17, b"491231235959Z"),
        (datetime(2050, 1, 1, tzinfo=UTC), 0x18, b"20500101000000Z"),
    ],
)
def test_time_uses_generalized_time_from_2050(instant: datetime, tag: int, body: bytes) -> None:
    assert der.time(instant) == der.element(tag, body)

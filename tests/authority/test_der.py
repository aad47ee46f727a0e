"""The writer of DER, read back by the reader of `seals`."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.authority.sandbox import der, names
from timbra.seals import der as reader
from timbra.seals.names import decoded_text


@given(st.integers(min_value=0, max_value=2**4096))
def test_an_integer_is_read_back(value: int) -> None:
    encoded = der.integer(value)
    assert reader.integer(reader.whole(encoded)) == value


@given(st.binary(max_size=70_000), st.sampled_from([0x04, 0x30, 0xA3]))
def test_lengths_are_definite_and_shortest(body: bytes, tag: int) -> None:
    encoded = der.element(tag, body)
    node = reader.whole(encoded)
    assert (node.tag, node.body) == (tag, body)
    assert node.content == 2 + (0 if len(body) < 128 else (len(body).bit_length() + 7) // 8)


@given(st.tuples(st.integers(0, 2), st.integers(0, 39)), st.lists(st.integers(0, 2**40), max_size=5))
def test_an_object_identifier_is_read_back(head: tuple[int, int], arcs: list[int]) -> None:
    dotted = ".".join(map(str, (*head, *arcs)))
    assert reader.object_identifier(reader.whole(der.object_identifier(dotted))) == dotted


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_a_holders_text_is_read_back(text: str) -> None:
    assert decoded_text(names.holder_text(text)) == text.strip()


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
def test_the_type_of_a_text_is_sats_choice(text: str, tag: int) -> None:
    assert names.holder_text(text)[0] == tag


@pytest.mark.parametrize(
    ("instant", "tag", "body"),
    [
        (datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC), 0x17, b"491231235959Z"),
        (datetime(2050, 1, 1, tzinfo=UTC), 0x18, b"20500101000000Z"),
    ],
)
def test_years_from_2050_need_generalized_time(instant: datetime, tag: int, body: bytes) -> None:
    assert der.time(instant) == der.element(tag, body)

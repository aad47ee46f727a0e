from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lists.signing import lrfc

from timbra.core.errors import ServiceError
from timbra.lists.sources.columns import known_columns
from timbra.lists.sources.lrfc import LrfcPart

LONGEST_LINE = 8192

HEADER = "RFC|SNCF|SUBCONTRATACION"
RFC = st.from_regex(r"[A-Z&Ñ]{3,4}[0-9]{6}[A-Z0-9]{3}", fullmatch=True)


def part_of(data: bytes, size: int = 64, columns: str = "") -> tuple[dict[str, str], LrfcPart]:
    part = LrfcPart((data[at : at + size] for at in range(0, len(data), size)), known_columns(columns))
    lines = [(key.decode(), line.decode()) for batch in part for key, line in batch]
    assert all(line.startswith(f"{key}|") and line.endswith("\n") for key, line in lines)
    return {key: line[len(key) + 1 : -1] for key, line in lines}, part


def rejection(data: bytes) -> str:
    with pytest.raises(ServiceError) as caught:
        part_of(data)
    return caught.value.code


@given(
    st.dictionaries(RFC, st.sampled_from(["0|0", "1|0", "0|1"])),
    st.integers(1, 100),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["utf-8", "latin-1"]),
)
def test_lrfc_part_reads_rows_in_any_chunks(
    rows: dict[str, str], size: int, end: str, bar: bool, encoding: str
) -> None:
    lines = [HEADER, *(f"{rfc}|{rest}{'|' if bar else ''}" for rfc, rest in rows.items()), "EOF"]
    found, part = part_of((end.join(lines) + end).encode(encoding), size)
    assert found == rows
    assert part.skipped == 0
    assert part.fields == ("rfc", "sncf", "subcontracting")


def test_lrfc_part_keeps_the_order_of_other_columns() -> None:
    data = "\ufeffNOMBRE|RFC|SNCF|CP\nMUÑOZ & CIA|OÑO120726RX3|0|42501".encode()
    found, part = part_of(data, columns="NOMBRE=name,CP=postal_code")
    assert found == {"OÑO120726RX3": "MUÑOZ & CIA|0|42501"}
    assert part.fields == ("name", "rfc", "sncf", "postal_code")


def test_lrfc_part_counts_malformed_rows() -> None:
    found, part = part_of(lrfc("EKU9003173C9|0|0", "EKU9003173|0|0", "O?O120726RX3|0|0", "XIA190128J61|0|X", "A|B"))
    assert list(found) == ["EKU9003173C9"]
    assert part.skipped == 4


@pytest.mark.parametrize("size", [1, 8, 64, 1000])
def test_lrfc_part_rejects_rows_after_the_end_mark(size: int) -> None:
    good = lrfc("EKU9003173C9|0|0")
    assert part_of(good + b"\r\n \r\n", size)[0] == {"EKU9003173C9": "0|0"}
    for more in (b"XIA190128J61|0|0\r\n", b"XIA190128J61|0|0", b"EOF\r\n", b"x"):
        assert rejection(good + more) == "list-unreadable"


def test_lrfc_part_accepts_blank_lines_and_a_missing_end_mark() -> None:
    assert part_of(f"\r\n{HEADER}\r\n\r\nEKU9003173C9|0|1".encode(), 1)[0] == {"EKU9003173C9": "0|1"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "list-unreadable"),
        (b"\r\n\r\n", "list-unreadable"),
        (b"EKU9003173C9|0|0\r\n", "list-columns"),
        (b"RFC|NOMBRE\r\n", "list-columns"),
        (b"\xff\xfeR\0F\0C\0", "list-columns"),
    ],
)
def test_lrfc_part_rejects_other_data(data: bytes, code: str) -> None:
    assert rejection(data) == code


def test_lrfc_part_rejects_an_unbounded_line() -> None:
    def content() -> Iterator[bytes]:
        yield f"{HEADER}\r\n".encode()
        for _ in range(3):
            yield b"A" * LONGEST_LINE
        raise AssertionError("read on")

    with pytest.raises(ServiceError, match="rebasa"):
        list(LrfcPart(content(), known_columns()))


@given(st.binary(max_size=400), st.integers(1, 50))
def test_lrfc_part_reads_or_rejects_any_bytes(data: bytes, size: int) -> None:
    for prefix in (b"", f"{HEADER}\n".encode()):
        try:
            found, _ = part_of(prefix + data, size)
        except ServiceError as rejected:
            assert rejected.code in ("list-unreadable", "list-columns")  # noqa: PT017
        else:
            assert set(found.values()) <= {f"{a}|{b}" for a in "01" for b in "01"}

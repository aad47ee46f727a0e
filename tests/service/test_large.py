"""Documents out of a ZIP: one file, bounded, one at a time."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.accounts.caller import Caller
from timbra.errors import ServiceError
from timbra.service.large import LargeOrder, LargeStamping, check_size, unpack
from timbra.service.orders import Stamped

CALLER = Caller(1, "ana@example.com", "account")
DONE = Stamped("t", "c", "u", "o", "1", "2", "s", "s", "f", "v")


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def unpacked(archive: bytes, most_bytes: int = 1000) -> bytes:
    target = io.BytesIO()
    unpack(archive, target, most_bytes)
    return target.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("name", ["file.xml", "archivo.xml", "folder/ñ.XML", "no-extension"])
def test_the_one_file_comes_out(method: int, name: str) -> None:
    assert unpacked(zipped({name: b"<a/>"}, method)) == b"<a/>"


def test_folders_do_not_count() -> None:
    assert unpacked(zipped({"folder/": b"", "folder/a.xml": b"<a/>"})) == b"<a/>"


@pytest.mark.parametrize("archive", [b"", b"  ", zipped({}), zipped({"a.xml": b""})])
def test_nothing_is_told_as_missing(archive: bytes) -> None:
    with pytest.raises(ServiceError, match="xml-missing"):
        unpacked(archive)


def _untrue(archive: bytes) -> bytes:
    """Says that its content is small."""
    return archive.replace((5_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))


def _cut(archive: bytes) -> bytes:
    return archive[: len(archive) // 2]


BOMB = zipped({"a.xml": bytes(5_000_000)})
TWO = zipped({"a": b"1", "b": b"2"})


@pytest.mark.parametrize(
    "archive",
    [
        b"<a/>",
        b"PK\x03\x04",
        BOMB,
        _untrue(BOMB),
        _cut(zipped({"a.xml": b"<a/>" * 50})),
        zipped({"a": b"1", "b": b"2"}),
    ],
    ids=["xml", "head alone", "bomb", "bomb that lies", "cut", "two files"],
)
def test_what_is_no_single_bounded_document_is_301(archive: bytes) -> None:
    with pytest.raises(ServiceError, match="301"):
        unpacked(archive)


@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda noise: zipped({"a.xml": b"<a/>"})[:40] + noise))
def test_any_bytes_are_a_document_or_refused(archive: bytes) -> None:
    with suppress(ServiceError):
        assert unpacked(archive)


@pytest.mark.parametrize("tag", [b"<cfdi:Concepto ", b"<Concepto>", b"<\xc3\xb1:Concepto\n", b"<a:Concepto/>"])
def test_concepts_are_counted_whatever_their_prefix(tag: bytes) -> None:
    check_size(tag * 10_000)
    for number in (0, 9_999, 120_001):
        with pytest.raises(ServiceError, match="zip-concepts"):
            check_size(tag * number + b"<cfdi:Conceptos><x:ConceptoX/>")


def large(folder: Path, stamp: Callable[[LargeOrder], object], most_waiting: int = 3) -> LargeStamping:
    return LargeStamping(stamp, folder, 1000, most_waiting)  # type: ignore[arg-type]


def test_a_document_lies_in_a_file_while_it_is_stamped_and_no_longer(tmp_path: Path) -> None:
    seen: list[Path] = []

    async def stamp(order: LargeOrder) -> Stamped:
        seen.append(order.path)
        assert order.path.read_bytes() == b"<a/>"
        return DONE

    assert asyncio.run(large(tmp_path / "large", stamp).stamp(CALLER, zipped({"a": b"<a/>"}), "r", None)) is DONE
    assert not seen[0].exists()


def test_one_at_a_time_and_few_that_wait(tmp_path: Path) -> None:
    running, most = 0, 0

    async def stamp(_: LargeOrder) -> Stamped:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return DONE

    async def many() -> list[object]:
        service = large(tmp_path, stamp, most_waiting=2)
        asked = [service.stamp(CALLER, zipped({"a": b"<a/>"}), "r", None) for _ in range(5)]
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(many())

    assert most == 1
    assert answers.count(DONE) == 3
    refused = [answer for answer in answers if isinstance(answer, ServiceError)]
    assert [(error.code, error.retry_after) for error in refused] == [("CO1000", 30)] * 2

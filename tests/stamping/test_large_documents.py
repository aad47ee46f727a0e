"""Documents in a ZIP: one file, bounded size, one at a time."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.support.hostile_archives import HOSTILE, with_system_files

from timbra.cfdi.qr import VerificationQuery
from timbra.core.caller import Caller
from timbra.core.errors import ServiceError
from timbra.stamping.large_documents import (
    LargeStampingService,
    LargeStampRequest,
    check_size,
    declared_size,
    unpack,
)
from timbra.stamping.models import StampResult
from timbra.stamping.processes import stamp_archive_in_child, stamper

CALLER = Caller(1, "ana@example.com", "account")
DONE = StampResult("t", "c", "u", "o", "1", "2", "s", "s", "f", partial(VerificationQuery, "v", is_retencion=False))


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def unpacked(archive: bytes, most_bytes: int = 1000) -> bytes:
    return unpack(io.BytesIO(archive), most_bytes)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
@pytest.mark.parametrize("name", ["file.xml", "archivo.xml", "folder/ñ.XML", "no-extension"])
def test_unpack_returns_the_only_file(method: int, name: str) -> None:
    assert unpacked(zipped({name: b"<a/>"}, method)) == b"<a/>"


def test_unpack_ignores_folders() -> None:
    assert unpacked(zipped({"folder/": b"", "folder/a.xml": b"<a/>"})) == b"<a/>"


@pytest.mark.parametrize("name", ["a.xml", "lote/a.xml", "lote\\a.xml"])
def test_unpack_ignores_files_of_the_system(name: str) -> None:
    assert unpacked(with_system_files({name: b"<a/>"})) == b"<a/>"


@pytest.mark.parametrize("archive", [b"", b"  ", zipped({}), zipped({"a.xml": b""})])
def test_unpack_rejects_empty_archive_as_xml_missing(archive: bytes) -> None:
    with pytest.raises(ServiceError, match="xml-missing"):
        unpacked(archive)


def _untrue(archive: bytes) -> bytes:
    """Return an archive that declares a small size."""
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
def test_unpack_rejects_anything_but_one_bounded_document(archive: bytes) -> None:
    with pytest.raises(ServiceError, match="301"):
        unpacked(archive)


@pytest.mark.parametrize("tag", [b"<cfdi:Concepto ", b"<Concepto>", b"<\xc3\xb1:Concepto\n", b"<a:Concepto/>"])
def test_check_size_counts_conceptos_of_any_prefix(tag: bytes) -> None:
    check_size(tag * 10_000)
    for number in (0, 9_999, 120_001):
        with pytest.raises(ServiceError, match="zip-concepts"):
            check_size(tag * number + b"<cfdi:Conceptos><x:ConceptoX/>")


def large(folder: Path, stamp: Callable[[LargeStampRequest], object], most_waiting: int = 3) -> LargeStampingService:
    return LargeStampingService(stamp, folder, most_waiting)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("archive", "code"),
    [
        (b"", "xml-missing"),
        (b" \r\n", "xml-missing"),
        (zipped({}), "xml-missing"),
        (zipped({"a.xml": b""}), "xml-missing"),
        (b"<a/>", "301"),
        (b"PK\x03\x04", "301"),
        (b"%PDF-1.7", "301"),
        (b"\x1f\x8b\x08\x00", "301"),
        (zipped({"a.xml": b"<a/>"})[:-1], "301"),
        (b"x" * 100 + b"PK\x05\x06" + bytes(18), "xml-missing"),
        (b"x" * 100 + b"PK\x05\x06" + b"\xff" * 18, "301"),
        (TWO, "301"),
    ],
)
def test_stamp_starts_no_process_for_what_is_no_archive_of_one_document(
    tmp_path: Path, archive: bytes, code: str
) -> None:
    async def stamp(_: LargeStampRequest) -> StampResult:
        raise AssertionError("a process was started")

    service = large(tmp_path / "large", stamp)
    with pytest.raises(ServiceError, match=code):
        asyncio.run(service.stamp(CALLER, archive, "r", None))
    assert not (tmp_path / "large").exists()


@pytest.mark.parametrize("case", ["encrypted", "lzma", "overlapping", "two of one name", "no name"])
def test_stamp_starts_no_process_for_a_hostile_archive(tmp_path: Path, case: str) -> None:
    test_stamp_starts_no_process_for_what_is_no_archive_of_one_document(tmp_path, HOSTILE[case], "301")


class Processes:
    """Child processes that only note what they get."""

    def __init__(self) -> None:
        self.limits: list[tuple[int, int]] = []
        self.ended: list[float] = []

    async def run(
        self, account: str, answer: object, work: object, request: LargeStampRequest, limit: int, *, size: int
    ) -> None:
        assert (account, work) == ("1", stamp_archive_in_child)
        self.limits.append((limit, size))

    def end_idle(self, seconds: float) -> None:
        self.ended.append(seconds)


@pytest.mark.parametrize(("size", "is_warm"), [(1, True), (1000, True), (1001, False), (10**9, False)])
def test_document_that_other_routes_accept_takes_a_process_that_stays(size: int, is_warm: bool) -> None:
    alone, warm = Processes(), Processes()
    stamp = stamper(alone, None, lambda: None, 5000, warm, 1000)  # type: ignore[arg-type]

    async def stamped() -> None:
        await stamp(LargeStampRequest(CALLER, Path("a.zip"), size, "r"))

    asyncio.run(stamped())
    assert (warm.limits, warm.ended) == ([(1000, size)] if is_warm else [], [])
    assert (alone.limits, alone.ended) == ([] if is_warm else [(5000, min(size, 5000))], [] if is_warm else [0])


def test_declared_size_bounds_what_is_read() -> None:
    assert declared_size(zipped({"a.xml": b"<a/>"})) == 4
    assert declared_size(_untrue(BOMB)) == 10
    with pytest.raises(ServiceError, match="301"):
        unpacked(_untrue(BOMB), 10**8)


def test_stamp_deletes_archive_file_at_the_end(tmp_path: Path) -> None:
    seen: list[Path] = []
    archive = zipped({"a": b"<a/>"})

    async def stamp(order: LargeStampRequest) -> StampResult:
        seen.append(order.path)
        assert order.path.read_bytes() == archive
        return DONE

    assert asyncio.run(large(tmp_path / "large", stamp).stamp(CALLER, archive, "r", None)) is DONE
    assert not seen[0].exists()


def test_stamp_runs_one_at_a_time_with_bounded_queue(tmp_path: Path) -> None:
    running, most = 0, 0

    async def stamp(_: LargeStampRequest) -> StampResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return DONE

    async def many() -> list[object]:
        service = large(tmp_path, stamp, most_waiting=2)
        callers = [CALLER, CALLER, CALLER, replace(CALLER, account_id=CALLER.account_id + 1), CALLER]
        requests = [service.stamp(caller, zipped({"a": b"<a/>"}), "r", None) for caller in callers]
        return await asyncio.gather(*requests, return_exceptions=True)

    answers = asyncio.run(many())

    assert most == 1
    assert answers.count(DONE) == 3
    rejected = [answer for answer in answers if isinstance(answer, ServiceError)]
    assert [(error.code, error.retry_after) for error in rejected] == [("CO1000", 30)] * 2

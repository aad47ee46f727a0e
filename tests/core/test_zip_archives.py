"""ZIP archives of clients: which are read, which are rejected, and that memory stays bounded."""

from __future__ import annotations

import io
import multiprocessing
import resource
import zipfile
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.hostile_archives import HOSTILE, ONE, XML, many, zipped

from timbra.core.errors import ServiceError
from timbra.core.zip_archives import ZipReader
from timbra.stamping.large_documents import unpack

MEBIBYTE = 1024 * 1024
MOST = MEBIBYTE


def code_of(archive: bytes, most_bytes: int = MOST) -> str:
    """Return the code of the rejection, or "" for a document."""
    try:
        return "" if unpack(io.BytesIO(archive), most_bytes) else "nothing"
    except ServiceError as error:
        return error.code


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_archive_is_rejected_as_unreadable(case: str) -> None:
    assert code_of(HOSTILE[case]) == "301"


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("bzip2", "método de compresión 12"),
        ("lzma", "método de compresión 14"),
        ("bomb", "pasa de 1048576 bytes"),
        ("no name", "sin nombre"),
        ("name of no length", "sin nombre"),
        ("offset into the content", "no hay ningún archivo"),
        ("overlapping", "se enciman"),
        ("content into the directory", "se enciman"),
        ("encrypted", "cifrado"),
        ("two of one name", "el mismo nombre"),
        ("many members", "más de 1000 archivos"),
    ],
)
def test_rejection_says_what_is_wrong(case: str, words: str) -> None:
    with pytest.raises(ServiceError, match="301") as rejection:
        unpack(io.BytesIO(HOSTILE[case]), MOST)
    assert words in (rejection.value.detail or "")


def _codes_within(memory: int, cases: dict[str, bytes]) -> dict[str, str]:
    """Run in a child process that can allocate a limited number of additional bytes."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))
    return {name: code_of(archive) for name, archive in cases.items()}


def test_hostile_archives_take_little_memory() -> None:
    cases = {**HOSTILE, "very many members": many(20_000)}
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        codes = pool.submit(_codes_within, 64 * MEBIBYTE, cases).result()
    assert set(codes.values()) == {"301"}


def test_archive_with_bytes_before_it_is_read() -> None:
    assert unpack(io.BytesIO(b"#!/bin/sh\n" + ONE), MOST) == XML


def test_archive_written_to_a_stream_is_read() -> None:
    """Sizes follow the content, with and without ZIP64."""
    for zip64 in (False, True):
        buffer = io.BytesIO()
        unseekable = type("Stream", (), {"write": buffer.write, "flush": buffer.flush})()
        with zipfile.ZipFile(unseekable, "w", zipfile.ZIP_DEFLATED) as archive:
            member = archive.open("a.xml", "w", force_zip64=zip64)
            member.write(XML)
            member.close()
        assert unpack(io.BytesIO(buffer.getvalue()), MOST) == XML


def test_bytes_of_all_members_are_bounded_in_sum() -> None:
    archive = ZipReader(io.BytesIO(zipped({f"{number}.xml": bytes(1000) for number in range(5)})), 10, 4500)
    for member in archive.files[:4]:
        assert len(archive.read(member, 2000)) == 1000
    with pytest.raises(zipfile.BadZipFile, match="pasa de 4500 bytes"):
        archive.read(archive.files[4], 2000)


def test_member_is_read_no_further_than_asked() -> None:
    archive = ZipReader(io.BytesIO(HOSTILE["bomb"]), 10, MOST)
    assert len(archive.read(archive.files[0], 5000)) == 5000


@cache
def small_bases() -> list[bytes]:
    stored, folder = zipped({"a.xml": XML}, zipfile.ZIP_STORED), zipped({"d/": b"", "d/a.xml": XML})
    return [base for base in (ONE, stored, folder, *HOSTILE.values()) if len(base) < 5000]


PIECES = [b"\0", b"\xff", b"\0\0\0\0", b"\xff\xff\xff\xff", b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\7"]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return archives with changed, removed or inserted bytes, most of them in the directory."""
    archive = bytearray(draw(st.sampled_from(small_bases())))
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(archive)) | st.integers(max(0, len(archive) - 90), len(archive)))
        taken = draw(st.sampled_from([0, 1, 1, 2, 4, 30]))
        archive[place : place + taken] = draw(st.sampled_from(PIECES) | st.binary(max_size=taken))
    return bytes(archive)


@settings(max_examples=400)
@given(mutated() | st.binary(max_size=200))
def test_unpack_returns_a_document_or_rejects_any_bytes(archive: bytes) -> None:
    assert code_of(archive) in ("", "301", "xml-missing")

"""Printing beside the event loop: bounded, and honest where nothing can print."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import pytest
from lxml import etree
from tests.rendering.shown import FOLIO, reader, stamped
from tests.store.records import record

from timbra.cfdi.document import DocumentParser
from timbra.errors import ServiceError
from timbra.service.printing import Printing
from timbra.service.side_pool import MOST_WAITING, THREADS

XML = etree.tostring(stamped())


def printing() -> Printing:
    return Printing(DocumentParser(), reader())


def test_it_says_what_it_printed() -> None:
    printed = asyncio.run(printing().printed(XML))
    assert (printed.uuid, printed.pdf[:4]) == (FOLIO, b"%PDF")
    assert printed.stamp_date == "2026-11-17T12:00:00"


def test_too_many_at_once_are_sent_away() -> None:
    async def flood() -> list[object]:
        one = printing()
        room = THREADS + MOST_WAITING
        return await asyncio.gather(*(one.printed(XML) for _ in range(room + 1)), return_exceptions=True)

    *printed, last = asyncio.run(flood())
    assert not any(isinstance(one, BaseException) for one in printed)
    assert isinstance(last, ServiceError)
    assert (last.code, last.retry_after is not None) == ("CO1000", True)


def test_room_comes_back_after_refusals() -> None:
    async def often() -> None:
        one = printing()
        for _ in range(2 * (THREADS + MOST_WAITING)):
            with pytest.raises(ServiceError, match="301"):
                await one.printed(b"<")

    asyncio.run(often())


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ServiceError, match="TB4006"):
        printing().print(XML)
    issuer, pdf = printing().for_mail(replace(record(1), cfdi=XML))
    assert issuer
    assert pdf is None

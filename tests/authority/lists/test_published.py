from __future__ import annotations

import multiprocessing
import os
import queue
from collections.abc import Callable
from datetime import date, datetime, timedelta
from multiprocessing.queues import Queue
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.authority.lists.signing import NOW, importer, lco, lrfc, published, seal, taxpayer

from timbra.authority.lists.list_store import ListStore
from timbra.authority.lists.packed.certificate_rows import PublishedCertificate
from timbra.authority.lists.published import PublishedLists, PublishedTaxpayer
from timbra.authority.lists.sources.part_names import ListKind
from timbra.errors import ServiceError
from timbra.rules.engine.ports import (
    ListedCertificateRow,
    Obligations,
    RegisteredNames,
    RegisteredTaxpayer,
    TaxpayerMarks,
    Taxpayers,
)

KEMPER, XIA = "EKU9003173C9", "XIA190128J61"
COLUMNS = "NOMBRE=name,RETENCION=withholding"
MEXICO = ZoneInfo("America/Mexico_City")


def put_lco(folder: Path, *taxpayers: str, day: date = date(2026, 11, 20)) -> None:
    path = published(folder, "lco", lco(*taxpayers))
    importer(folder / "lists").run(ListKind.LCO, [path], dated=day, force=True)


def put_lrfc(folder: Path, *rows: str, day: date = date(2026, 11, 20), header: str = "RFC|NOMBRE|RETENCION") -> None:
    path = published(folder, "lrfc", lrfc(*rows, header=header))
    importer(folder / "lists", columns=COLUMNS).run(ListKind.LRFC, [path], dated=day, force=True)


def test_published_lists_are_empty_when_nothing_is_imported(tmp_path: Path) -> None:
    lists = PublishedLists(tmp_path / "lists")
    current = lists.current
    assert (current.taxpayers, current.obligations, current.names, current.marks) == (None, None, None, None)
    assert (lists.lists_version, lists.age(NOW)) == ("", None)
    assert (lists.taxpayer(KEMPER), lists.obligations(KEMPER), lists.certificate(KEMPER, "0" * 20)) == (None,) * 3


def test_each_list_stands_alone(tmp_path: Path) -> None:
    lists = PublishedLists(tmp_path / "lists")
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    alone = lists.current
    assert (alone.taxpayers, alone.names, alone.marks) == (None, None, None)
    assert lists.obligations(KEMPER) == 1
    put_lrfc(tmp_path, f"{KEMPER}|0|0", header="RFC|SNCF|SUBCONTRATACION")
    both = lists.current
    assert both.taxpayers is not None
    assert (both.names, both.marks) == (None, None)
    assert lists.obligations(KEMPER) == 1


def test_rules_can_ask_them(tmp_path: Path) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    put_lrfc(tmp_path, f"{KEMPER}|ESCUELA KEMPER URGATE|1")
    lists = PublishedLists(tmp_path / "lists")
    current = lists.current
    assert current.taxpayers is not None
    assert current.obligations is not None
    assert current.names is not None
    assert current.marks is not None
    asked: tuple[Taxpayers, Taxpayers, Obligations, Obligations] = (
        lists,
        current.taxpayers,
        lists,
        current.obligations,
    )
    names: RegisteredNames = current.names
    marks: TaxpayerMarks = current.marks
    row: RegisteredTaxpayer | None = asked[0].taxpayer(KEMPER)
    assert row == asked[1].taxpayer(KEMPER)
    assert row == PublishedTaxpayer(KEMPER, "ESCUELA KEMPER URGATE", "", frozenset(), withholding="1")
    found: ListedCertificateRow | None = asked[2].certificate(KEMPER, f"{1:020}")
    assert found == asked[3].certificate(KEMPER, f"{1:020}")
    assert isinstance(found, PublishedCertificate)
    assert (marks.withholding(KEMPER), marks.withholding(XIA)) == ("1", None)
    assert names.is_registered("ESCUELA KEMPER URGATE")
    assert not names.is_registered("ESCUELA KEMPER URGATE SA DE CV")


@pytest.mark.parametrize("rfc", ["", "|", "\n", f"{KEMPER}|ESC", f"{KEMPER}\n", KEMPER.lower(), "\ud800", "Ñ" * 13])
def test_taxpayer_is_none_for_text_that_is_no_rfc(tmp_path: Path, rfc: str) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    put_lrfc(tmp_path, f"{KEMPER}|ESCUELA|")
    lists = PublishedLists(tmp_path / "lists")
    assert (lists.taxpayer(rfc), lists.obligations(rfc), lists.certificate(rfc, f"{1:020}")) == (None, None, None)


@pytest.mark.parametrize("number", ["", "1", "0" * 19, "0" * 21, "Ñ" * 20, "\ud800" * 20])
def test_what_is_no_number_is_no_certificate(tmp_path: Path, number: str) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(0)))
    assert PublishedLists(tmp_path / "lists").certificate(KEMPER, number) is None


def test_the_age_is_that_of_the_oldest_list(tmp_path: Path) -> None:
    put_lco(tmp_path, taxpayer(KEMPER), day=date(2026, 11, 20))
    put_lrfc(tmp_path, f"{KEMPER}||", day=date(2026, 11, 18))
    lists = PublishedLists(tmp_path / "lists")
    assert lists.lists_version == "LCO 2026-11-20, l_RFC 2026-11-18"
    assert lists.age(datetime(2026, 11, 20, 1, 30, tzinfo=MEXICO)) == timedelta(days=2, hours=1, minutes=30)


def test_a_swap_is_seen_by_the_next_question_and_not_by_the_request_under_way(tmp_path: Path) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    lists = PublishedLists(tmp_path / "lists")
    under_way = lists.current
    for obligations in "0234":
        put_lco(tmp_path, taxpayer(KEMPER, seal(1, obligations=obligations)))
        assert lists.obligations(KEMPER) == int(obligations)
        assert under_way.obligations is not None
        assert under_way.obligations.obligations(KEMPER) == 1
    assert lists.current is lists.current


def test_a_list_swapped_twice_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that were just read of are gone: what is in force by now is opened instead."""
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    read = ListStore.editions
    slow = iter([True])

    def overtaken(self: ListStore, name: str = "current.json") -> object:
        found = read(self, name)
        if next(slow, False):
            for path in self.folder.glob("*.list"):
                path.unlink()
            put_lco(tmp_path, taxpayer(KEMPER, seal(1, obligations="3")))
        return found

    monkeypatch.setattr(ListStore, "editions", overtaken)
    assert PublishedLists(tmp_path / "lists").obligations(KEMPER) == 3


def broken_record(folder: Path) -> None:
    (folder / "current.json").write_text("{")


def strange_record(folder: Path) -> None:
    (folder / "current.json").write_text('{"lists-1": {"LCO": {"file": 1}}}')


def record_of_the_future(folder: Path) -> None:
    (folder / "current.json").write_text('{"lists-2": {}}')


def missing_file(folder: Path) -> None:
    for path in folder.glob("*.list"):
        path.unlink()


def cut_file(folder: Path) -> None:
    for path in folder.glob("*.list"):
        os.truncate(path, path.stat().st_size - 1)


@pytest.mark.parametrize("harm", [broken_record, strange_record, record_of_the_future, missing_file, cut_file])
def test_damage_is_told_and_never_taken_for_an_answer(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    harm(tmp_path / "lists")
    lists = PublishedLists(tmp_path / "lists")
    for _ in range(2):
        with pytest.raises(ServiceError) as caught:
            lists.obligations(KEMPER)
        assert caught.value.code == "list-damaged"


def _serve(folder: Path, told: Queue[object], asked: Queue[object]) -> None:
    """A worker: answers what it sees, whenever it is asked."""
    lists = PublishedLists(folder)
    while asked.get(timeout=20) is not None:
        told.put((lists.lists_version, lists.obligations(KEMPER)))


def test_another_process_sees_the_swap(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    told: Queue[object] = context.Queue()
    asked: Queue[object] = context.Queue()
    worker = context.Process(target=_serve, args=(tmp_path / "lists", told, asked))
    worker.start()
    try:
        asked.put("?")
        assert told.get(timeout=20) == ("", None)
        for day, obligations in ((20, 1), (21, 0)):
            put_lco(tmp_path, taxpayer(KEMPER, seal(1, obligations=str(obligations))), day=date(2026, 11, day))
            asked.put("?")
            assert told.get(timeout=20) == (f"LCO 2026-11-{day}", obligations)
        with pytest.raises(queue.Empty):
            told.get(block=False)
    finally:
        asked.put(None)
        worker.join(20)
        for channel in (told, asked):
            channel.close()
            channel.join_thread()
    assert worker.exitcode == 0

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
from tests.lists.signing import NOW, importer, lco, lrfc, published, seal, taxpayer

from timbra.core.errors import ServiceError
from timbra.lists.list_store import ListStore
from timbra.lists.packed.certificate_rows import PublishedCertificate
from timbra.lists.published import PublishedLists, PublishedTaxpayer
from timbra.lists.sources.part_names import ListKind
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


def test_current_has_each_list_independently(tmp_path: Path) -> None:
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


def test_current_implements_the_ports_of_the_rules(tmp_path: Path) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    put_lrfc(tmp_path, f"{KEMPER}|ESCUELA KEMPER URGATE|1")
    lists = PublishedLists(tmp_path / "lists")
    current = lists.current
    assert current.taxpayers is not None
    assert current.obligations is not None
    assert current.names is not None
    assert current.marks is not None
    ports: tuple[Taxpayers, Taxpayers, Obligations, Obligations] = (
        lists,
        current.taxpayers,
        lists,
        current.obligations,
    )
    names: RegisteredNames = current.names
    marks: TaxpayerMarks = current.marks
    row: RegisteredTaxpayer | None = ports[0].taxpayer(KEMPER)
    assert row == ports[1].taxpayer(KEMPER)
    assert row == PublishedTaxpayer(KEMPER, "ESCUELA KEMPER URGATE", "", frozenset(), withholding="1")
    found: ListedCertificateRow | None = ports[2].certificate(KEMPER, f"{1:020}")
    assert found == ports[3].certificate(KEMPER, f"{1:020}")
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
def test_certificate_is_none_for_text_that_is_no_number(tmp_path: Path, number: str) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(0)))
    assert PublishedLists(tmp_path / "lists").certificate(KEMPER, number) is None


def test_age_is_that_of_the_oldest_list(tmp_path: Path) -> None:
    put_lco(tmp_path, taxpayer(KEMPER), day=date(2026, 11, 20))
    put_lrfc(tmp_path, f"{KEMPER}||", day=date(2026, 11, 18))
    lists = PublishedLists(tmp_path / "lists")
    assert lists.lists_version == "LCO 2026-11-20, l_RFC 2026-11-18"
    assert lists.age(datetime(2026, 11, 20, 1, 30, tzinfo=MEXICO)) == timedelta(days=2, hours=1, minutes=30)


def test_current_changes_with_an_import_and_snapshots_do_not(tmp_path: Path) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    lists = PublishedLists(tmp_path / "lists")
    under_way = lists.current
    for obligations in "0234":
        put_lco(tmp_path, taxpayer(KEMPER, seal(1, obligations=obligations)))
        assert lists.obligations(KEMPER) == int(obligations)
        assert under_way.obligations is not None
        assert under_way.obligations.obligations(KEMPER) == 1
    assert lists.current is lists.current


def test_current_opens_the_newest_list_when_files_are_replaced_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of the record were deleted after it was read; the current ones are opened instead."""
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    read = ListStore.editions
    slow = iter([True])

    def replaced_meanwhile(self: ListStore, name: str = "current.json") -> object:
        found = read(self, name)
        if next(slow, False):
            for path in self.folder.glob("*.list"):
                path.unlink()
            put_lco(tmp_path, taxpayer(KEMPER, seal(1, obligations="3")))
        return found

    monkeypatch.setattr(ListStore, "editions", replaced_meanwhile)
    assert PublishedLists(tmp_path / "lists").obligations(KEMPER) == 3


def broken_record(folder: Path) -> None:
    (folder / "current.json").write_text("{")


def malformed_record(folder: Path) -> None:
    (folder / "current.json").write_text('{"lists-1": {"LCO": {"file": 1}}}')


def record_of_a_newer_version(folder: Path) -> None:
    (folder / "current.json").write_text('{"lists-2": {}}')


def missing_file(folder: Path) -> None:
    for path in folder.glob("*.list"):
        path.unlink()


def cut_file(folder: Path) -> None:
    for path in folder.glob("*.list"):
        os.truncate(path, path.stat().st_size - 1)


@pytest.mark.parametrize("harm", [broken_record, malformed_record, record_of_a_newer_version, missing_file, cut_file])
def test_obligations_raises_when_the_list_is_damaged(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    put_lco(tmp_path, taxpayer(KEMPER, seal(1)))
    harm(tmp_path / "lists")
    lists = PublishedLists(tmp_path / "lists")
    for _ in range(2):
        with pytest.raises(ServiceError) as caught:
            lists.obligations(KEMPER)
        assert caught.value.code == "list-damaged"


def _serve(folder: Path, answers: Queue[object], requests: Queue[object]) -> None:
    """Send the lists that this worker sees for each request."""
    lists = PublishedLists(folder)
    while requests.get(timeout=20) is not None:
        answers.put((lists.lists_version, lists.obligations(KEMPER)))


def test_current_sees_imports_of_another_process(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers: Queue[object] = context.Queue()
    requests: Queue[object] = context.Queue()
    worker = context.Process(target=_serve, args=(tmp_path / "lists", answers, requests))
    worker.start()
    try:
        requests.put("?")
        assert answers.get(timeout=20) == ("", None)
        for day, obligations in ((20, 1), (21, 0)):
            put_lco(tmp_path, taxpayer(KEMPER, seal(1, obligations=str(obligations))), day=date(2026, 11, day))
            requests.put("?")
            assert answers.get(timeout=20) == (f"LCO 2026-11-{day}", obligations)
        with pytest.raises(queue.Empty):
            answers.get(block=False)
    finally:
        requests.put(None)
        worker.join(20)
        for channel in (answers, requests):
            channel.close()
            channel.join_thread()
    assert worker.exitcode == 0

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.lists.signing import NOW, importer, lco, lrfc, published, seal, taxpayer

from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.lists.drop_folder import DropFolder, ListDelivery, refresh
from timbra.lists.importer import ListImporter
from timbra.lists.published import PublishedLists
from timbra.lists.sources.part_names import ListKind

KEMPER = "EKU9003173C9"
LATER = FixedClock(NOW + timedelta(minutes=10))
CONTENT = lco(taxpayer(KEMPER, seal(1)))


@pytest.fixture
def drop(tmp_path: Path) -> Path:
    folder = tmp_path / "lists" / "incoming"
    folder.mkdir(parents=True)
    return folder


def put(drop: Path, name: str, content: bytes = CONTENT) -> Path:
    """Write a file with the modification time `NOW`."""
    path = published(drop, name, content)
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    return path


def names(drop: Path) -> set[str]:
    return {path.name for path in drop.iterdir()}


def test_refresh_imports_deliveries_of_the_folder(tmp_path: Path, drop: Path) -> None:
    put(drop, "LCO_2026-11-20_1.XML.gz")
    put(drop, "LCO_2026-11-20_2.XML.gz", lco(taxpayer("XIA190128J61", seal(2))))
    put(drop, "l_RFC_2026_11_19_1.txt.gz", lrfc(f"{KEMPER}|0|0"))
    (drop / "LCO_2026-11-21_1.XML.gz.part").write_text("being written")
    outcomes = refresh(importer(tmp_path / "lists"), DropFolder(drop, LATER))
    assert [(outcome.delivery.kind, outcome.delivery.dated) for outcome in outcomes] == [
        (ListKind.LCO, date(2026, 11, 20)),
        (ListKind.LRFC, date(2026, 11, 19)),
    ]
    assert all(outcome.edition is not None and outcome.rejection is None for outcome in outcomes)
    lists = PublishedLists(tmp_path / "lists")
    assert lists.lists_version == "LCO 2026-11-20, l_RFC 2026-11-19"
    assert lists.certificate("XIA190128J61", f"{2:020}") is not None
    assert names(drop) == {"LCO_2026-11-21_1.XML.gz.part"}
    assert refresh(importer(tmp_path / "lists"), DropFolder(drop, LATER)) == []


def test_refresh_does_nothing_when_the_folder_is_missing(tmp_path: Path) -> None:
    assert refresh(importer(tmp_path / "lists"), DropFolder(tmp_path / "none", LATER)) == []
    assert not (tmp_path / "none").exists()


def test_deliveries_excludes_recently_modified_files(drop: Path) -> None:
    put(drop, "LCO_2026-11-20_1.XML.gz")
    assert DropFolder(drop, FixedClock(NOW + timedelta(seconds=119))).deliveries() == []
    assert len(DropFolder(drop, FixedClock(NOW + timedelta(seconds=120))).deliveries()) == 1


def test_deliveries_waits_for_missing_parts(drop: Path) -> None:
    put(drop, "LCO_2026-11-20_2.XML.gz")
    assert DropFolder(drop, LATER).deliveries() == []
    put(drop, "LCO_2026-11-20_1.XML.gz")
    (delivery,) = DropFolder(drop, LATER).deliveries()
    assert [path.name for path in delivery.paths] == ["LCO_2026-11-20_1.XML.gz", "LCO_2026-11-20_2.XML.gz"]


def test_imported_deletes_the_delivery_and_older_ones(tmp_path: Path, drop: Path) -> None:
    for day in (18, 20, 19):
        put(drop, f"LCO_2026-11-{day}_1.XML.gz")
    put(drop, "l_RFC_2026_11_18_1.txt.gz", lrfc(f"{KEMPER}|0|0"))
    source = DropFolder(drop, LATER)
    deliveries = source.deliveries()
    assert [delivery.dated.day for delivery in deliveries] == [20, 18]
    source.imported(deliveries[0])
    assert names(drop) == {"l_RFC_2026_11_18_1.txt.gz"}


def test_refresh_retries_a_rejected_delivery_when_it_changes(tmp_path: Path, drop: Path) -> None:
    lists, source = importer(tmp_path / "lists"), DropFolder(drop, LATER)
    put(drop, "LCO_2026-11-20_1.XML.gz")
    refresh(lists, source)
    path = put(drop, "LCO_2026-11-20_1.XML.gz")
    path.write_bytes(path.read_bytes()[:-30])
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    (outcome,) = refresh(lists, source)
    assert outcome.edition is None
    assert outcome.rejection is not None
    assert outcome.rejection.code == "list-unreadable"
    assert PublishedLists(tmp_path / "lists").lists_version == "LCO 2026-11-20"
    assert names(drop) == {path.name, "refused.json"}
    assert json.loads((drop / "refused.json").read_text())["LCO 2026-11-20"]["code"] == "list-unreadable"
    assert refresh(lists, DropFolder(drop, LATER)) == []
    put(drop, "LCO_2026-11-20_1.XML.gz")
    assert [outcome.edition is not None for outcome in refresh(lists, source)] == [True]
    assert names(drop) == set()


def test_refresh_rejects_a_list_of_tomorrow_once_and_imports_it_on_its_day(tmp_path: Path, drop: Path) -> None:
    lists = tmp_path / "lists"
    put(drop, "LCO_2026-11-21_1.XML.gz", lco(taxpayer(KEMPER, seal(2))))
    put(drop, "LCO_2026-11-20_1.XML.gz")
    outcomes = refresh(importer(lists), DropFolder(drop, LATER))
    codes = [outcome.rejection.code if outcome.rejection else "" for outcome in outcomes]
    assert (codes, PublishedLists(lists).lists_version) == (["", "list-refused"], "LCO 2026-11-20")
    assert names(drop) == {"LCO_2026-11-21_1.XML.gz", "refused.json"}
    assert refresh(importer(lists), DropFolder(drop, LATER)) == []
    midnight = FixedClock(datetime(2026, 11, 21, 6, 0, tzinfo=UTC))
    (outcome,) = refresh(importer(lists, clock=midnight), DropFolder(drop, midnight))
    assert outcome.rejection is None
    assert PublishedLists(lists).lists_version == "LCO 2026-11-21"
    assert names(drop) == set()


@pytest.mark.parametrize("record", ["{", "[]", '{"LCO": 1}', ""])
def test_deliveries_ignores_an_unreadable_record_of_rejections(drop: Path, record: str) -> None:
    put(drop, "LCO_2026-11-20_1.XML.gz")
    (drop / "refused.json").write_text(record)
    assert len(DropFolder(drop, LATER).deliveries()) == 1


class Service:
    """A source that is no folder and records what it is notified of."""

    def __init__(self, *paths: Path) -> None:
        self.paths = paths
        self.notifications: list[str] = []

    def deliveries(self) -> Sequence[ListDelivery]:
        return [ListDelivery(ListKind.LCO, date(2026, 11, 20), self.paths)]

    def imported(self, delivery: ListDelivery) -> None:
        self.notifications.append("imported")

    def rejected(self, delivery: ListDelivery, rejection: ServiceError) -> None:
        self.notifications.append(rejection.code)


def test_refresh_accepts_any_source(tmp_path: Path) -> None:
    lists = importer(tmp_path / "lists")
    good, bad = Service(published(tmp_path, "lista", CONTENT)), Service(published(tmp_path, "otra", b"<x/>"))
    assert [outcome.edition is not None for outcome in refresh(lists, good)] == [True]
    assert [outcome.edition is not None for outcome in refresh(lists, bad)] == [False]
    assert (good.notifications, bad.notifications) == (["imported"], ["list-unreadable"])


def test_refresh_returns_nothing_when_another_worker_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = published(tmp_path, "lista", CONTENT)
    source, lists = Service(path), importer(tmp_path / "lists")

    def busy(*_: object, **__: object) -> None:
        raise ServiceError("list-busy")

    with monkeypatch.context() as patched:
        patched.setattr(ListImporter, "run", busy)
        assert refresh(lists, source) == []
    path.unlink()
    assert refresh(lists, source) == []
    assert source.notifications == []

"""Fetching of lists from a folder: schedule, versions, control files, rejected files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.lists.signing import importer, lco, published, seal, taxpayer

from timbra.core.errors import ServiceError
from timbra.lists.fetch.fetch_state import read_fetch_state
from timbra.lists.fetch.fetcher import FetchStatus, ListFetcher
from timbra.lists.fetch.folder_source import CommandSource, FolderSource
from timbra.lists.fetch.source import FileSource
from timbra.lists.published import PublishedLists
from timbra.lists.sources.part_names import ListKind

FILE = "fetch.json"

KEMPER, XIA = "EKU9003173C9", "XIA190128J61"
INTERVAL = timedelta(minutes=5)
PERMITS = b"NumeroPermiso|RFC|Clave\nPL/1/EXP/ES/2015|EKU9003173C9|PR03\nPL/1/EXP/ES/2015|EKU9003173C9|PR07\n"


class SteppedClock:
    def __init__(self) -> None:
        self.instant = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.instant


class Fetching:
    """A folder that publishes lists, and the fetcher of it."""

    def __init__(self, folder: Path) -> None:
        self.clock = SteppedClock()
        self.source = folder / "source"
        self.source.mkdir()
        self.lists = folder / "lists"
        self.downloads: list[str] = []
        publisher = FolderSource(self.source)
        self.fetcher = self.fetcher_of(dict.fromkeys(ListKind, publisher))

    def fetcher_of(self, sources: Mapping[ListKind, FileSource]) -> ListFetcher:
        return ListFetcher(importer(self.lists, clock=self.clock), sources, self.clock, INTERVAL)

    def put(self, name: str, content: bytes) -> Path:
        return published(self.source, name, content)

    def status(self, kind: ListKind = ListKind.LCO, *, force: bool = False) -> str:
        """The status, or the code of the failure."""
        outcome = self.fetcher.fetch(kind, force=force)
        return str(outcome.status) if outcome.failure is None else outcome.failure.code

    def obligations(self, rfc: str = KEMPER) -> int | None:
        return PublishedLists(self.lists).obligations(rfc)


@pytest.fixture
def fetching(tmp_path: Path) -> Fetching:
    return Fetching(tmp_path)


def content(obligations: str = "1", *others: str) -> bytes:
    return lco(taxpayer(KEMPER, seal(1, obligations=obligations)), *others)


def test_fetch_imports_a_change_once(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    assert [fetching.status(), fetching.status()] == ["imported", "unchanged"]
    fetching.put("LCO_2026-11-20_1.XML.gz", content("2", taxpayer(XIA, seal(2))))
    outcome = fetching.fetcher.fetch(ListKind.LCO)
    assert outcome.status is FetchStatus.IMPORTED
    assert outcome.edition is not None
    assert (outcome.edition.added, outcome.edition.removed, outcome.edition.changed) == (1, 0, 1)
    assert fetching.obligations() == 2


def test_fetch_takes_the_newest_day(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-19_1.XML.gz", content("1"))
    fetching.put("LCO_2026-11-20_1.XML.gz", content("3"))
    assert fetching.status() == "imported"
    assert fetching.obligations() == 3


def test_fetch_imports_the_list_of_today_and_reports_one_of_tomorrow(fetching: Fetching) -> None:
    tomorrow = fetching.put("LCO_2026-11-21_1.XML.gz", content("2"))
    assert fetching.status() == "list-refused"
    assert fetching.obligations() is None
    fetching.put("LCO_2026-11-20_1.XML.gz", content("3"))
    outcome = fetching.fetcher.fetch(ListKind.LCO)
    assert outcome.edition is not None
    assert outcome.failure is not None
    assert "2026-11-21" in (outcome.failure.detail or "")
    assert fetching.obligations() == 3
    failing = read_fetch_state(fetching.lists)[ListKind.LCO]
    assert (failing.code, failing.failing_since) == ("list-refused", fetching.clock.now())
    fetching.clock.instant += timedelta(hours=1)
    assert fetching.status() == "list-refused"
    assert read_fetch_state(fetching.lists)[ListKind.LCO].failing_since == failing.failing_since
    tomorrow.unlink()
    assert fetching.status() == "unchanged"
    assert read_fetch_state(fetching.lists)[ListKind.LCO].code == ""


def test_fetch_imports_the_list_of_tomorrow_on_its_day(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content("3"))
    fetching.put("LCO_2026-11-21_1.XML.gz", content("2"))
    assert fetching.status() == "list-refused"
    fetching.clock.instant = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)
    assert fetching.fetcher.due()[:1] == [ListKind.LCO]
    assert fetching.status() == "imported"
    assert fetching.obligations() == 2


def test_fetch_keeps_the_list_when_the_source_has_an_older_one(fetching: Fetching) -> None:
    newest = fetching.put("LCO_2026-11-20_1.XML.gz", content("3"))
    assert fetching.status() == "imported"
    newest.unlink()
    fetching.put("LCO_2026-11-19_1.XML.gz", content("1"))
    assert fetching.status() == "list-refused"
    assert fetching.obligations() == 3
    assert fetching.status(force=True) == "imported"
    assert fetching.obligations() == 1


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("LCO_2026-11-21_1.XML.gz", b"<!DOCTYPE html><html><body>Mantenimiento</body></html>", "list-unreadable"),
        ("LCO_2026-11-21_1.XML.gz", b"\x1f\x8b\x08", "list-unreadable"),
        ("LCO_2026-11-21_2.XML.gz", b"second part", "list-refused"),
        ("LCO_2026-11-21_1.XML.gz", b"", "list-unreadable"),
    ],
    ids=["html", "half-gzip", "missing-part", "empty"],
)
def test_fetch_keeps_the_list_when_a_file_is_wrong(fetching: Fetching, name: str, data: bytes, code: str) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content("3"))
    assert fetching.status() == "imported"
    fetching.clock.instant += timedelta(days=1)
    (fetching.source / name).write_bytes(data)
    assert fetching.status() == code
    record = read_fetch_state(fetching.lists)[ListKind.LCO]
    assert (record.code, record.failing_since) == (code, fetching.clock.now())
    assert fetching.obligations() == 3


def test_fetch_repeats_rejected_files_after_an_hour_or_a_change(fetching: Fetching) -> None:
    wrong = fetching.source / "LCO_2026-11-20_1.XML.gz"
    wrong.write_bytes(b"not a list")
    copies: list[str] = []

    class Counting(FolderSource):
        def download(self, file, known_version, path):  # type: ignore[no-untyped-def]
            copies.append(file.name)
            return super().download(file, known_version, path)

    fetching.fetcher = fetching.fetcher_of({ListKind.LCO: Counting(fetching.source)})
    assert [fetching.status() for _ in range(3)] == ["list-unreadable"] * 3
    assert len(copies) == 1
    fetching.clock.instant += timedelta(hours=1)
    assert fetching.status() == "list-unreadable"
    assert len(copies) == 2
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    assert fetching.status() == "imported"
    assert read_fetch_state(fetching.lists)[ListKind.LCO].failing_since is None


def put_permits(fetching: Fetching, digest: str = "", count: str = "1") -> None:
    path = fetching.put("L_CNE_2026_11_20_1.txt.gz", PERMITS)
    digest = digest or hashlib.sha256(path.read_bytes()).hexdigest()
    (fetching.source / "L_CNE_2026_11_20_control.txt").write_text(f"{count}\n{path.name}|{digest}\n")


def test_fetch_compares_permits_with_their_control_file(fetching: Fetching) -> None:
    put_permits(fetching)
    assert fetching.status(ListKind.LCNE) == "imported"
    permits = PublishedLists(fetching.lists).current.permits
    assert permits is not None
    found = permits.permit("PL/1/EXP/ES/2015")
    assert found is not None
    assert (found.rfc, sorted(found.fuels)) == (KEMPER, ["PR03", "PR07"])
    assert permits.permit("PL/2/EXP/ES/2015") is None
    assert permits.permit("PL/1/EXP/ES/2015|EKU9003173C9") is None


@pytest.mark.parametrize(("digest", "count"), [("0" * 64, "1"), ("", "2"), ("no hash", "1")])
def test_fetch_rejects_permits_that_the_control_file_does_not_name(fetching: Fetching, digest: str, count: str) -> None:
    put_permits(fetching, digest, count)
    assert fetching.status(ListKind.LCNE) == "list-hash"


def test_fetch_rejects_permits_without_a_control_file(fetching: Fetching) -> None:
    fetching.put("L_CNE_2026_11_20_1.txt.gz", PERMITS)
    assert fetching.status(ListKind.LCNE) == "list-refused"


def test_due_names_a_list_at_each_interval_and_at_midnight(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    fetching.fetcher = fetching.fetcher_of({ListKind.LCO: FolderSource(fetching.source)})
    assert fetching.fetcher.due() == [ListKind.LCO]
    fetching.clock.instant = datetime(2026, 11, 21, 5, 58, tzinfo=UTC)  # 23:58 in central Mexico
    fetching.status()
    assert fetching.fetcher.due() == []
    fetching.clock.instant += timedelta(minutes=2)
    assert fetching.fetcher.due() == [ListKind.LCO]
    fetching.status()
    fetching.clock.instant += INTERVAL - timedelta(seconds=1)
    assert fetching.fetcher.due() == []
    fetching.clock.instant += timedelta(seconds=1)
    assert fetching.fetcher.due() == [ListKind.LCO]


def test_fetch_state_that_is_damaged_is_replaced(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    fetching.lists.mkdir()
    (fetching.lists / FILE).write_text("{half")
    assert fetching.status() == "imported"
    assert json.loads((fetching.lists / FILE).read_text())["LCO"]["code"] == ""


def test_fetch_leaves_no_downloads_behind(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    fetching.status()
    (fetching.source / "LCO_2026-11-20_1.XML.gz").write_bytes(b"wrong")
    fetching.status()
    assert not list(fetching.lists.glob("fetching-*"))


def test_command_source_fills_the_folder(fetching: Fetching, tmp_path: Path) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    command = f"cp -p {fetching.source}/LCO_2026-11-20_1.XML.gz {{folder}}"
    fetching.fetcher = fetching.fetcher_of({ListKind.LCO: CommandSource(command, tmp_path / "downloaded", 60)})
    assert [fetching.status(), fetching.status()] == ["imported", "unchanged"]


@pytest.mark.parametrize(
    ("command", "text"),
    [("false", "terminó con el estado 1"), ("timbra-no-such-program", "No such file"), ("sleep 60", "no terminó")],
)
def test_command_source_fails_with_its_program(tmp_path: Path, command: str, text: str) -> None:
    with pytest.raises(ServiceError, match=text) as caught:
        CommandSource(command, tmp_path / "downloaded", 0.2).files(ListKind.LCO)
    assert caught.value.code == "list-source"


def test_folder_source_fails_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ServiceError) as caught:
        FolderSource(tmp_path / "missing").files(ListKind.LCO)
    assert caught.value.code == "list-source"


RATES = """{"bmx": {"series": [{"idSerie": "SF60653", "titulo": "x", "datos": [
    {"fecha": "18/11/2026", "dato": "18.1234"}, {"fecha": "19/11/2026", "dato": "N/E"},
    {"fecha": "20/11/2026", "dato": "18.2500"}]}]}}"""


def test_fetch_adds_exchange_rates_to_those_in_force(fetching: Fetching) -> None:
    path = fetching.source / "tipos-de-cambio_2026-11-20_1.json"
    path.write_text(RATES)
    assert fetching.status(ListKind.EXCHANGE_RATES) == "imported"
    path.unlink()
    (fetching.source / "tipos-de-cambio_2026-11-21_1.csv").write_text(
        "fecha,moneda,pesos\n21/11/2026,USD,18.30\n2026-11-21,EUR,21.05\n"
    )
    assert fetching.status(ListKind.EXCHANGE_RATES) == "imported"
    rates = PublishedLists(fetching.lists).current.rates
    assert rates is not None
    assert [str(rates.published("USD", date(2026, 11, day))) for day in (17, 18, 19, 20, 21, 28, 29)] == [
        "None",
        "18.1234",
        "18.1234",
        "18.2500",
        "18.30",
        "18.30",
        "None",
    ]
    assert str(rates.published("EUR", date(2026, 11, 21))) == "21.05"


def test_fetch_waits_for_another_import(fetching: Fetching) -> None:
    fetching.put("LCO_2026-11-20_1.XML.gz", content())
    with importer(fetching.lists).store.changing():
        assert fetching.status() == "list-busy"
    assert read_fetch_state(fetching.lists) == {}
    assert fetching.status() == "imported"


def test_identifier_is_that_of_the_folder(tmp_path: Path) -> None:
    first, second = PublishedLists(tmp_path / "one"), PublishedLists(tmp_path / "other")
    assert first.identifier() == PublishedLists(tmp_path / "one").identifier() != second.identifier()
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["identifier"]

"""What the refresh of lists records: events, metrics, log lines of failures once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from tests.lists.signing import authority, lco, published, seal, taxpayer
from tests.support.databases import prepare_sqlite
from tests.support.store_records import MovableClock

from timbra.app.composition import Container, open_container
from timbra.core.metrics import LIST_FETCHES
from timbra.database.build import opened_database
from timbra.events.event_log import newest_events
from timbra.lists.history import list_history
from timbra.lists.importing import list_importer, list_refresh
from timbra.lists.sources.part_names import ListKind
from timbra.settings import Settings

FAILED = "list.failed"
IMPORTED = "list.imported"


class Refreshing:
    """A container that fetches the LCO from a folder."""

    def __init__(self, container: Container, source: Path, clock: MovableClock) -> None:
        self.container = container
        self.source = source
        self.clock = clock

    def put(self, content: bytes = b"") -> None:
        published(self.source, "LCO_2026-11-20_1.XML.gz", content or lco(taxpayer("EKU9003173C9", seal(1))))

    def run_job(self) -> None:
        self.clock.advance(minutes=10)
        self.container.get(list_refresh).run_due()

    def events(self, kind: str) -> int:
        return len(newest_events(self.container.get(opened_database), kind, ("LCO",), 10))

    def count(self, outcome: str) -> int:
        return self.container.metrics.counts.get((LIST_FETCHES.name, ("LCO", outcome)), 0)

    def fetch(self) -> str:
        [outcome] = self.container.get(list_refresh).fetch([ListKind.LCO])
        return str(outcome.status) if outcome.failure is None else outcome.failure.code


@pytest.fixture
def refreshing(tmp_path: Path) -> Iterator[Refreshing]:
    data, source, trust = tmp_path / "data", tmp_path / "source", tmp_path / "trust"
    prepare_sqlite(data)
    for folder in (source, trust):
        folder.mkdir()
    (trust / "ca.cer").write_bytes(authority().der)
    settings = Settings(data=data, trust_dir=trust, lists_source=f"folder:{source}", lists_fetched="LCO")
    clock = MovableClock(datetime(2026, 11, 20, 18, tzinfo=UTC))
    with open_container(settings, clock) as container:
        yield Refreshing(container, source, clock)


def test_refresh_records_an_import_with_its_node(refreshing: Refreshing) -> None:
    refreshing.put()
    assert [refreshing.fetch(), refreshing.fetch()] == ["imported", "unchanged"]
    assert (refreshing.events(IMPORTED), refreshing.count("imported"), refreshing.count("unchanged")) == (1, 1, 1)


def test_list_history_has_the_imports_of_a_list_newest_first(refreshing: Refreshing) -> None:
    history = partial(list_history, refreshing.container.get(opened_database))
    refreshing.put()
    refreshing.fetch()
    refreshing.clock.advance(days=1)
    other = lco(taxpayer("EKU9003173C9", seal(2)))
    published(refreshing.source, "LCO_2026-11-21_1.XML.gz", other)
    assert refreshing.fetch() == "imported"
    newest, oldest = history(("LCO",), 10)
    assert (newest[1:3], oldest[1:3]) == (("LCO", date(2026, 11, 21)), ("LCO", date(2026, 11, 20)))
    assert (newest[4], oldest[4]) == (datetime(2026, 11, 21, 18, tzinfo=UTC), datetime(2026, 11, 20, 18, tzinfo=UTC))
    assert history(("LCO",), 1) == [newest]
    assert history(("l_RFC",), 10) == []


def test_refresh_records_the_same_failure_once(refreshing: Refreshing) -> None:
    (refreshing.source / "LCO_2026-11-20_1.XML.gz").write_bytes(b"half")
    assert [refreshing.fetch() for _ in range(3)] == ["list-unreadable"] * 3
    assert (refreshing.events(FAILED), refreshing.count("list-unreadable")) == (1, 3)
    refreshing.put()
    assert refreshing.fetch() == "imported"
    (refreshing.source / "LCO_2026-11-20_1.XML.gz").write_bytes(b"half again")
    assert refreshing.fetch() == "list-unreadable"
    assert refreshing.events(FAILED) == 2


def test_refresh_does_not_record_that_another_process_imports(refreshing: Refreshing) -> None:
    refreshing.put()
    with list_importer(refreshing.container).store.changing():
        assert refreshing.fetch() == "list-busy"
    assert (refreshing.events(FAILED), refreshing.count("list-busy")) == (0, 1)


def test_job_logs_a_failure_once_and_its_end(refreshing: Refreshing) -> None:
    with capture_logs() as logs:
        refreshing.run_job()
        refreshing.run_job()
        refreshing.put()
        refreshing.run_job()
    assert [(line["log_level"], line["event"]) for line in logs] == [
        ("error", "list not imported"),
        ("info", "list imported"),
    ]

"""Construction of the sources of the published lists, and of what watches over them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from timbra.app.parts import cached_property
from timbra.app.stores import Stores

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from timbra.lists.fetch.fetch_state import FetchRecord
    from timbra.lists.fetch.source import FileSource
    from timbra.lists.health import ListHealth
    from timbra.lists.importer import Offload
    from timbra.lists.refresh import ListRefresh
    from timbra.lists.sources.part_names import ListKind
    from timbra.operations.clock_discipline import ClockDiscipline
    from timbra.operations.integrity import DatabaseIntegrity


class ListStores(Stores):
    """The refresh of the lists from their sources, and the watch over the lists and over the clock."""

    @cached_property
    def list_refresh(self) -> ListRefresh:
        """The refresh of the lists that have a source; the events go into the database."""
        from timbra.lists.fetch.fetcher import ListFetcher
        from timbra.lists.refresh import ListRefresh

        interval = timedelta(seconds=self.settings.lists_interval_seconds)
        fetcher = ListFetcher(self.list_importer(offload=self.list_offload), _sources(self), self.wall, interval)
        return ListRefresh(fetcher, self.event_log, self.metrics)

    def archive_problems(self) -> Sequence[str]:
        """Return what an operator must see to about archives, in Spanish."""
        return ()

    @property
    def list_offload(self) -> Offload | None:
        """Imports a large list in another process; None to import every list in this one."""
        return None

    @cached_property
    def list_health(self) -> ListHealth:
        """The watch over the lists in force; an environment with simulated lists needs none of them."""
        from timbra.lists.fetch.fetch_state import read_fetch_state
        from timbra.lists.health import ListHealth
        from timbra.settings.lists import max_ages

        needed = max_ages(self.settings.list_max_age_hours) if self.environment.requires_signed_lists else {}
        return ListHealth(
            lambda: self.lists.current.editions, lambda: read_fetch_state(self.list_folder), needed, self.wall
        )

    @cached_property
    def clock_discipline(self) -> ClockDiscipline:
        """The watch over the clock of the machine."""
        from timbra.operations.clock_discipline import ClockDiscipline, read_clock

        return ClockDiscipline(read_clock, self.settings.clock_max_error_seconds)

    @cached_property
    def database_integrity(self) -> DatabaseIntegrity:
        """The daily check of the database file."""
        from timbra.operations.integrity import DatabaseIntegrity

        file = self.database.engine.url.database if self.database.dialect == "sqlite" else None
        return DatabaseIntegrity(Path(file) if file else None, self.data, self.wall, self.stopping.is_set)

    def import_dropped_lists(self) -> None:
        """Import the SAT's lists found in the folder `lists/incoming`; for a periodic job."""
        from timbra.lists.drop_folder import DropFolder, refresh

        incoming = self.list_folder / "incoming"
        if not incoming.is_dir():
            return
        for outcome in refresh(self.list_importer(offload=self.list_offload), DropFolder(incoming, self.wall)):
            self.list_refresh.record_delivery(outcome)

    def fetch_records(self) -> Mapping[ListKind, FetchRecord]:
        """Return what the last query of each source found."""
        from timbra.lists.fetch.fetch_state import read_fetch_state

        return read_fetch_state(self.list_folder)

    def fetch_lists(self) -> None:
        """Fetch the lists whose sources must be queried now; for a periodic job of one worker of the folder."""
        self.list_refresh.run_due()


def _sources(stores: Stores) -> dict[ListKind, FileSource]:
    settings = stores.settings
    if not (settings.lists_source or settings.article_69b_source or settings.exchange_rates_source):
        return {}
    from timbra.lists.fetch.specification import SourceOptions, source_of
    from timbra.lists.sources.part_names import ListKind
    from timbra.sat.transport import Transport
    from timbra.settings.lists import split_names

    options = SourceOptions(Transport(), settings.lists_timeout_seconds, stores.wall, stores.list_folder / "downloaded")
    sources: dict[ListKind, FileSource] = {}
    if settings.lists_source:
        shared = source_of(settings.lists_source, options, single_file=False, name="sat")
        sources |= {ListKind(name): shared for name in split_names(settings.lists_fetched)}
    for kind, text in (
        (ListKind.ARTICLE_69B, settings.article_69b_source),
        (ListKind.EXCHANGE_RATES, settings.exchange_rates_source),
    ):
        if text:
            sources[kind] = source_of(text, options, single_file=True, name=str(kind))
    return sources

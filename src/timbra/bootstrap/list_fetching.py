"""Construction of the sources of the published lists, and of what watches over them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.authority.lists.fetch.source import FileSource
    from timbra.authority.lists.sources.part_names import ListKind
    from timbra.bootstrap.stores import Stores
    from timbra.service.operations.list_health import ListHealth
    from timbra.service.operations.list_refresh import ListRefresh


def list_refresh(stores: Stores) -> ListRefresh:
    """Build the refresh of the lists that have a source; the events go into the database."""
    from timbra.authority.lists.fetch.fetcher import ListFetcher
    from timbra.service.operations.list_refresh import ListRefresh

    interval = timedelta(seconds=stores.settings.lists_interval_seconds)
    fetcher = ListFetcher(stores.list_importer(), _sources(stores), stores.wall, interval)
    return ListRefresh(fetcher, stores.event_log, stores.metrics)


def list_health(stores: Stores) -> ListHealth:
    """Build the watch over the lists in force; an environment with simulated lists needs none of them."""
    from timbra.authority.lists.fetch.fetch_state import read_fetch_state
    from timbra.service.operations.list_health import ListHealth
    from timbra.settings.lists import max_ages

    needed = max_ages(stores.settings.list_max_age_hours) if stores.environment.requires_signed_lists else {}
    return ListHealth(
        lambda: stores.lists.current.editions, lambda: read_fetch_state(stores.list_folder), needed, stores.wall
    )


def _sources(stores: Stores) -> dict[ListKind, FileSource]:
    from timbra.authority.lists.fetch.specification import SourceOptions, source_of
    from timbra.authority.lists.sources.part_names import ListKind
    from timbra.authority.sat.transport import Transport
    from timbra.settings.lists import split_names

    settings = stores.settings
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

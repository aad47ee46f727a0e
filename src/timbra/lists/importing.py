"""Construction of the import of lists, and of what fetches and watches them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial

from timbra.container import Container
from timbra.container.child import child_runner, keyless_settings
from timbra.database.build import cluster_jobs, opened_database
from timbra.events.build import audit_writer, event_recorder
from timbra.lists.build import list_folder, published_lists
from timbra.lists.drop_folder import DropFolder, refresh
from timbra.lists.fetch.fetch_state import FetchRecord, read_fetch_state
from timbra.lists.fetch.fetcher import ListFetcher
from timbra.lists.fetch.source import FileSource
from timbra.lists.fetch.specification import SourceOptions, source_of
from timbra.lists.health import ListHealth
from timbra.lists.importer import ListImporter, Offload
from timbra.lists.ingest import ListColumns
from timbra.lists.list_store import ListEdition
from timbra.lists.processes import publish_in_child
from timbra.lists.refresh import ListRefresh
from timbra.lists.signer_policy import ListSigners
from timbra.lists.sources.columns import known_columns
from timbra.lists.sources.exchange_rates import series_of
from timbra.lists.sources.part_names import ListKind
from timbra.sat.transport import Transport
from timbra.seals.ports import trust_store
from timbra.settings.lists import max_ages, split_names
from timbra.web.server.feature_jobs import FeatureJobs
from timbra.web.server.periodic_jobs import PeriodicJob

LEASE_SECONDS = 300
"""Half of the term for which one worker of all nodes that share a folder of lists fetches them."""


def list_importer(container: Container, columns: Sequence[str] = (), offload: Offload | None = None) -> ListImporter:
    """Build the importer of the SAT's lists; in production it accepts lists that the SAT signed only.

    Args:
        columns: Meaning of additional columns of l_RFC, `HEADER=field`, besides those of the settings.
        offload: Imports a large list in another process; None to import every list in this one.
    """
    get, settings = container.get, container.settings
    numbers = [number.strip() for number in settings.list_signers.split(",") if number.strip()]
    signers = ListSigners(get(trust_store), strict=container.environment.requires_signed_lists, numbers=numbers)
    meanings = ListColumns(
        known_columns(",".join((settings.lrfc_columns, *columns))), series_of(settings.exchange_rate_series)
    )
    on_published = partial(_record_list, container)
    return ListImporter(get(list_folder), signers, meanings, container.wall, on_published=on_published, offload=offload)


def list_offload(container: Container) -> Offload:
    """Return what imports a large list in a child process with a memory limit."""
    return partial(publish_in_child, container.get(child_runner), keyless_settings(container.settings))


def list_refresh(container: Container) -> ListRefresh:
    """Build the refresh of the lists that have a source; the events go into the database."""
    get = container.get
    interval = timedelta(seconds=container.settings.lists_interval_seconds)
    importer = list_importer(container, offload=get(list_offload))
    fetcher = ListFetcher(importer, _sources(container), container.wall, interval)
    return ListRefresh(fetcher, get(event_recorder), container.metrics)


def list_health(container: Container) -> ListHealth:
    """Build the watch over the lists in force; an environment with simulated lists needs none of them."""
    lists = container.get(published_lists)
    is_needed = container.environment.requires_signed_lists
    needed = max_ages(container.settings.list_max_age_hours) if is_needed else {}
    return ListHealth(lambda: lists.current.editions, lambda: fetch_records(container), needed, container.wall)


def fetch_records(container: Container) -> Mapping[ListKind, FetchRecord]:
    """Return what the last query of each source found."""
    return read_fetch_state(container.get(list_folder))


def import_dropped_lists(container: Container) -> None:
    """Import the SAT's lists found in the folder `lists/incoming`."""
    incoming = container.get(list_folder) / "incoming"
    if not incoming.is_dir():
        return
    importer = list_importer(container, offload=container.get(list_offload))
    for outcome in refresh(importer, DropFolder(incoming, container.wall)):
        container.get(list_refresh).record_delivery(outcome)


def _sources(container: Container) -> dict[ListKind, FileSource]:
    settings = container.settings
    single = (
        (ListKind.ARTICLE_69B, settings.article_69b_source),
        (ListKind.EXCHANGE_RATES, settings.exchange_rates_source),
    )
    if not (settings.lists_source or any(text for _, text in single)):
        return {}
    downloaded = container.get(list_folder) / "downloaded"
    options = SourceOptions(Transport(), settings.lists_timeout_seconds, container.wall, downloaded)
    sources: dict[ListKind, FileSource] = {}
    if settings.lists_source:
        shared = source_of(settings.lists_source, options, single_file=False, name="sat")
        sources |= {ListKind(name): shared for name in split_names(settings.lists_fetched)}
    for kind, text in single:
        if text:
            sources[kind] = source_of(text, options, single_file=True, name=str(kind))
    return sources


def _record_list(container: Container, edition: ListEdition, replaced: ListEdition | None) -> None:
    before = {} if replaced is None else _list_facts(replaced)
    with container.get(opened_database).write() as transaction:
        container.get(audit_writer).record(
            transaction, "lists.imported", None, str(edition.kind), before=before, after=_list_facts(edition)
        )


def _list_facts(edition: ListEdition) -> dict[str, object]:
    return {
        "dated": edition.dated.isoformat(),
        "rows": edition.rows,
        "certificates": edition.certificates,
        "signers": list(edition.signers),
    }


def _worker_jobs(container: Container) -> list[PeriodicJob]:
    """Return the import of dropped lists, and their fetch: one worker of all nodes that share the folder runs it."""
    fetching, jobs = container.get(list_refresh), [PeriodicJob("lists", 60, partial(import_dropped_lists, container))]
    if fetching.kinds:
        lease = f"lists {container.get(published_lists).identifier()}"
        fetch = container.get(cluster_jobs).once(lease, LEASE_SECONDS, fetching.run_due)
        jobs.append(PeriodicJob("fetch lists", 15, fetch))
    return jobs


SERVICES = {ListImporter: list_importer}
JOBS = FeatureJobs(worker=_worker_jobs)

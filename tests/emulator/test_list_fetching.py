"""The product fetches the lists of the emulator over HTTP: unchanged, changed, damaged and absent files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.emulator.emulator_support import EmulatorRun
from tests.emulator.test_lists import importer

from timbra.core.clock import FixedClock, WallClock
from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.lists.fetch.fetch_state import read_fetch_state
from timbra.lists.fetch.fetcher import ListFetcher
from timbra.lists.fetch.http_source import HttpDownloads, SingleFileSource
from timbra.lists.fetch.specification import SourceOptions, source_of
from timbra.lists.published import PublishedLists
from timbra.lists.sources.part_names import SIGNED_LISTS, ListKind
from timbra.sat.certificate_repository import SatCertificateRepository
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.transport import Transport
from timbra.seals.ports import trust_store

KEMPER = "EKU9003173C9"


class Provider:
    """The lists of a provider, fetched from the emulator."""

    def __init__(self, emulator: EmulatorRun, folder: Path) -> None:
        self.folder = folder / "lists"
        self.transport = Transport()
        options = SourceOptions(self.transport, 30, WallClock(), folder / "staging")
        source = source_of(f"container:{emulator.url('/lco')}", options, single_file=False, name="sat")
        self.importer = importer(emulator, folder)
        self.fetcher = ListFetcher(
            self.importer, dict.fromkeys(SIGNED_LISTS, source), WallClock(), timedelta(minutes=5)
        )

    def codes(self, *, force: bool = False) -> list[str]:
        outcomes = [self.fetcher.fetch(kind, force=force) for kind in SIGNED_LISTS]
        return [found.failure.code if found.failure else str(found.status) for found in outcomes]

    @property
    def version(self) -> str:
        return PublishedLists(self.folder).lists_version


@pytest.fixture
def provider(emulator: EmulatorRun, tmp_path: Path) -> Iterator[Provider]:
    found = Provider(emulator, tmp_path)
    yield found
    found.transport.close()


def test_provider_fetches_signed_lists_and_their_changes(emulator: EmulatorRun, provider: Provider) -> None:
    assert provider.codes() == ["imported"] * 3
    assert provider.codes() == ["unchanged"] * 3
    assert "LCO 2026-11-17, l_RFC 2026-11-17, L_CNE 2026-11-17" in provider.version
    emulator.control("PUT", "/lists/L_CNE", {"rows": [f"PL/9/EXP/ES/2015|{KEMPER}|PR03"]})
    assert provider.codes()[2] == "imported"
    permits = PublishedLists(provider.folder).current.permits
    assert permits is not None
    assert permits.permit("PL/9/EXP/ES/2015") is not None


@pytest.mark.parametrize(
    ("fault", "rule", "code"),
    [
        ("broken-signature", {}, "list-signature"),
        ("truncated", {"skip": 1, "times": 1}, "list-hash"),
        ("truncated", {"times": 1}, "list-source"),
        ("status", {"status": 503}, "list-source"),
        ("status", {"status": 404, "skip": 1, "times": 1}, "list-source"),
        ("connection-reset", {}, "authority-down"),
        ("answer-lost", {"skip": 2, "times": 1}, "authority-down"),
    ],
)
def test_provider_keeps_its_list_when_the_source_fails(
    emulator: EmulatorRun, provider: Provider, fault: str, rule: dict[str, int], code: str
) -> None:
    assert provider.codes() == ["imported"] * 3
    version, before = provider.version, provider.importer.store.editions()[ListKind.LCO]
    emulator.fault(fault, service="lists", **rule)
    outcome = provider.fetcher.fetch(ListKind.LCO, force=True)
    assert outcome.failure is not None
    assert outcome.failure.code == code
    assert read_fetch_state(provider.folder)[ListKind.LCO].code == code
    assert (provider.version, provider.importer.store.editions()[ListKind.LCO]) == (version, before)
    emulator.control("DELETE", "/faults")
    assert provider.codes() == ["unchanged"] * 3


def test_folder_without_a_listing_is_searched_by_names(emulator: EmulatorRun, tmp_path: Path) -> None:
    transport = Transport()
    options = SourceOptions(transport, 30, FixedClock(datetime(2026, 11, 19, 18, 0, tzinfo=UTC)), tmp_path)
    source = source_of(emulator.url("/lco"), options, single_file=False, name="sat")
    assert [file.name for kind in (ListKind.LCO, ListKind.LCNE) for file in source.files(kind)] == [
        "LCO_2026-11-17_1.XML.gz",
        "LCO_2026-11-17_2.XML.gz",
        "L_CNE_2026_11_17_1.txt.gz",
        "L_CNE_2026_11_17_control.txt",
    ]
    fetcher = ListFetcher(importer(emulator, tmp_path), {ListKind.LRFC: source}, WallClock(), timedelta(minutes=5))
    assert [fetcher.fetch(ListKind.LRFC).status for _ in range(2)] == ["imported", "unchanged"]
    transport.close()


def test_single_file_is_downloaded_after_a_change_only(emulator: EmulatorRun, tmp_path: Path) -> None:
    """Conditional requests: the emulator answers 304 to the version of the first download."""
    transport = Transport()
    name = "l_RFC_2026_11_17_1.txt.gz"
    source = SingleFileSource(emulator.url(f"/lco/{name}"), HttpDownloads(transport, 30))
    [file] = source.files(ListKind.ARTICLE_69B)
    first = source.download(file, "", tmp_path / "file")
    assert first is not None
    assert (first.name, first.version[:5]) == (name, "etag:")
    assert source.download(file, first.version, tmp_path / "file") is None
    transport.close()


def test_single_file_rejects_an_html_page(emulator: EmulatorRun, tmp_path: Path) -> None:
    transport = Transport()
    source = SingleFileSource(emulator.url("/retenciones/Home/ConsultaRetencion"), HttpDownloads(transport, 30))
    [file] = source.files(ListKind.ARTICLE_69B)
    with pytest.raises(ServiceError, match="página HTML") as caught:
        source.download(file, "", tmp_path / "file")
    assert caught.value.code == "list-unreadable"
    transport.close()


def test_provider_certificates_are_found_by_the_layout_of_the_repository(emulator: EmulatorRun, tmp_path: Path) -> None:
    trust, number = emulator.container.get(trust_store), emulator.provider().certificate.number
    transport = Transport()
    address = emulator.url("/rccf")

    def repository() -> SatCertificateRepository:
        return SatCertificateRepository(
            address, tmp_path / "stored", trust, transport, CircuitBreaker(), RetryPolicy(attempts=1)
        )

    found = repository().provider(number)
    assert found is not None
    assert found.number == number
    assert repository().provider("0" * 20) is None
    emulator.fault("connection-reset", service="certificates")
    assert repository().provider(number) == found
    transport.close()

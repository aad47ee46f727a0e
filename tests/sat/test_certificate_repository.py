"""Provider certificates from the SAT's repository: found by number, verified by their issuer, cached on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.sat.stepped_status import SteppedClock
from tests.seals.support import minted
from tests.support.sat_services import SatServices, sat_services

from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sat.certificate_repository import SatCertificateRepository, place
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.transport import Transport
from timbra.seals.certificates.certificate import read_certificate
from timbra.seals.certificates.trust_store import TrustStore

GOOD = "00001000000500000001"
FORGED = "00001000000500000002"
TAXPAYERS = "00001000000500000003"
MISPLACED = "00001000000500000004"
PAGE = "00001000000500000005"
FAILING = "00001000000500000500"
PROVIDER: dict[str, Any] = {"rfc": "SAT970701NN3", "branch": "PACSPR190613I5200001"}


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SatServices]:
    folder = tmp_path_factory.mktemp("rccf")
    files = {
        GOOD: minted(number=GOOD, **PROVIDER),
        FORGED: minted(number=FORGED, issuer_key=1, **PROVIDER),
        TAXPAYERS: minted(number=TAXPAYERS),
        MISPLACED: minted(number=GOOD, **PROVIDER),
        PAGE: b"<html>Mantenimiento</html>",
    }
    for number, der in files.items():
        (folder / f"{number}.cer").write_bytes(der)
    with sat_services(folder) as running:
        yield running


def trust() -> TrustStore:
    authority = minted(rfc="", number="00001000000000000001", key=0, authority=True, name="AC", issuer="AC de la casa")
    return TrustStore((), ()).with_authority(replace(read_certificate(authority), name="AC de la casa"))


def repository(url: str, folder: Path, watch: SteppedClock | None = None) -> SatCertificateRepository:
    watch = watch or SteppedClock()
    retry = RetryPolicy(seconds=5, attempts=1, now=watch.monotonic, sleep=watch.sleep)
    return SatCertificateRepository(
        f"{url}/rccf", folder, trust(), Transport(), CircuitBreaker(2, 30, watch.monotonic), retry
    )


def path(number: str) -> str:
    return f"/rccf/{place(number)}"


def test_place_splits_the_number_into_folders() -> None:
    assert place("00001000000406258094") == "000010/000004/06/25/80/00001000000406258094.cer"


def test_provider_fetches_a_certificate_once_for_all_processes(services: SatServices, tmp_path: Path) -> None:
    here, there = repository(services.address, tmp_path / "kept"), repository(services.address, tmp_path / "kept")
    for one in (here, here, there):
        found = one.provider(GOOD)
        assert found is not None
        assert (found.number, found.rfc) == (GOOD, "SPR190613I52")
    assert services.request_count(path(GOOD)) == 1
    assert [file.name for file in (tmp_path / "kept").iterdir()] == [f"{GOOD}.cer"]


@pytest.mark.parametrize("number", [FORGED, TAXPAYERS, "00001000000599999999"])
def test_provider_is_none_and_not_cached_without_a_trusted_issuer(
    services: SatServices, tmp_path: Path, number: str
) -> None:
    assert repository(services.address, tmp_path / "kept").provider(number) is None
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("number", [MISPLACED, PAGE, FAILING])
def test_provider_raises_authority_down_for_wrong_responses(services: SatServices, tmp_path: Path, number: str) -> None:
    with pytest.raises(ServiceError) as caught:
        repository(services.address, tmp_path).provider(number)
    assert caught.value.code == "authority-down"


@pytest.mark.parametrize("number", ["", "1", "../../../../etc/passwd", "0000100000050000000a", "٠" * 20])
def test_provider_sends_no_request_for_text_that_is_no_number(tmp_path: Path, number: str) -> None:
    assert repository("http://127.0.0.1:9", tmp_path).provider(number) is None


def test_provider_queries_a_missing_number_again_after_an_hour(services: SatServices, tmp_path: Path) -> None:
    watch, absent = SteppedClock(), "00001000000577777777"
    one = repository(services.address, tmp_path, watch)
    for seconds, times in ((0, 1), (3_599, 1), (3_601, 2)):
        watch.seconds = seconds
        assert one.provider(absent) is None
        assert services.request_count(path(absent)) == times


def test_provider_sends_no_request_while_the_circuit_is_open(services: SatServices, tmp_path: Path) -> None:
    one, failing = repository(services.address, tmp_path), "00001000000600000500"
    for times in (1, 2, 2):
        with pytest.raises(ServiceError):
            one.provider(failing)
        assert services.request_count(path(failing)) == times


def test_repository_fetches_again_when_the_file_is_damaged(services: SatServices, tmp_path: Path) -> None:
    (tmp_path / f"{GOOD}.cer").write_bytes(b"no")
    assert repository(services.address, tmp_path).provider(GOOD) is not None
    assert read_certificate((tmp_path / f"{GOOD}.cer").read_bytes()).number == GOOD


def test_provider_verifies_cached_files(services: SatServices, tmp_path: Path) -> None:
    (tmp_path / f"{FORGED}.cer").write_bytes(minted(number=FORGED, issuer_key=1, **PROVIDER))
    assert repository(services.address, tmp_path).provider(FORGED) is None


def test_provider_returns_the_certificate_when_the_folder_cannot_be_written(
    services: SatServices, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    assert repository(services.address, tmp_path / "file").provider(GOOD) is not None

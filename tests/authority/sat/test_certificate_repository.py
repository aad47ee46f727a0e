"""Provider certificates from the SAT's repository: found by number, believed by their issuer, kept on disk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.authority.sat.stepped_status import SteppedClock
from tests.seals.support import minted
from tests.support.sat_services import SatServices, sat_services

from timbra.authority.sat.certificate_repository import CertificateRepository, place
from timbra.authority.sat.circuit_breaker import CircuitBreaker
from timbra.authority.sat.retry import RetryPolicy
from timbra.authority.sat.transport import Transport
from timbra.errors import ServiceError
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


def repository(url: str, folder: Path, watch: SteppedClock | None = None) -> CertificateRepository:
    watch = watch or SteppedClock()
    retry = RetryPolicy(seconds=5, attempts=1, now=watch.monotonic, sleep=watch.sleep)
    return CertificateRepository(
        f"{url}/rccf", folder, trust(), Transport(), CircuitBreaker(2, 30, watch.monotonic), retry
    )


def path(number: str) -> str:
    return f"/rccf/{place(number)}"


def test_the_place_is_cut_from_the_number() -> None:
    assert place("00001000000406258094") == "000010/000004/06/25/80/00001000000406258094.cer"


def test_a_certificate_is_fetched_once_and_kept_for_other_processes(services: SatServices, tmp_path: Path) -> None:
    here, there = repository(services.address, tmp_path / "kept"), repository(services.address, tmp_path / "kept")
    for one in (here, here, there):
        found = one.provider(GOOD)
        assert found is not None
        assert (found.number, found.rfc) == (GOOD, "SPR190613I52")
    assert services.asked(path(GOOD)) == 1
    assert [file.name for file in (tmp_path / "kept").iterdir()] == [f"{GOOD}.cer"]


@pytest.mark.parametrize("number", [FORGED, TAXPAYERS, "00001000000599999999"])
def test_what_no_authority_vouches_for_is_unknown_and_not_read_cached(
    services: SatServices, tmp_path: Path, number: str
) -> None:
    assert repository(services.address, tmp_path / "kept").provider(number) is None
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("number", [MISPLACED, PAGE, FAILING])
def test_what_is_no_such_certificate_says_nothing(services: SatServices, tmp_path: Path, number: str) -> None:
    with pytest.raises(ServiceError) as caught:
        repository(services.address, tmp_path).provider(number)
    assert caught.value.code == "authority-down"


@pytest.mark.parametrize("number", ["", "1", "../../../../etc/passwd", "0000100000050000000a", "٠" * 20])
def test_what_is_no_number_is_not_asked(tmp_path: Path, number: str) -> None:
    assert repository("http://127.0.0.1:9", tmp_path).provider(number) is None


def test_a_number_that_is_not_there_is_asked_again_after_an_hour(services: SatServices, tmp_path: Path) -> None:
    watch, absent = SteppedClock(), "00001000000577777777"
    one = repository(services.address, tmp_path, watch)
    for seconds, times in ((0, 1), (3_599, 1), (3_601, 2)):
        watch.seconds = seconds
        assert one.provider(absent) is None
        assert services.asked(path(absent)) == times


def test_a_failing_repository_is_left_alone_for_a_while(services: SatServices, tmp_path: Path) -> None:
    one, failing = repository(services.address, tmp_path), "00001000000600000500"
    for times in (1, 2, 2):
        with pytest.raises(ServiceError):
            one.provider(failing)
        assert services.asked(path(failing)) == times


def test_repository_fetches_again_when_the_file_is_damaged(services: SatServices, tmp_path: Path) -> None:
    (tmp_path / f"{GOOD}.cer").write_bytes(b"no")
    assert repository(services.address, tmp_path).provider(GOOD) is not None
    assert read_certificate((tmp_path / f"{GOOD}.cer").read_bytes()).number == GOOD


def test_a_forged_file_in_the_folder_is_not_verified(services: SatServices, tmp_path: Path) -> None:
    (tmp_path / f"{FORGED}.cer").write_bytes(minted(number=FORGED, issuer_key=1, **PROVIDER))
    assert repository(services.address, tmp_path).provider(FORGED) is None


def test_a_folder_that_cannot_be_written_does_not_hide_the_certificate(services: SatServices, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert repository(services.address, tmp_path / "file").provider(GOOD) is not None

"""The identity of a provider: conditions of its certificates, the change-over, keys that do not fit, counted uses."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.cached_keys import holder_key
from tests.support.sandbox_app import SandboxApp

from timbra.core.errors import ServiceError
from timbra.core.metrics import PROVIDER_SIGNATURES, MetricsRegistry
from timbra.provider.certificate_rules import CertificateRules, validity_problem
from timbra.provider.identity import ChangeOver, ProviderIdentity, ProviderSchedule
from timbra.provider.key_use import KeyUseCounter
from timbra.provider.signing_pool import SigningPool
from timbra.sandbox.build import sandbox_services
from timbra.seals.certificates.certificate import Certificate, CertificateKind
from timbra.seals.certificates.trust_store import TrustStore
from timbra.seals.keys.private_key import load_private_key
from timbra.seals.rsa_signature import Digest
from timbra.seals.signers.memory import MemorySigner
from timbra.seals.signers.port import Signer

TEST_PROVIDER_BRANCH = "PAC CFDI_PRUEBAS"

RFC = "PAC010101AB1"
START = datetime(2026, 1, 1, tzinfo=UTC)
END = datetime(2026, 12, 31, tzinfo=UTC)


@dataclass
class Clock:
    """Wall time."""

    at: datetime = START + timedelta(days=100)

    def now(self) -> datetime:
        return self.at


@dataclass(frozen=True)
class Issued:
    """Certificates of one authority, with their signers."""

    trust: TrustStore
    provider: Certificate
    following: Certificate
    csd: Certificate
    signer: MemorySigner
    following_signer: MemorySigner


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Issued:
    app = SandboxApp(tmp_path_factory.mktemp("authority"))
    authority = app.container.get(sandbox_services).authority_ca

    def mint(number: int, start: datetime, end: datetime, branch: str = TEST_PROVIDER_BRANCH):  # type: ignore[no-untyped-def]
        with holder_key(number):
            made = authority.mint(RFC, CertificateKind.CSD, RFC, start, end, branch=branch, listed=False)
        key = load_private_key(made.key_der, made.password)
        return made.certificate, MemorySigner(key, made.certificate.public_key)

    provider, signer = mint(1, START, END)
    following, following_signer = mint(2, END - timedelta(days=60), END + timedelta(days=365))
    csd, _ = mint(3, START, END, "Matriz")
    trust = TrustStore((), ()).with_authority(authority.certificate)
    app.container.close()
    return Issued(trust, provider, following, csd, signer, following_signer)


def rules(issued: Issued, **changes: object) -> CertificateRules:
    return replace(CertificateRules(RFC, issued.trust, held_by_sat=False), **changes)  # type: ignore[arg-type]


def schedule(
    issued: Issued, wall: Clock, change: datetime | None = None, signer: Signer | None = None
) -> ProviderSchedule:
    current = ProviderIdentity(RFC, issued.provider, signer or issued.signer)
    following = ProviderIdentity(RFC, issued.following, issued.following_signer)
    return ProviderSchedule(current, ChangeOver(following, change) if change else None, rules(issued), wall)


def test_problems_are_none_for_the_certificate_of_a_provider(issued: Issued) -> None:
    assert rules(issued).problems(issued.provider) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rfc": "PAC"}, "mal formado"),
        ({"rfc": "OTR010101AB1"}, "es de PAC010101AB1, no de OTR010101AB1"),
        ({"reserved": frozenset({RFC})}, "es de un proveedor autorizado"),
        ({"held_by_sat": True}, "no es de un proveedor de certificación"),
        ({"trust": TrustStore.built_in(production=True)}, "no fue expedido por una autoridad de este ambiente"),
    ],
    ids=["malformed", "other holder", "reserved", "held by the SAT", "not issued here"],
)
def test_problems_names_what_a_certificate_violates(issued: Issued, changes: dict[str, object], expected: str) -> None:
    assert expected in " ".join(rules(issued, **changes).problems(issued.provider))


def test_problems_rejects_the_csd_of_a_taxpayer(issued: Issued) -> None:
    assert "no es de un proveedor de certificación" in " ".join(rules(issued).problems(issued.csd))


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (START - timedelta(seconds=1), "vigente desde 2026-01-01"),
        (START, ""),
        (END, ""),
        (END + timedelta(seconds=1), "venció el 2026-12-31"),
    ],
)
def test_validity_problem_includes_both_ends(issued: Issued, at: datetime, expected: str) -> None:
    problem = validity_problem(issued.provider, at)
    assert (expected in problem) if expected else problem == ""


def test_in_force_rejects_a_certificate_from_its_expiry_on(issued: Issued) -> None:
    wall = Clock(END)
    provider = schedule(issued, wall)
    assert provider.in_force().certificate == issued.provider
    wall.at = END + timedelta(seconds=1)
    with pytest.raises(ServiceError, match="venció"):
        provider.in_force()


def test_in_force_changes_the_certificate_at_its_instant(issued: Issued) -> None:
    change = END - timedelta(days=30)
    wall = Clock(change - timedelta(seconds=1))
    provider = schedule(issued, wall, change)
    assert provider.in_force().certificate == issued.provider
    wall.at = change
    assert provider.in_force().certificate == issued.following
    assert provider.in_force().signer is issued.following_signer


def test_verify_keys_rejects_a_key_of_another_certificate(issued: Issued) -> None:
    other = MemorySigner(issued.following_signer._private_key, issued.provider.public_key)
    provider = schedule(issued, Clock(), signer=other)
    provider.verify_keys()
    with pytest.raises(ServiceError, match="no corresponde al certificado"):
        provider.in_force()


def test_verify_keys_repeats_after_a_device_did_not_respond(issued: Issued) -> None:
    class Device:
        """A device that does not respond at its first use."""

        calls = 0

        def sign(self, data: bytes, digest: Digest = "sha256") -> bytes:
            self.calls += 1
            if self.calls == 1:
                raise ServiceError("signer-unavailable")
            return issued.signer.sign(data, digest)

    device = Device()
    provider = schedule(issued, Clock(), signer=device)
    with pytest.raises(ServiceError, match="signer-unavailable"):
        provider.verify_keys()
    assert provider.in_force().certificate == issued.provider
    provider.verify_keys()
    provider.verify_keys()
    assert device.calls == 2


def test_key_uses_are_counted_by_certificate(issued: Issued) -> None:
    metrics, uses = MetricsRegistry(), list[str]()
    signer = KeyUseCounter(uses.append, metrics).counted(issued.signer, issued.provider)
    number = issued.provider.number
    signer.sign(b"a")
    signer.sign(b"b")
    assert uses == [number, number]
    assert metrics.counts[PROVIDER_SIGNATURES.name, (number,)] == 2


def test_signing_pool_names_a_device_that_hangs_and_serves_the_next_request() -> None:
    async def run() -> int:
        pool, hang = SigningPool(2, seconds=0.05), threading.Event()
        try:
            with pytest.raises(ServiceError, match=r"signer-unavailable.*no respondió en 0.05 s"):
                await pool.run(hang.wait, 30)
            return await pool.run(int, "7")
        finally:
            hang.set()
            pool.close()

    assert asyncio.run(run()) == 7

"""A pool of sessions: parallel signatures, several tokens with one key, and a token that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_der_public_key
from tests.support.softhsm import SoftToken, soft_token

from timbra.core.errors import ServiceError
from timbra.seals.seal import seal, verify
from timbra.seals.signers import pkcs11_pool
from timbra.seals.signers.pkcs11 import Pkcs11Signer
from timbra.seals.signers.pkcs11_library import ModuleGate
from timbra.seals.signers.pkcs11_pool import Pkcs11Pool
from timbra.seals.signers.pkcs11_session import KeyQuery, Pkcs11Session

HANG_SECONDS = 5.0
PAUSE_SECONDS = 5.0

CADENA = "||1.1|Ñ||"
KEY = KeyQuery("PRIVATE_KEY", "pac")
WAIT_SECONDS = 30


class FakeSession:
    """A session of a token that works unless its label is in `broken`."""

    broken: set[str]
    used: list[str]

    def __init__(self, _module: Path, label: str, _pin: str) -> None:
        self.label = label

    def use(self, _name: KeyQuery, operation: Callable[[Any], Any]) -> Any:
        if self.label in self.broken:
            raise ServiceError("signer-unavailable", f"Token {self.label}")
        self.used.append(self.label)
        return operation(self.label)


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> type[FakeSession]:
    FakeSession.broken, FakeSession.used = set(), []
    monkeypatch.setattr(pkcs11_pool, "Pkcs11Session", FakeSession)
    return FakeSession


def pool_of(labels: list[str], sessions: int = 1, now: Callable[[], float] = lambda: 0.0) -> Pkcs11Pool:
    return Pkcs11Pool(Path("module.so"), labels, "1234", sessions, now)


def test_use_alternates_between_tokens(sessions: type[FakeSession]) -> None:
    pool = pool_of(["a", "b"])
    for _ in range(4):
        pool.use(KEY, str)
    assert sessions.used == ["a", "b", "a", "b"]


def test_use_continues_with_another_token_and_returns_to_the_first_after_a_pause(sessions: type[FakeSession]) -> None:
    time = [0.0]
    pool = pool_of(["a", "b"], now=lambda: time[0])
    sessions.broken = {"a"}
    assert [pool.use(KEY, str) for _ in range(3)] == ["b"] * 3
    assert pool.states() == {"a": False, "b": True}
    sessions.broken = set()
    assert pool.use(KEY, str) == "b"
    time[0] = PAUSE_SECONDS
    assert {pool.use(KEY, str) for _ in range(2)} == {"a", "b"}
    assert pool.states() == {"a": True, "b": True}


@pytest.mark.parametrize("code", ["signer-unavailable", "signature-faulty"])
def test_use_continues_with_another_token_after_each_kind_of_failure(sessions: type[FakeSession], code: str) -> None:
    pool, tried = pool_of(["a", "b"]), list[str]()

    def operation(label: str) -> str:
        tried.append(label)
        if label == "a":
            raise ServiceError(code, retry_after=5)
        return label

    assert [pool.use(KEY, operation) for _ in range(2)] == ["b", "b"]
    assert pool.states() == {"a": False, "b": True}
    assert tried == ["a", "b", "b"]


def test_worked_within_holds_after_a_success_until_a_failure_or_the_time_passed(sessions: type[FakeSession]) -> None:
    time = [0.0]
    pool = pool_of(["a"], now=lambda: time[0])
    assert not pool.worked_within(2)
    pool.use(KEY, str)
    time[0] = 2.0
    assert pool.worked_within(2)
    time[0] = 2.5
    assert not pool.worked_within(2)
    pool.use(KEY, str)
    sessions.broken = {"a"}
    with pytest.raises(ServiceError):
        pool.use(KEY, str)
    assert not pool.worked_within(2)
    sessions.broken = set()
    pool.use(KEY, str)
    assert pool.worked_within(2)


def test_use_fails_when_every_token_fails_and_tries_again(sessions: type[FakeSession]) -> None:
    pool = pool_of(["a", "b"])
    sessions.broken = {"a", "b"}
    for _ in range(2):
        with pytest.raises(ServiceError, match="signer-unavailable"):
            pool.use(KEY, str)
    sessions.broken = set()
    assert pool.use(KEY, str) in ("a", "b")


def test_use_runs_as_many_operations_as_there_are_sessions(sessions: type[FakeSession]) -> None:
    pool, together = pool_of(["a", "b"], sessions=2), threading.Barrier(4)
    with ThreadPoolExecutor(8) as threads:
        running = [threads.submit(pool.use, KEY, lambda _: together.wait(WAIT_SECONDS)) for _ in range(8)]
        assert len([one.result(WAIT_SECONDS) for one in running]) == 8
    assert pool.size == 4


def hang(pool: Pkcs11Pool, threads: ThreadPoolExecutor, returned: threading.Event) -> Future[Any]:
    """Start an operation that does not return before an event."""
    inside = threading.Event()

    def operation(_label: str) -> bool:
        inside.set()
        return returned.wait(WAIT_SECONDS)

    running = threads.submit(pool.use, KEY, operation)
    assert inside.wait(WAIT_SECONDS)
    return running


def test_use_fails_at_once_when_a_token_hangs_and_works_when_it_returns(sessions: type[FakeSession]) -> None:
    time, returned = [0.0], threading.Event()
    pool = pool_of(["a"], sessions=1, now=lambda: time[0])
    with ThreadPoolExecutor(1) as threads:
        hanging = hang(pool, threads, returned)
        assert pool.states() == {"a": True}
        time[0] = HANG_SECONDS
        assert pool.states() == {"a": False}
        with pytest.raises(ServiceError, match=r"signer-unavailable.*una firma no ha terminado en 5 s"):
            pool.use(KEY, str)
        returned.set()
        assert hanging.result(WAIT_SECONDS)
    assert (pool.states(), pool.use(KEY, str)) == ({"a": True}, "a")


def test_use_avoids_a_token_that_hangs(sessions: type[FakeSession]) -> None:
    time, returned = [0.0], threading.Event()
    pool = pool_of(["a", "b"], sessions=2, now=lambda: time[0])
    with ThreadPoolExecutor(1) as threads:
        hang(pool, threads, returned)
        time[0] = HANG_SECONDS
        assert [pool.use(KEY, str) for _ in range(3)] == ["b"] * 3
        returned.set()
    assert {pool.use(KEY, str) for _ in range(2)} == {"a", "b"}


def test_use_tries_a_token_that_hangs_once_after_a_pause_and_abandons_the_old_call(
    sessions: type[FakeSession],
) -> None:
    time, returned = [0.0], threading.Event()
    pool = pool_of(["a"], sessions=3, now=lambda: time[0])
    with ThreadPoolExecutor(1) as threads:
        hanging = hang(pool, threads, returned)
        time[0] = HANG_SECONDS
        sessions.broken = {"a"}
        with pytest.raises(ServiceError, match="Token a"):
            pool.use(KEY, str)
        with pytest.raises(ServiceError, match="no ha terminado"):
            pool.use(KEY, str)
        time[0] += PAUSE_SECONDS
        sessions.broken = set()
        # The device answers again, although the old call never returns: its session is not waited for.
        assert [pool.use(KEY, str) for _ in range(3)] == ["a"] * 3
        assert pool.states() == {"a": True}
        returned.set()
        assert hanging.result(WAIT_SECONDS)
    assert pool.use(KEY, str) == "a"


def test_use_does_not_wait_for_a_session_for_ever(sessions: type[FakeSession]) -> None:
    returned = threading.Event()
    pool = Pkcs11Pool(Path("module.so"), ["a"], "1234", 1, hang_seconds=0.01)
    with ThreadPoolExecutor(1) as threads:
        hang(pool, threads, returned)
        with pytest.raises(ServiceError, match="signer-unavailable"):
            pool.use(KEY, str)
        returned.set()


def test_gate_waits_for_users_and_gives_up_on_one_that_stays() -> None:
    gate = ModuleGate()
    with gate.use(), gate.exclusive(seconds=0.0) as entered:
        assert not entered
    with gate.exclusive(seconds=0.0) as entered:
        assert entered
    with gate.use():
        pass


@pytest.fixture(scope="module")
def soft(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoftToken]:
    with soft_token(tmp_path_factory.mktemp("softhsm"), "pool") as token:
        yield token


@pytest.fixture(scope="module")
def public_key(soft: SoftToken) -> RSAPublicKey:
    from pkcs11 import KeyType
    from pkcs11.util.rsa import encode_rsa_public_key

    with soft.session() as session:
        public, _ = session.generate_keypair(KeyType.RSA, 2048, label="pac", store=True)
        encoded = encode_rsa_public_key(public)
    key = load_der_public_key(encoded)
    assert isinstance(key, RSAPublicKey)
    return key


def test_threads_sign_in_parallel_while_the_token_restarts(soft: SoftToken, public_key: RSAPublicKey) -> None:
    """Without locks inside the module, parallel sessions corrupt its memory and end the process."""
    pool = Pkcs11Pool(soft.module, [soft.label], soft.pin, 4)
    signer = Pkcs11Signer(pool, public_key, label="pac")
    master = Pkcs11Session(soft.module, soft.label, soft.pin)

    def sign(number: int) -> bool:
        if number == 40:
            soft.restart()
        if number % 10 == 0:
            return len(master.use(KEY, lambda key: str(key.label))) > 0
        return verify(public_key, CADENA, seal(signer, CADENA))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(sign, range(80)))

"""Signatures of several keys at once equal those of OpenSSL, and none leaves unverified."""

from __future__ import annotations

from functools import partial
from types import ModuleType, SimpleNamespace

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPrivateNumbers, generate_private_key
from tests.seals.support import rsa_key

from timbra._rsa8 import load_batches
from timbra.core.errors import ServiceError
from timbra.seals.signers.batches import LANES, SignatureBatches, SignatureRequest
from timbra.seals.signers.memory import CountedSigner, MemorySigner

MODULE, REASON = load_batches()
needs_instructions = pytest.mark.skipif(MODULE is None, reason=REASON)


@pytest.fixture(scope="module")
def signers() -> list[MemorySigner]:
    return [MemorySigner(rsa_key(number)) for number in range(3)]


def requests(signers: list[MemorySigner], count: int) -> list[SignatureRequest]:
    return [SignatureRequest(signers[number % len(signers)], b"cadena %d" % number) for number in range(count)]


def with_other_exponent(key: RSAPrivateKey) -> MemorySigner:
    """Return a signer of which one CRT exponent is wrong, as a fault in memory would leave it."""
    numbers = key.private_numbers()
    broken = RSAPrivateNumbers(
        p=numbers.p,
        q=numbers.q,
        d=numbers.d,
        dmp1=numbers.dmp1 - 2,
        dmq1=numbers.dmq1,
        iqmp=numbers.iqmp,
        public_numbers=numbers.public_numbers,
    )
    signer = MemorySigner(key)
    assert MODULE is not None
    public = broken.public_numbers
    crt = MODULE.CrtKey(public.n, broken.p, broken.q, broken.dmp1, broken.dmq1, broken.iqmp)
    vars(signer)["crt_key"] = crt
    return signer


@needs_instructions
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 17])
def test_sign_equals_openssl_for_any_number_of_requests(signers: list[MemorySigner], count: int) -> None:
    batches = SignatureBatches()
    batches.fewest = 1
    wanted = requests(signers, count)
    assert batches.sign(wanted) == [each.signer.sign(each.data) for each in wanted]


@needs_instructions
def test_sign_makes_a_faulty_lane_again_without_touching_the_others(
    signers: list[MemorySigner], caplog: pytest.LogCaptureFixture
) -> None:
    batches = SignatureBatches()
    batches.fewest = 1
    wanted = requests(signers, LANES)
    wanted[3] = SignatureRequest(with_other_exponent(rsa_key(1)), b"cadena 3")
    assert batches.sign(wanted) == [each.signer.sign(each.data) for each in wanted]
    assert "signature-batch-lane-failed" in caplog.text


@needs_instructions
def test_sign_blocks_returns_none_for_a_signature_that_does_not_verify(signers: list[MemorySigner]) -> None:
    assert MODULE is not None
    block = b"\0" + b"\1" * 255
    [good, bad] = MODULE.sign_blocks([signers[0].crt_key, with_other_exponent(rsa_key(0)).crt_key], [block, block])
    assert good is not None
    assert bad is None


@needs_instructions
@pytest.mark.parametrize("wrong", ["p", "q", "dmp1", "dmq1", "iqmp"])
def test_sign_blocks_returns_none_for_a_key_with_a_wrong_crt_number(signers: list[MemorySigner], wrong: str) -> None:
    assert MODULE is not None
    numbers = rsa_key(1).private_numbers()
    parts = {name: getattr(numbers, name) for name in ("p", "q", "dmp1", "dmq1", "iqmp")}
    parts[wrong] -= 2
    broken = MODULE.CrtKey(numbers.public_numbers.n, *parts.values())
    block = b"\0" + b"\1" * 255
    lanes = MODULE.sign_blocks([signers[0].crt_key, broken, signers[2].crt_key], [block] * 3)
    assert [lane is not None for lane in lanes] == [True, False, True]


@needs_instructions
def test_sign_returns_the_error_of_a_signer_in_its_place(signers: list[MemorySigner]) -> None:
    batches = SignatureBatches()
    batches.fewest = 1
    mismatched = MemorySigner(rsa_key(0), rsa_key(1).public_key())
    error, signature = batches.sign([SignatureRequest(mismatched, b"a"), SignatureRequest(signers[0], b"a")])
    assert isinstance(error, ServiceError)
    assert error.code == "signature-faulty"
    assert signature == signers[0].sign(b"a")


@needs_instructions
def test_batches_with_wrong_results_are_not_used(signers: list[MemorySigner]) -> None:
    assert MODULE is not None
    wrong = SimpleNamespace(EXPONENT=MODULE.EXPONENT, sign_blocks=lambda keys, _: [b"\0" * 256] * len(keys))
    batches = SignatureBatches(lambda: (as_module(wrong), ""))
    wanted = requests(signers, LANES)
    assert batches.sign(wanted) == [each.signer.sign(each.data) for each in wanted]
    assert (batches.fewest or 0) > LANES


def as_module(namespace: SimpleNamespace) -> ModuleType:
    module = ModuleType("wrong")
    vars(module).update(vars(namespace))
    return module


@needs_instructions
@pytest.mark.parametrize(("bits", "exponent"), [(1024, 65537), (2048, 3), (3072, 65537)])
def test_accepts_keys_of_2048_bits_with_the_usual_exponent_only(bits: int, exponent: int) -> None:
    signer = MemorySigner(generate_private_key(exponent, bits))
    assert not SignatureBatches().accepts(signer)
    assert signer.sign(b"a")


def test_sign_makes_signatures_one_by_one_without_the_instructions(signers: list[MemorySigner]) -> None:
    batches = SignatureBatches(lambda: (None, "no AVX-512 IFMA"))
    wanted = requests(signers, LANES + 1)
    assert all(batches.accepts(each.signer) for each in wanted)
    assert batches.sign(wanted) == [each.signer.sign(each.data) for each in wanted]


@needs_instructions
def test_crt_key_rejects_numbers_of_another_size() -> None:
    assert MODULE is not None
    with pytest.raises(ValueError, match="2,048 bits"):
        MODULE.CrtKey(3, 5, 7, 1, 1, 1)


@needs_instructions
@pytest.mark.parametrize(("keys", "blocks"), [([], []), ([0] * 9, [b"a"] * 9), ([0], []), ([0], [b"short"])])
def test_sign_blocks_rejects_other_sizes(signers: list[MemorySigner], keys: list[int], blocks: list[bytes]) -> None:
    assert MODULE is not None
    with pytest.raises(ValueError, match=r"keys|256 bytes"):
        MODULE.sign_blocks([signers[number].crt_key for number in keys], blocks)


@needs_instructions
@pytest.mark.parametrize("wrong", [[None], ["text"]])
def test_sign_blocks_rejects_other_types(wrong: list[object]) -> None:
    assert MODULE is not None
    with pytest.raises((TypeError, ValueError)):
        MODULE.sign_blocks(wrong, [b"\0" * 256])


@pytest.mark.parametrize("mode", ["0", "auto", "2"])
def test_load_batches_follows_the_environment(monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    monkeypatch.setenv("TIMBRA_RSA8", mode)
    load = load_batches.__wrapped__
    if mode == "2":
        with pytest.raises(ValueError, match="TIMBRA_RSA8 is '2'"):
            load()
    elif mode == "0":
        assert load() == (None, "TIMBRA_RSA8 is 0")
    else:
        assert load() == (MODULE, REASON)


@needs_instructions
def test_sign_counts_each_signature_of_a_counted_signer_once(signers: list[MemorySigner]) -> None:
    uses: list[int] = []
    batches = SignatureBatches()
    counted = [CountedSigner(signer, partial(uses.append, number)) for number, signer in enumerate(signers)]
    wanted = [SignatureRequest(counted[number % 3], b"cadena %d" % number) for number in range(LANES + 1)]
    assert all(batches.accepts(signer) for signer in counted)
    expected = [each.signer.signer.sign(each.data) for each in wanted if isinstance(each.signer, CountedSigner)]
    assert batches.sign(wanted) == expected
    assert sorted(uses) == sorted(number % 3 for number in range(LANES + 1))

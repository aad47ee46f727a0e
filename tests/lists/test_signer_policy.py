from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.lists.signing import NOW, Identity, authority, signer, trust

from timbra.core.errors import ServiceError
from timbra.lists.signer_policy import ListSigners

TAXPAYER = signer("EKU9003173C9", "30001000000500003416", "MATRIZ")
BELOW = "AC SUBORDINADA"


def rejection(signers: ListSigners, of: Identity, *others: Identity, at: datetime = NOW) -> str:
    with pytest.raises(ServiceError) as caught:
        signers.require_trusted(of.certificate, [other.certificate for other in others], at)
    assert caught.value.code == "list-signature"
    return str(caught.value)


def test_require_trusted_accepts_a_certificate_of_the_sat() -> None:
    ListSigners(trust(), strict=True).require_trusted(signer().certificate, [], NOW)


def test_require_trusted_rejects_a_taxpayer_in_strict_mode() -> None:
    assert "no es del SAT" in rejection(ListSigners(trust(), strict=True), TAXPAYER)
    ListSigners(trust(), strict=False).require_trusted(TAXPAYER.certificate, [], NOW)


def test_require_trusted_rejects_a_provider_that_names_the_sat() -> None:
    provider = signer(branch="PACTIM010101SB912345", number="00001000000000000011")
    assert "TIMBRA_LIST_SIGNERS" in rejection(ListSigners(trust(), strict=True), provider)


def test_require_trusted_accepts_a_certificate_by_its_number() -> None:
    ListSigners(trust(), strict=True, numbers=["30001000000500003416"]).require_trusted(TAXPAYER.certificate, [], NOW)


@pytest.mark.parametrize("strict", [True, False])
def test_require_trusted_rejects_other_authorities(strict: bool) -> None:
    signers = ListSigners(trust("AC AJENA"), strict=strict, numbers=[signer().certificate.number])
    assert "no fue expedido" in rejection(signers, signer())
    assert "no fue expedido" in rejection(ListSigners(trust(), strict=strict), authority())


@pytest.mark.parametrize("at", [datetime(2023, 12, 31, tzinfo=UTC), datetime(2028, 1, 2, tzinfo=UTC)])
def test_require_trusted_rejects_a_certificate_outside_its_validity(at: datetime) -> None:
    assert "no estaba vigente" in rejection(ListSigners(trust(), strict=True), signer(), at=at)


def test_require_trusted_uses_the_chain_of_the_signature() -> None:
    below = authority(BELOW)
    leaf = signer(issuer=BELOW)
    signers = ListSigners(trust(), strict=True)
    signers.require_trusted(leaf.certificate, [below.certificate, authority().certificate], NOW)
    assert "no fue expedido" in rejection(signers, leaf)
    assert "no fue expedido" in rejection(ListSigners(trust("AC AJENA"), strict=True), leaf, below, authority())


def test_require_trusted_rejects_an_authority_beyond_the_path_length() -> None:
    signers = ListSigners(trust("AC FINAL"), strict=True)
    signers.require_trusted(signer(issuer="AC FINAL").certificate, [], NOW)
    assert "no fue expedido" in rejection(signers, signer(issuer="AC DE MAS"), authority("AC DE MAS"))

"""Tokens of the bulk download: their form, their life and their register."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pytest

from timbra.core.clock import Clock
from timbra.emulator.bulk.contract import DocumentRegister
from timbra.emulator.bulk.tokens import BulkDownloadTokens
from timbra.emulator.tokens import AccessTokenError

NOW = datetime(2026, 11, 17, 18, 0, 0, 250_000, tzinfo=UTC)
NUMBER = "30001000000500003416"
CFDI, RETENCIONES = DocumentRegister.CFDI, DocumentRegister.RETENCIONES


class SteppedClock:
    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> datetime:
        return self.at


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def tokens(clock: Clock) -> BulkDownloadTokens:
    return BulkDownloadTokens(b"key", clock, lambda: 300)


def header(token: str) -> str:
    return f'WRAP access_token="{token}"'


def decoded(part: str) -> dict[str, object]:
    return dict(json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4))))


def test_token_is_a_json_web_token_with_the_certificate_number(tokens: BulkDownloadTokens) -> None:
    token = tokens.issue(NUMBER, CFDI, NOW)
    subject = NUMBER.encode().hex()
    written, _, end = token.partition("%26wrap_subject%3d")
    head, claims, _ = written.split(".")
    assert end == subject
    assert decoded(head) == {"alg": "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", "typ": "JWT"}
    assert list(decoded(claims).items()) == [
        ("nbf", 1794938400),
        ("exp", 1794939000),
        ("iat", 1794938400),
        ("iss", "LoadSolicitudDecargaMasivaTerceros"),
        ("actort", subject),
    ]


def test_verify_accepts_a_token_as_received_and_decoded(tokens: BulkDownloadTokens) -> None:
    token = tokens.issue(NUMBER, CFDI, NOW)
    tokens.verify(header(token), CFDI)
    tokens.verify(header(unquote(token)), CFDI)


def test_token_expires_after_five_minutes(tokens: BulkDownloadTokens, clock: SteppedClock) -> None:
    token = tokens.issue(NUMBER, CFDI, NOW)
    clock.at = NOW + timedelta(seconds=299)
    tokens.verify(header(token), CFDI)
    clock.at = NOW + timedelta(seconds=300)
    with pytest.raises(AccessTokenError):
        tokens.verify(header(token), CFDI)


def test_expire_all_expires_tokens_until_now_only(tokens: BulkDownloadTokens) -> None:
    token = tokens.issue(NUMBER, CFDI, NOW)
    tokens.expire_all()
    with pytest.raises(AccessTokenError):
        tokens.verify(header(token), CFDI)
    tokens.verify(header(tokens.issue(NUMBER, CFDI, NOW)), CFDI)


@pytest.mark.parametrize("authorization", ["", "Bearer a", 'WRAP access_token=""', 'WRAP access_token="a.b.c"'])
def test_verify_rejects_what_is_no_token(tokens: BulkDownloadTokens, authorization: str) -> None:
    with pytest.raises(AccessTokenError):
        tokens.verify(authorization, CFDI)


def test_verify_rejects_forged_tokens_and_those_of_the_other_register(tokens: BulkDownloadTokens) -> None:
    other = BulkDownloadTokens(b"other", SteppedClock(), lambda: 300)
    for token in (
        other.issue(NUMBER, CFDI, NOW),
        tokens.issue(NUMBER, RETENCIONES, NOW),
        tokens.issue(NUMBER, CFDI, NOW) + "00",
    ):
        with pytest.raises(AccessTokenError):
            tokens.verify(header(token), CFDI)

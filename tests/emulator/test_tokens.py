"""Tokens: both encodings, forgeries, life, other services."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import quote, unquote

import pytest

from timbra.core.clock import FixedClock
from timbra.emulator.tokens import AccessTokenError, AccessTokens, Audience

NOON = datetime(2026, 11, 17, 18, 0, tzinfo=UTC)
RFC = "Ñ&P010101AB1"


def tokens(at: datetime = NOON, key: bytes = b"key", seconds: int = 600) -> AccessTokens:
    return AccessTokens(key, FixedClock(at), lambda: seconds)


def header(token: str) -> str:
    return f'WRAP access_token="{token}"'


def reason(issued: str, at: datetime = NOON, audience: Audience = Audience.RECEPTION) -> str:
    with pytest.raises(AccessTokenError) as rejected:
        tokens(at).verify(issued, audience)
    return rejected.value.reason


@pytest.mark.parametrize("encode", [str, unquote])
def test_verify_accepts_a_token_as_received_and_decoded(encode: type[str]) -> None:
    issued = tokens().issue(RFC, Audience.RECEPTION)
    assert tokens().verify(header(encode(issued)), Audience.RECEPTION) == RFC


def test_verify_rejects_a_token_at_the_end_of_its_life() -> None:
    issued = header(tokens().issue(RFC, Audience.RECEPTION))
    assert tokens(NOON + timedelta(seconds=599)).verify(issued, Audience.RECEPTION) == RFC
    assert "venció" in reason(issued, NOON + timedelta(seconds=600))


def test_verify_rejects_a_token_of_another_service() -> None:
    issued = header(tokens().issue(RFC, Audience.CANCELLATION))
    assert "otro servicio" in reason(issued)


def test_verify_rejects_the_token_of_another_key() -> None:
    assert "no lo dio" in reason(header(tokens(key=b"other").issue(RFC, Audience.RECEPTION)))


def test_verify_rejects_a_token_with_a_later_expiry() -> None:
    issued = unquote(tokens().issue(RFC, Audience.RECEPTION))
    later = str(int(NOON.timestamp()) + 9_999)
    forged = "&".join(f"ExpiresOn={later}" if part.startswith("ExpiresOn") else part for part in issued.split("&"))
    assert forged != issued
    assert "no lo dio" in reason(header(forged))


@pytest.mark.parametrize("text", ["", "Bearer a", 'WRAP access_token=""', 'WRAP access_token="a" b', quote("é")])
def test_verify_rejects_other_headers(text: str) -> None:
    assert "Authorization" in reason(text)


def test_expire_all_rejects_earlier_tokens_only() -> None:
    clock_tokens = tokens()
    issued = header(clock_tokens.issue(RFC, Audience.RECEPTION))
    assert clock_tokens.expire_all() == NOON
    with pytest.raises(AccessTokenError):
        clock_tokens.verify(issued, Audience.RECEPTION)

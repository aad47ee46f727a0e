"""Signed links expire, and a signature is valid for one path only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest

from timbra.core.clock import FixedClock
from timbra.core.errors import ServiceError
from timbra.documents.signed_links import SignedLinks

LIFETIME = timedelta(days=3)

NOON = datetime(2026, 11, 17, 18, tzinfo=UTC)


def signed_links(at: datetime = NOON, secret: bytes = b"s" * 32) -> SignedLinks:
    return SignedLinks(lambda: secret, FixedClock(at))


def signed(path: str) -> tuple[str, str]:
    query = parse_qs(signed_links().sign(path).partition("?")[2])
    return query["expires"][0], query["signature"][0]


@pytest.mark.parametrize("later", [timedelta(), LIFETIME - timedelta(seconds=1)])
def test_check_accepts_signed_path_until_expiry(later: timedelta) -> None:
    signed_links(NOON + later).check("/a", *signed("/a"))


@pytest.mark.parametrize(
    ("path", "checking"),
    [("/a", signed_links(NOON + LIFETIME)), ("/b", signed_links()), ("/a", signed_links(secret=b"t" * 32))],
)
def test_check_rejects_other_path_or_key(path: str, checking: SignedLinks) -> None:
    with pytest.raises(ServiceError, match="TB4041"):
        checking.check(path, *signed("/a"))


@pytest.mark.parametrize("expires", ["", "x", "²", "-1", "9" * 400, "\ud800"])
def test_check_rejects_malformed_expiry(expires: str) -> None:
    with pytest.raises(ServiceError, match="TB4041"):
        signed_links().check("/a", expires, "x")

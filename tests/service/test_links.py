"""Links end, and what was signed for one path opens no other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import pytest

from timbra.clock import FixedClock
from timbra.errors import ServiceError
from timbra.service.links import LIFETIME, Links

NOON = datetime(2026, 11, 17, 18, tzinfo=UTC)


def links(at: datetime = NOON, secret: bytes = b"s" * 32) -> Links:
    return Links(lambda: secret, FixedClock(at))


def signed(path: str) -> tuple[str, str]:
    query = parse_qs(links().signed(path).partition("?")[2])
    return query["expires"][0], query["signature"][0]


@pytest.mark.parametrize("later", [timedelta(), LIFETIME - timedelta(seconds=1)])
def test_a_link_opens_its_path_for_a_while(later: timedelta) -> None:
    links(NOON + later).check("/a", *signed("/a"))


@pytest.mark.parametrize(
    ("path", "checking"),
    [("/a", links(NOON + LIFETIME)), ("/b", links()), ("/a", links(secret=b"t" * 32))],
)
def test_it_opens_nothing_else(path: str, checking: Links) -> None:
    with pytest.raises(ServiceError, match="TB4041"):
        checking.check(path, *signed("/a"))


@pytest.mark.parametrize("expires", ["", "x", "²", "-1", "9" * 400, "\ud800"])
def test_an_end_that_is_none(expires: str) -> None:
    with pytest.raises(ServiceError, match="TB4041"):
        links().check("/a", expires, "x")

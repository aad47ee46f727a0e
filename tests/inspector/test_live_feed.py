"""Live views: they wake when calls were written, are bounded, and end when the worker stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from timbra.core.errors import ServiceError
from timbra.inspector import live_feed
from timbra.inspector.live_feed import EndReason, LiveFeed

MAX_ACCOUNT_VIEWS = 4

LONG = 30


class Version:
    number = 1

    def __call__(self) -> int:
        return self.number


def run(check: Callable[[LiveFeed, Version], Awaitable[None]]) -> None:
    async def with_feed() -> None:
        version = Version()
        feed = LiveFeed(version)
        feed.notify()
        await check(feed, version)

    asyncio.run(with_feed())


def test_notify_wakes_views_from_another_thread_when_the_version_changed() -> None:
    async def check(feed: LiveFeed, version: Version) -> None:
        views = [feed.open(1), feed.open(2)]
        feed.notify()
        assert not await views[0].wait(0.01)
        version.number += 1
        thread = threading.Thread(target=feed.notify)
        thread.start()
        assert all([await view.wait(LONG) for view in views])
        thread.join()
        assert not await views[0].wait(0.01)

    run(check)


def test_open_ends_the_oldest_view_of_an_account_only() -> None:
    async def check(feed: LiveFeed, _: Version) -> None:
        other = feed.open(2)
        views = [feed.open(1) for _ in range(MAX_ACCOUNT_VIEWS + 2)]
        assert [view.ended for view in views[:3]] == [EndReason.REPLACED, EndReason.REPLACED, None]
        assert await views[0].wait(LONG)
        assert other.ended is None
        for view in views:
            feed.close(view)
        assert feed.views == 1

    run(check)


def test_open_is_rejected_when_the_worker_has_too_many_views(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_feed, "MAX_VIEWS", 2)

    async def check(feed: LiveFeed, _: Version) -> None:
        for account in (1, 2):
            feed.open(account)
        with pytest.raises(ServiceError) as raised:
            feed.open(3)
        assert raised.value.retry_after

    run(check)


def test_stop_ends_all_views_and_rejects_new_ones() -> None:
    async def check(feed: LiveFeed, _: Version) -> None:
        view = feed.open(1)
        feed.stop()
        assert await view.wait(LONG)
        assert view.ended is EndReason.STOPPING
        with pytest.raises(ServiceError):
            feed.open(1)

    run(check)

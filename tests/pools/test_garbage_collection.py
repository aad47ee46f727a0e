"""Pauses of the garbage collector."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from timbra.pools.garbage_collection import collection_paused


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Begin with the collector enabled, and leave it as it was."""
    was_enabled = gc.isenabled()
    gc.enable()
    yield
    if not was_enabled:
        gc.disable()


def test_collection_paused_resumes_after_an_error() -> None:
    def fail() -> None:
        with collection_paused():
            assert not gc.isenabled()
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        fail()
    assert gc.isenabled()


def test_collection_paused_lasts_until_the_last_thread_leaves() -> None:
    entered, leave = threading.Event(), threading.Event()

    def pause() -> None:
        with collection_paused():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=pause)
    with collection_paused():
        thread.start()
        assert entered.wait(10)
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_collection_paused_leaves_a_disabled_collector_disabled() -> None:
    gc.disable()
    with collection_paused():
        pass
    assert not gc.isenabled()

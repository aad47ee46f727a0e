"""SQLite on a disk that fills up under clients: they are told to come later, and nothing is lost."""

from __future__ import annotations

from tests.resilience.audit import audit, kept, repeat, settle
from tests.resilience.clients import LATER, Book, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.killing import wait_for
from tests.resilience.stamp_requests import Orders
from tests.support.small_disk import disk

SECONDS = 40


def test_a_full_disk_under_sqlite_loses_nothing() -> None:
    with disk(48) as small:
        site, book = Deployment(small.folder / "data"), Book()
        token = site.seed()
        orders = Orders(site, 1)
        with site.node(token, workers=2) as server:
            load_clients = LoadClients(4, server.address, token, orders, book, retries=True)
            load_clients.start()
            wait_for(lambda: len(book.told) > 20, SECONDS)
            print(f"filled the disk with {small.fill():,} bytes")
            wait_for(lambda: book.rejections > 5, SECONDS)
            small.free()
            answered = sum(one.code != LATER for one in book.told)
            wait_for(lambda: sum(one.code != LATER for one in book.told) > answered + 20, SECONDS)
            load_clients.stop()
            settle(server, orders, book, {one.number for one in kept(site.settings)})
            repeat(server, orders, book, 20)
        print(audit(site.settings, book))

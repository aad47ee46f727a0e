"""SQLite on a full disk under clients: they are rejected temporarily, and no stamp is lost."""

from __future__ import annotations

from tests.resilience.audit import audit, repeat, settle, stored_stamps
from tests.resilience.clients import LATER, AnswerLog, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.killing import wait_for
from tests.resilience.stamp_requests import Orders
from tests.support.small_disk import disk

SECONDS = 60


def test_full_disk_under_sqlite_loses_no_stamp() -> None:
    with disk(48) as small:
        deployment, answer_log = Deployment(small.folder / "data"), AnswerLog()
        token = deployment.seed()
        orders = Orders(deployment, 1)
        with deployment.node(token, workers=2) as server:
            load_clients = LoadClients(4, server.address, token, orders, answer_log, retries=True)
            load_clients.start()
            wait_for(lambda: len(answer_log.answers) > 20, SECONDS)
            print(f"filled the disk with {small.fill():,} bytes")
            wait_for(lambda: answer_log.rejections > 5, SECONDS)
            small.free()
            answered = sum(one.code != LATER for one in answer_log.answers)
            wait_for(lambda: sum(one.code != LATER for one in answer_log.answers) > answered + 20, SECONDS)
            load_clients.stop()
            settle(server, orders, answer_log, {one.number for one in stored_stamps(deployment.settings)})
            repeat(server, orders, answer_log, 20)
        print(audit(deployment.settings, answer_log))

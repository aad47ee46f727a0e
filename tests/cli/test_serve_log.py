"""The log of `timbra serve`: a reader that does not read delays no answer, and SIGTERM loses no line."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

from tests.support.server import running, seed

REQUESTS = 600
"""Their lines are longer than what a pipe takes."""


def test_log_that_is_not_read_delays_no_answer_and_is_complete_after_sigterm(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    read: list[bytes] = []

    def read_log() -> None:
        with open(reading, "rb") as log:
            read.append(log.read())

    reader = Thread(target=read_log)
    data = tmp_path / "data"
    level = {"TIMBRA_LOG_LEVEL": "info"}
    with open(writing, "wb") as log, running(data, token=seed(data), environment=level, log=log) as server:
        with server.client() as client:
            ids = [client.get("/health/live").headers["x-request-id"] for _ in range(REQUESTS)]
        reader.start()
    reader.join()
    logged = read[0].decode()
    positions = [logged.find(f'"request_id":"{one}"') for one in ids]
    assert -1 not in positions
    assert positions == sorted(positions)

"""SIGKILL in the middle of a batch of signatures, and faulty lanes: no wrong signature leaves, nothing is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.resilience.audit import audit, settle, stored_stamps
from tests.resilience.clients import AnswerLog, LoadClients
from tests.resilience.deployment import Deployment
from tests.resilience.faulty_batches import FOLDER, PROGRAM
from tests.resilience.killing import wait_for
from tests.resilience.stamp_requests import Orders
from tests.support.requirements import need

from timbra._rsa8 import load_batches
from timbra.app.composition import open_container
from timbra.stamps.build import database_stamps
from timbra.validation.build import validation_services

CLIENTS = 12
SECONDS = 120
FAULTY = 20
"""Batches with a faulty lane before the end."""


def test_faulty_batches_and_a_kill_lose_nothing_and_no_wrong_signature_leaves(tmp_path: Path) -> None:
    module, reason = load_batches()
    need("avx512ifma", module is not None, reason)
    deployment, answer_log = Deployment(tmp_path / "data"), AnswerLog()
    token, orders, folder = deployment.seed(), Orders(deployment, 1), tmp_path / "faults"
    folder.mkdir()
    batches, kill = folder / "batches", folder / "kill"
    for path in (batches, kill, folder / "lanes"):
        path.touch()
    with deployment.node(token, workers=1, program=PROGRAM, environment={FOLDER: str(folder)}) as server:
        load_clients = LoadClients(CLIENTS, server.address, token, orders, answer_log, retries=True)
        load_clients.start()
        wait_for(lambda: not kill.exists(), SECONDS)
        wait_for(lambda: batches.stat().st_size >= FAULTY, SECONDS)
        load_clients.stop()
        settle(server, orders, answer_log, {one.number for one in stored_stamps(deployment.settings)})
    print(audit(deployment.settings, answer_log))
    assert_seals_are_valid(deployment)


def assert_seals_are_valid(deployment: Deployment) -> None:
    """Verify the seal and the stamp of every stored document."""
    with open_container(deployment.settings) as container:
        validation = container.get(validation_services).validation
        records = container.get(database_stamps).page(None, limit=500).records
        assert len(records) >= FAULTY
        for record in records:
            report = asyncio.run(validation.validate(record.cfdi, False))
            assert not report.wrong, report

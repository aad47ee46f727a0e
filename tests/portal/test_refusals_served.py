"""Refusals of a real server reach the database, also when it is ended at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.desk import with_attribute
from tests.support.server import furnish, invoice, running

from timbra.settings import Settings
from timbra.store.refusals import KeptRefusal, RefusalFilter
from timbra.wiring import open_house

MANY = 25


def kept(data: Path) -> list[KeptRefusal]:
    with open_house(Settings(data=data)) as house:
        return list(house.refusal_store.page(RefusalFilter(None), limit=100).refusals)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_refused_last_is_written_before_the_end(tmp_path: Path, workers: int) -> None:
    token = furnish(tmp_path)
    wrong = with_attribute(invoice(tmp_path), "MetodoPago", "XXX")
    with running(tmp_path, token=token, workers=workers) as server, server.client() as client:
        answers = [client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", wrong)}) for _ in range(MANY)]

    requests = {answer.headers["x-request-id"] for answer in answers}
    assert {one.refusal.request_id for one in kept(tmp_path)} == requests
    assert len(requests) == MANY

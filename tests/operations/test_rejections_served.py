"""The rejection log of a real server is written when the server stops."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sandbox_app import with_attribute
from tests.support.server import invoice, running, seed

from timbra.app.composition import open_container
from timbra.operations.build import operations_services
from timbra.rejections.store import RejectionFilter, StoredRejection
from timbra.settings import Settings

MANY = 25


def stored_rejections(data: Path) -> list[StoredRejection]:
    with open_container(Settings(data=data)) as container:
        return list(
            container.get(operations_services).rejection_store.page(RejectionFilter(None), limit=100).rejections
        )


@pytest.mark.parametrize("workers", [1, 2])
def test_serve_writes_the_last_rejections_before_it_ends(tmp_path: Path, workers: int) -> None:
    token = seed(tmp_path)
    wrong = with_attribute(invoice(tmp_path), "MetodoPago", "XXX")
    with running(tmp_path, token=token, workers=workers) as server, server.client() as client:
        answers = [client.post("/cfdi33/issue/v4", files={"xml": ("a.xml", wrong)}) for _ in range(MANY)]

    requests = {answer.headers["x-request-id"] for answer in answers}
    assert {stored.rejection.request_id for stored in stored_rejections(tmp_path)} == requests
    assert len(requests) == MANY

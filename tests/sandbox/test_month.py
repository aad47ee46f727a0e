"""The example month: its plan, and what a sandbox has after it was stamped."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.sandbox_app import SandboxApp

from timbra import examples
from timbra.container.build import fiscal_clock
from timbra.core.errors import ServiceError
from timbra.sandbox.authority.build import sandbox_ledger, sandbox_store
from timbra.sandbox.seeding.month import MonthSeeder, SteppedClock, parse_month
from timbra.sandbox.seeding.month_documents import plan_month

NOW = datetime(2026, 11, 17, 18, tzinfo=UTC)


def test_parse_month_accepts_months_that_are_over_only() -> None:
    assert parse_month("2026-10", NOW) == (2026, 10)
    for text in ("2026-11", "2027-01", "2026-13", "2026-1", "octubre", ""):
        with pytest.raises(ServiceError, match="time-invalid"):
            parse_month(text, NOW)


def test_plan_has_documents_of_every_month_length_with_unique_keys() -> None:
    for month in (2, 10):
        plan = plan_month(2026, month)
        keys = [document.key for document in plan.documents]
        assert len(keys) == len(set(keys))
        assert {found.key for found in plan.cancellations} <= set(keys)
        assert all(document.day.month == month for document in plan.documents)


def test_month_is_stamped_once_with_payments_credit_notes_and_cancellations(tmp_path: Path) -> None:
    wall, fiscal = SteppedClock(NOW), SteppedClock(NOW)
    app = SandboxApp(tmp_path / "data", bindings={fiscal_clock: lambda _: fiscal}, wall=wall)
    for party in (examples.KEMPER, examples.ROBOTICA, examples.CASAS, examples.ILUMINADORA):
        app.store(app.mint(party.rfc, valid_from=datetime(2026, 1, 1, tzinfo=UTC)))
    seeder = MonthSeeder(app.container, wall, fiscal)
    seeded = seeder.seed(app.caller, (2026, 10))
    assert seeded.documents == len(plan_month(2026, 10).documents)
    assert (wall.instant, fiscal.instant) == (NOW, NOW)
    assert seeder.seed(app.caller, (2026, 10)).documents == 0
    app.container.get(sandbox_ledger).synchronize()
    with app.container.get(sandbox_store).read() as transaction:
        rows = [transaction.documents.get(uuid) for uuid in seeder.folios.values()]
        app.container.close()
    found = Counter((row.kind, row.state, row.cancellation) for row in rows if row is not None)
    assert {key: count for key, count in found.items() if key[2]} == {
        ("I", "Cancelado", "Cancelado con aceptación"): 3,
        ("I", "Cancelado", "Cancelado sin aceptación"): 2,
        ("I", "Vigente", "Solicitud rechazada"): 1,
        ("I", "Vigente", "En proceso"): 2,
    }
    assert {kind for kind, _, _ in found} == {"I", "E", "P", "N", "R"}

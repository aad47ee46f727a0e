"""What nodes report of themselves, and where they differ."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.support.sandbox_app import SandboxApp
from tests.support.store_records import NOON, MovableClock

from timbra.core.checks import CheckOptions, CheckResult, CheckState
from timbra.database.build import opened_database
from timbra.database.database import Database
from timbra.operations.build import report_node
from timbra.operations.doctor import Doctor
from timbra.operations.nodes import NodeRepository, NodeView, compare_nodes

BODY: dict[str, Any] = {
    "version": "1.0",
    "data_version": "2026.11",
    "lists": "LCO 2026-11-29",
    "settings": {},
    "clock": 0.0,
    "ready": True,
}


def view(name: str, seconds: float = 0, **changes: Any) -> NodeView:
    """Return the report of a node of so many seconds ago."""
    return NodeView(name, NOON - timedelta(seconds=seconds), {**BODY, **changes})


def found(*views: NodeView, here: NodeView | None = None) -> list[CheckResult]:
    return [*compare_nodes(views, here or view("command"))]


def test_compare_nodes_finds_nothing_between_equal_nodes() -> None:
    assert found(view("a"), view("b", 30)) == [CheckResult("nodos", CheckState.OK, "a, b")]
    assert found() == [CheckResult("nodos", CheckState.OK, "ningún servidor en marcha")]


@pytest.mark.parametrize(
    ("changes", "state", "text"),
    [
        ({"version": "0.9"}, CheckState.WARNING, "Difiere versión: a: 1.0, b: 0.9."),
        ({"data_version": "2026.10"}, CheckState.WARNING, "Difiere datos del SAT: a: 2026.11, b: 2026.10."),
        ({"lists": ""}, CheckState.WARNING, "Difiere listas: a: LCO 2026-11-29, b: ninguna."),
        ({"settings": {"public_url": "https://x"}}, CheckState.WARNING, "Difieren entre a, b: TIMBRA_PUBLIC_URL."),
        ({"settings": {"log_level": "debug", "node": "b"}}, CheckState.OK, "a, b"),
        ({"clock": -2.5}, CheckState.ERROR, "Los relojes difieren del de la base de datos: a +0.0 s, b -2.5 s."),
        ({"clock": None}, CheckState.OK, "a, b"),
        ({"ready": False}, CheckState.ERROR, "b no está listo."),
    ],
)
def test_compare_nodes_says_what_differs(changes: dict[str, Any], state: CheckState, text: str) -> None:
    assert found(view("a"), view("b", **changes)) == [CheckResult("nodos", state, text)]


def test_compare_nodes_leaves_out_a_node_that_does_not_report() -> None:
    assert found(view("a"), view("b", 91, version="0.9")) == [
        CheckResult("nodos", CheckState.WARNING, "b no informa desde hace 91 s.")
    ]


def test_compare_nodes_says_that_a_server_was_not_started_again() -> None:
    here = view("a", settings={"smtp_host": "mail.internal"}, version="1.1")
    assert found(view("a"), here=here) == [
        CheckResult(
            "nodos",
            CheckState.WARNING,
            "El servidor a no tiene los valores de este comando: la versión del programa, TIMBRA_SMTP_HOST.",
        )
    ]
    assert found(view("other"), here=here)[0].state is CheckState.OK


def test_reports_are_replaced_and_forgotten(database: Database) -> None:
    clock = MovableClock()
    nodes = NodeRepository(database, clock)
    nodes.report("b", {"version": "1"})
    nodes.report("a", BODY)
    nodes.report("b", BODY)
    assert nodes.all() == [view("a"), view("b")]
    clock.advance(minutes=61)
    nodes.report("a", BODY)
    assert [one.name for one in nodes.all()] == ["a"]


def test_server_reports_itself_without_secret_values(sandbox_app: SandboxApp) -> None:
    report_node(sandbox_app.container)
    results = {one.name: one for one in Doctor(sandbox_app.container).run(CheckOptions())}
    assert results["nodos"].state is CheckState.OK
    database = sandbox_app.container.get(opened_database)
    [reported] = NodeRepository(database, sandbox_app.container.wall).all()
    assert results["nodos"].detail == reported.name
    assert reported.body["ready"] is True
    assert reported.body["clock"] is None

"""What each node of an installation reports of itself, and where the nodes differ.

A node writes its view into the database twice a minute, so that one command can compare all of them. The values of
settings are those of the audit log: a keyed digest stands for a secret one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select

from timbra.core.checks import CheckResult, CheckState
from timbra.core.clock import Clock
from timbra.database.database import Database
from timbra.database.tables.operations import NODE

PERIOD_SECONDS = 30
SILENT_AFTER = timedelta(seconds=3 * PERIOD_SECONDS)
FORGOTTEN_AFTER = timedelta(hours=1)
"""A node that has not reported for so long was removed from the installation."""
CLOCK_LIMIT = 1.0
LABEL = "nodos"
THIS_COMMAND = "este comando"
LOCAL_SETTINGS = frozenset(
    {
        "data",
        "database_url",
        "document_processes",
        "lists_folder",
        "log_format",
        "log_level",
        "master_key_file",
        "metrics_listen",
        "node",
        "snapshot",
        "trusted_proxies",
    }
)
"""Settings that may differ between nodes."""
COMPARED = {"version": "versión", "data_version": "datos del SAT", "lists": "listas"}


@dataclass(frozen=True, slots=True)
class NodeView:
    """What a node reports.

    Attributes:
        name: The setting `node`, or the name of the machine.
        seen_at: Wall instant of the report.
        body: `version`, `data_version` and `lists`; `settings` that differ from their defaults; `clock`, the seconds by
            which its clock is ahead of that of the database, null for SQLite; `ready`, whether its checks pass.
    """

    name: str
    seen_at: datetime
    body: Mapping[str, Any]


class NodeRepository:
    """Rows of `node`."""

    def __init__(self, database: Database, wall: Clock) -> None:
        self._database = database
        self._wall = wall

    def report(self, name: str, body: Mapping[str, Any]) -> None:
        """Write the view of a node, and delete those of nodes that were removed."""
        now = self._wall.now()
        values = {"seen_at": now, "body": dict(body)}
        statement = self._database.insert(NODE).values(name=name, **values)
        statement = statement.on_conflict_do_update(index_elements=[NODE.c.name], set_=values)
        with self._database.write() as connection:
            connection.execute(delete(NODE).where(NODE.c.seen_at < now - FORGOTTEN_AFTER))
            connection.execute(statement)

    def all(self) -> Sequence[NodeView]:
        """Return the views, by name."""
        with self._database.read() as connection:
            return [NodeView(row.name, row.seen_at, row.body) for row in connection.execute(_BY_NAME)]


_BY_NAME = select(NODE).order_by(NODE.c.name)


def compare_nodes(views: Sequence[NodeView], here: NodeView) -> Iterator[CheckResult]:
    """Yield what an operator must see to about the nodes.

    Args:
        views: The reports of the nodes.
        here: The view of this command, which has the settings and the program of the node on which it runs.
    """
    now = here.seen_at
    silent = [view for view in views if now - view.seen_at > SILENT_AFTER]
    running = [view for view in views if view not in silent]
    found = [
        *(CheckResult(LABEL, CheckState.WARNING, _silence(view, now)) for view in silent),
        *(CheckResult(LABEL, CheckState.ERROR, f"{view.name} no está listo.") for view in running if not _ready(view)),
        *_differences(running),
        *_clocks(running),
        *_own_differences([view for view in running if view.name == here.name], here),
    ]
    names = ", ".join(view.name for view in running)
    yield from found or [CheckResult(LABEL, CheckState.OK, names or "ningún servidor en marcha")]


def _silence(view: NodeView, now: datetime) -> str:
    return f"{view.name} no informa desde hace {(now - view.seen_at).total_seconds():.0f} s."


def _ready(view: NodeView) -> bool:
    return bool(view.body.get("ready", True))


def _differences(views: Sequence[NodeView]) -> Iterator[CheckResult]:
    for key, label in COMPARED.items():
        values = {view.name: str(view.body.get(key, "")) for view in views}
        if len(set(values.values())) > 1:
            listed = ", ".join(f"{name}: {value or 'ninguna'}" for name, value in values.items())
            yield CheckResult(LABEL, CheckState.WARNING, f"Difiere {label}: {listed}.")
    if names := _different_settings(views):
        listed = ", ".join(view.name for view in views)
        yield CheckResult(LABEL, CheckState.WARNING, f"Difieren entre {listed}: {', '.join(names)}.")


def _different_settings(views: Sequence[NodeView]) -> list[str]:
    """Return the variables whose values differ."""
    settings = [view.body.get("settings", {}) for view in views]
    names = sorted({name for each in settings for name in each} - LOCAL_SETTINGS)
    return [
        f"TIMBRA_{name.upper()}" for name in names if any(each.get(name) != settings[0].get(name) for each in settings)
    ]


def _clocks(views: Sequence[NodeView]) -> Iterator[CheckResult]:
    clocks = {view.name: float(view.body["clock"]) for view in views if view.body.get("clock") is not None}
    if clocks and max(clocks.values()) - min(clocks.values()) > CLOCK_LIMIT:
        listed = ", ".join(f"{name} {seconds:+.1f} s" for name, seconds in clocks.items())
        yield CheckResult(LABEL, CheckState.ERROR, f"Los relojes difieren del de la base de datos: {listed}.")


def _own_differences(servers: Sequence[NodeView], here: NodeView) -> Iterator[CheckResult]:
    """Yield what the server of this node does not have as this command has it: it was not started again since."""
    for view in servers:
        names = _different_settings([view, here])
        if view.body.get("version") != here.body.get("version"):
            names = ["la versión del programa", *names]
        if names:
            text = f"El servidor {view.name} no tiene los valores de {THIS_COMMAND}: {', '.join(names)}."
            yield CheckResult(LABEL, CheckState.WARNING, text)

"""Answers about the state of the server. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

from timbra._native import STATE
from timbra.web.envelopes import SuccessAnswer

if TYPE_CHECKING:
    from timbra.delivery.deliveries import Backlog
    from timbra.operations.health import ServerHealth


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """The process answers."""

    status: Literal["ok"] = "ok"


@dataclass(frozen=True, slots=True)
class OutageAnswer:
    """A service of the SAT that does not receive stamps now."""

    service: Annotated[str, "cfdi or retenciones."]
    since: Annotated[str, "ISO 8601 in UTC."]
    code: Annotated[str, "authority-down, delivery-rejected, or signer-unavailable when the provider cannot log in."]


@dataclass(frozen=True, slots=True)
class OutboxAnswer:
    """The deliveries of both outboxes."""

    waiting: Annotated[int, "Deliveries that are still tried."]
    oldest_seconds: Annotated[int | None, "Age of the oldest of them."]
    minutes_behind_sat: Annotated[
        int, "Whole minutes since the oldest stamp or request of cancellation that the SAT has not answered."
    ]
    dead: Annotated[int, "Dead letters: deliveries that are no longer tried."]
    outages: Annotated[Sequence[OutageAnswer], "Services of the SAT that do not receive stamps now."]


@dataclass(frozen=True, slots=True)
class NativeCodeAnswer:
    """Whether the worker runs native code."""

    active: Annotated[bool, "false: the slower functions in Python run."]
    reason: Annotated[str, "Why not, in English; empty when active."]


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """The data and lists that the worker uses, and the deliveries that wait."""

    status: str
    environment: str
    data_version: Annotated[str, "Version of the catalogs."]
    catalogs_edition: Annotated[str, "Edition that `timbra catalogs` put in force; empty for that of the release."]
    catalogs_since: Annotated[str | None, "Since when, ISO 8601; null when no edition was ever put in force."]
    lists_version: Annotated[str, "Day of each list; empty without lists."]
    lists_age_hours: int | None
    fiscal_time: Annotated[str, "ISO 8601 with a zone."]
    audit_head: Annotated[str, "Sequence and hash of the newest head of the audit log; empty without one."]
    lists_ages_hours: Annotated[Mapping[str, int], "Age of each list, by its name."]
    outbox: Annotated[OutboxAnswer | None, "null when the database does not answer."]
    native_code: NativeCodeAnswer


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """The data and lists of a worker that is ready to serve."""

    status: Annotated[Literal["ready", "degraded"], "degraded: old lists, failing sources, a wrong clock."]
    environment: str
    data_version: Annotated[str, "Version of the catalogs."]
    lists_version: Annotated[str, "Day of each list; empty without lists."]
    lists_age_hours: int | None
    fiscal_time: Annotated[str, "ISO 8601 with a zone."]
    lists_ages_hours: Annotated[Mapping[str, int], "Age of each list, by its name."]
    warnings: Annotated[list[str], "What an operator must see to: lists, clock, dead letters by kind."]


def outbox_answer(backlog: Backlog, now: datetime) -> OutboxAnswer:
    """Build the state of the outboxes.

    Args:
        backlog: Counts of both outboxes.
        now: Wall time.
    """
    return OutboxAnswer(
        waiting=backlog.waiting,
        oldest_seconds=None if backlog.oldest is None else max(int((now - backlog.oldest).total_seconds()), 0),
        minutes_behind_sat=backlog.minutes_behind(now),
        dead=sum(backlog.dead.values()),
        outages=[OutageAnswer(one.service, one.since.isoformat(), one.code) for one in backlog.outages],
    )


def health_answer(
    health: ServerHealth, list_ages: Mapping[str, timedelta], outbox: OutboxAnswer | None
) -> HealthAnswer:
    """Build `data` of the health endpoint.

    Args:
        health: Data and lists of this worker.
        list_ages: Age of each list, by its name.
        outbox: None when the database does not answer.
    """
    native_code = NativeCodeAnswer(active=STATE.active, reason=STATE.reason)
    return HealthAnswer(**health, lists_ages_hours=_hours(list_ages), outbox=outbox, native_code=native_code)


def ready_answer(
    health: ServerHealth, list_ages: Mapping[str, timedelta], warnings: list[str], *, is_degraded: bool = False
) -> ReadyAnswer:
    """Build `data` of the readiness endpoint.

    Args:
        health: Data and lists of this worker.
        list_ages: Age of each list, by its name.
        warnings: What an operator must see to, in Spanish.
        is_degraded: Whether one of them is more than a dead letter.
    """
    return ReadyAnswer(
        status="degraded" if is_degraded else "ready",
        environment=health["environment"],
        data_version=health["data_version"],
        lists_version=health["lists_version"],
        lists_age_hours=health["lists_age_hours"],
        fiscal_time=health["fiscal_time"],
        lists_ages_hours=_hours(list_ages),
        warnings=warnings,
    )


def _hours(list_ages: Mapping[str, timedelta]) -> dict[str, int]:
    return {name: int(age / timedelta(hours=1)) for name, age in list_ages.items()}


ANSWERS: dict[str, object] = {
    "Health": SuccessAnswer[HealthAnswer],
    "HealthLive": SuccessAnswer[LiveAnswer],
    "HealthReady": SuccessAnswer[ReadyAnswer],
}

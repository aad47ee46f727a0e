"""Each alert fires in a rehearsal: promtool, and the own evaluation, over what a real server has at `/metrics`.

A situation changes the server between two queries of its metrics. Both queries become series of promtool: the first for
ten minutes, the second for the hour after them. Counters of alerts that wait go on to grow, as in such a situation.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from uuid import uuid4

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from tests.emulator.emulator_support import EmulatorRun, running_emulator
from tests.support.asgi import Answer, application, call, upload
from tests.support.rehearsal import RehearsedProvider
from tests.support.requirements import need
from tests.support.store_records import claim

from timbra.accounts.build import account_services
from timbra.app.composition import Container, build_container
from timbra.archive.build import archive_services
from timbra.audit.build import audit_log
from timbra.audit.heads import head_publication
from timbra.cancellation.build import cancellation_services
from timbra.cancellation.cancelling import CancellationRequest
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.core.metrics import GAUGE_FAMILIES, METRIC_FAMILIES
from timbra.database.build import opened_database
from timbra.delivery.build import authority_outbox
from timbra.delivery.outage_store import OutageRepository
from timbra.delivery.ports import authority_work
from timbra.evaluation.build import archive_processes
from timbra.evaluation.processes import _RejectedError as RejectedError
from timbra.examples import KEMPER, ingreso
from timbra.lists.importing import list_refresh
from timbra.lists.sources.part_names import ListKind
from timbra.operations.alert_conditions import Samples, read_samples
from timbra.operations.alert_evaluation import AlertEvaluation
from timbra.operations.alert_rules import ALERT_RULES, rule_file
from timbra.operations.dashboard import SECTIONS, dashboard_file

MONITOR = "token-of-the-monitor"
QUIET_MINUTES, MINUTES = 10, 60
NODE = 'instance="node-a:8080",job="timbra"'
UP = f"up{{{NODE}}}"
Series = dict[str, float]


def test_every_metric_has_one_panel() -> None:
    panels = [family.name for families in SECTIONS.values() for family in families]
    assert sorted(panels) == sorted([*METRIC_FAMILIES, *GAUGE_FAMILIES])


def test_dashboard_is_json_whose_panels_do_not_overlap() -> None:
    dashboard = json.loads(dashboard_file())
    cells = [
        (x, y)
        for panel in dashboard["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_alerts_have_names_of_their_own_and_read_their_metric() -> None:
    assert len({rule.name for rule in ALERT_RULES}) == len(ALERT_RULES)
    for rule in ALERT_RULES:
        assert rule.metric is None or rule.metric.series in rule.condition.expression, rule.name


def promtool() -> str:
    found = shutil.which("promtool")
    need("promtool", found, "promtool is not installed (Debian: prometheus)")
    return str(found)


class SteppedClock:
    """The machine's clock and a step that the test adds."""

    def __init__(self) -> None:
        self.step = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.step


@dataclass
class Rehearsal:
    """A server of a provider in rehearsal, without sockets of its own, with a clock that the test steps."""

    emulator: EmulatorRun
    provider: RehearsedProvider
    token: str
    monkeypatch: pytest.MonkeyPatch
    folder: Path
    clock: SteppedClock = field(default_factory=SteppedClock)
    container: Container = field(init=False)

    def __post_init__(self) -> None:
        # The results of health checks are kept for a second.
        self.monkeypatch.setattr("timbra.operations.health.monotonic", count(0, 10).__next__)
        self.start()

    def start(self, **settings: object) -> None:
        """Start the server, again with other settings."""
        found = self.provider.settings.model_copy(update={"metrics_token": MONITOR, **settings})
        self.container = build_container(found, self.clock)
        self.app = application(self.container)
        self.container.get(authority_work)  # declares its metrics, as each worker does
        self.container.get(archive_services)

    def scrape(self) -> Series:
        answer = call(self.app, "GET", "/metrics", headers={"Authorization": f"Bearer {MONITOR}"})
        assert answer.status == 200
        found = {}
        for family in text_string_to_metric_families(answer.body.decode()):
            for sample in family.samples:
                labels = ",".join([*(f'{name}="{value}"' for name, value in sample.labels.items()), NODE])
                found[f"{sample.name}{{{labels}}}"] = sample.value
        return {**found, UP: 1}

    def post(self) -> Answer:
        """Issue an invoice by the API."""
        fecha = (self.clock.now().astimezone(CENTRAL_MEXICO) - timedelta(minutes=5)).strftime("%Y-%m-%dT%H:%M:%S")
        headers, body = upload(ingreso({"@Folio": uuid4().hex[:12]}, fecha=fecha).encode())
        headers["Authorization"] = f"Bearer {self.token}"
        return call(self.app, "POST", "/cfdi33/issue/v4", headers=headers, body=body)

    def issue(self) -> str:
        answer = self.post()
        assert answer.status == 200, answer.body
        return str(answer.json["data"]["uuid"])

    def deliver(self) -> None:
        self.container.get(authority_work).deliver()

    def advance(self, **duration: float) -> None:
        self.clock.step += timedelta(**duration)


def node_down(server: Rehearsal) -> Series:
    return {UP: 0}


def sat_away(server: Rehearsal) -> None:
    server.emulator.fault("status", service="upload", status=503)
    server.issue()
    for _ in range(6):
        server.deliver()
        server.advance(minutes=2)
    server.advance(minutes=31)


def sat_back_after_an_hour(server: Rehearsal) -> None:
    server.advance(hours=-1)
    server.issue()
    server.advance(hours=1)
    server.deliver()


def not_admitted(server: Rehearsal) -> None:
    server.emulator.fault("status", service="upload", status=403)
    server.issue()
    server.deliver()


def rejected(server: Rehearsal) -> None:
    server.emulator.fault("reject", service="reception", code="999", message="No admitido")
    server.issue()
    server.deliver()


def stamp_without_document(server: Rehearsal) -> None:
    database, outbox = server.container.get(opened_database), server.container.get(authority_outbox)
    with database.write() as connection:
        outbox.add(connection, "stamp", claim(1).record.uuid, timedelta())
    server.deliver()


def cancel(server: Rehearsal) -> None:
    uuid = server.issue()
    server.deliver()
    server.emulator.fault("status", service="cancellation", status=503)
    request = CancellationRequest(KEMPER.rfc, uuid, "02", "")
    services = server.container.get(cancellation_services)
    with pytest.raises(ServiceError):
        services.cancelling.by_uuid(server.provider.caller, request, "request")


def cancellation_abandoned(server: Rehearsal) -> None:
    cancel(server)
    server.advance(hours=73)
    server.container.get(authority_work).resend()


def source_of_lists_dead(server: Rehearsal) -> None:
    server.start(lists_source="container:http://127.0.0.1:9/lco")
    server.container.get(list_refresh).fetch([ListKind.LCO])
    server.advance(hours=36)


def defect(server: Rehearsal) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    server.monkeypatch.setattr("timbra.stamping.stamping.StampingService.issue", fail)
    assert server.post().json["message"].startswith("CO1000")


def device_away(server: Rehearsal) -> None:
    def fail(*_: object) -> bytes:
        raise ServiceError("signer-unavailable", "Token pac: GeneralError", retry_after=5)

    server.monkeypatch.setattr("timbra.seals.signers.memory.CountedSigner.sign", fail)
    for _ in range(3):
        assert server.post().status == 503


def requests_over_the_rate(server: Rehearsal) -> None:
    server.start(rate_per_second=0.001, rate_burst=1)
    assert {server.post().status for _ in range(3)} >= {429}


def database_away(server: Rehearsal) -> None:
    def fail(_: object) -> None:
        raise ServiceError("CO1000", "connection refused")

    server.monkeypatch.setattr("timbra.database.database.Database.ping", fail)


def pool_full(server: Rehearsal) -> None:
    from timbra.pools.fair_queue import FairQueue, PoolLimits

    queue = FairQueue("documents", PoolLimits(1, 1, 0, 0), "Ocupado.", server.container.metrics)

    async def run() -> None:
        async with queue.slot("ana"):
            with pytest.raises(ServiceError):
                await queue.acquire("ana")

    asyncio.run(run())


def slow_database(server: Rehearsal) -> None:
    ticks = iter(range(0, 10_000, 3))
    for module in ("stamps.repository", "web.framework.access_log"):
        server.monkeypatch.setattr(f"timbra.{module}.perf_counter", lambda: float(next(ticks)))
    for _ in range(3):
        server.issue()


def clock_unsynchronized(server: Rehearsal) -> None:
    from timbra.operations.clock_discipline import ClockReading
    from timbra.operations.watches import clock_discipline

    server.container.get(clock_discipline).read = lambda: ClockReading(False, 0.0, 16.0)


def clock_of_another_day(server: Rehearsal) -> None:
    difference = "timbra.operations.watches.database_clock_difference"
    server.monkeypatch.setattr(difference, lambda *_: timedelta(days=-1))


def archive_in_no_folder(server: Rehearsal) -> None:
    server.start(archive_place=str(server.folder / "absent" / "archives"))
    server.issue()
    server.advance(days=40)
    (server.folder / "absent").write_text("a file where the folder would be")
    with pytest.raises(ServiceError):
        server.container.get(archive_services).archives.run_due()


def audit_destination_away(server: Rehearsal) -> None:
    server.start(audit_heads=f"file:{server.folder}/absent/heads")
    server.container.get(audit_log).chain.run()
    server.container.get(head_publication).run()


def fast_path_different(server: Rehearsal) -> None:
    server.start(fast_path="compare")
    numbers = count()
    server.monkeypatch.setattr("timbra.stamping.plain.queue._without_stamp", lambda _: next(numbers))
    server.issue()
    server.issue()


def costly_document(server: Rehearsal) -> None:
    def exceed(*_: object) -> None:
        raise RejectedError("processor", ServiceError("TB4024"))

    processes = server.container.get(archive_processes)
    server.monkeypatch.setattr(processes, "_call", exceed)
    with pytest.raises(ServiceError):
        asyncio.run(processes.run("ana", None, len))


SITUATIONS: Mapping[Callable[[Rehearsal], Series | None], frozenset[str]] = {
    node_down: frozenset({"TimbraNodeDown", "TimbraAbsent"}),
    sat_away: frozenset({"TimbraSatOutage", "TimbraBehindSat", "TimbraFarBehindSat"}),
    sat_back_after_an_hour: frozenset({"TimbraDeliverySlow"}),
    not_admitted: frozenset({"TimbraDeliveryNotAdmitted"}),
    rejected: frozenset({"TimbraDeliveryRejected", "TimbraDeadLetters"}),
    stamp_without_document: frozenset({"TimbraDeliveryFailed"}),
    cancel: frozenset({"TimbraCancellationUnreachable"}),
    cancellation_abandoned: frozenset({"TimbraCancellationAbandoned"}),
    source_of_lists_dead: frozenset({"TimbraListOld", "TimbraListFailing", "TimbraListNotQueried"}),
    defect: frozenset({"TimbraInternalError"}),
    device_away: frozenset({"TimbraSignerFailed", "TimbraUnavailable"}),
    requests_over_the_rate: frozenset({"TimbraRateLimited"}),
    database_away: frozenset({"TimbraNotReady"}),
    pool_full: frozenset({"TimbraPoolFull"}),
    slow_database: frozenset({"TimbraSlow", "TimbraCommitSlow"}),
    costly_document: frozenset({"TimbraCostlyDocuments"}),
    clock_unsynchronized: frozenset({"TimbraClockUnsynchronized", "TimbraClockInaccurate", "TimbraHealthWarnings"}),
    clock_of_another_day: frozenset({"TimbraClockApart", "TimbraNotReady"}),
    archive_in_no_folder: frozenset({"TimbraArchiveFailed"}),
    audit_destination_away: frozenset({"TimbraAuditHeadNotSent"}),
    fast_path_different: frozenset({"TimbraFastPathDifferent"}),
}
"""What makes each alert fire."""


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorRun]:
    with running_emulator(tmp_path_factory.mktemp("emulator"), clock="") as run:
        yield run


@pytest.fixture(scope="module")
def provider(emulator: EmulatorRun, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RehearsedProvider]:
    made = RehearsedProvider(emulator, tmp_path_factory.mktemp("provider"))
    yield made
    made.close()


@pytest.fixture
def server(
    emulator: EmulatorRun, provider: RehearsedProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Rehearsal]:
    token = provider.container.get(account_services).accounts.create_infinite_token(provider.caller.user)
    made = Rehearsal(emulator, provider, token, monkeypatch, tmp_path)
    yield made
    monkeypatch.undo()
    made.container.close()
    emulator.emulator.configuration.faults.replace(())
    outbox = provider.container.get(authority_outbox)
    for delivery in outbox.list_pending(1000):
        outbox.drop(delivery.subject)
    outages = OutageRepository(provider.container.get(opened_database))
    for outage in outages.current():
        outages.end(outage.service)


def test_every_alert_has_a_situation_that_makes_it_fire() -> None:
    assert frozenset().union(*SITUATIONS.values()) == {rule.name for rule in ALERT_RULES}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_alerts_fire(situation: Callable[[Rehearsal], Series | None], server: Rehearsal) -> None:
    before = server.scrape()
    changed = situation(server)
    after = server.scrape() if changed is None else changed
    last = max(_minutes(name) for name in SITUATIONS[situation])
    assert _evaluated(before, after, -1) == set()
    assert _evaluated(before, after, last) >= SITUATIONS[situation]
    _require_promtool_agrees(server.folder, before, after, SITUATIONS[situation])


def _evaluated(before: Series, after: Series, minutes: int) -> set[str]:
    """Return the alerts that the project's own evaluation fires up to a minute of the situation."""
    evaluation = AlertEvaluation()
    for minute in range(QUIET_MINUTES + minutes + 1):
        values = _values(before, after, minute)
        evaluation.add(minute * 60, {"node-a": None if values.pop(UP) == 0 else _samples(values)})
    return {alert.rule.name for alert in evaluation.fired}


def _values(before: Series, after: Series, minute: int) -> Series:
    if minute < QUIET_MINUTES:
        return dict(before)
    minutes = minute - QUIET_MINUTES
    return {name: last + minutes * _growth(name, before.get(name), last) for name, last in after.items()}


def _samples(values: Series) -> Samples:
    text = "\n".join(f"{name} {value}" for name, value in values.items()).replace(f",{NODE}", "").replace(NODE, "")
    return read_samples(text + "\n")


def _growth(name: str, first: float | None, last: float) -> float:
    """Return by how much a series grows in each minute of the situation."""
    is_counter = name.partition("{")[0].endswith(("_total", "_bucket", "_count", "_sum"))
    return last - (first or 0) if is_counter else 0.0


def _require_promtool_agrees(folder: Path, before: Series, after: Series, fired: frozenset[str]) -> None:
    tool = promtool()
    (folder / "rules.yaml").write_text(rule_file())
    quiet = QUIET_MINUTES - 1
    test = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [*_input_series(before, after)],
                "promql_expr_test": [
                    _firing('alertname=~".+"', quiet, 0),
                    *(_firing(f'alertname="{name}"', QUIET_MINUTES + _minutes(name), 1) for name in sorted(fired)),
                ],
            }
        ],
    }
    (folder / "test.yaml").write_text(yaml.safe_dump(test))
    command = [tool, "test", "rules", "test.yaml"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def _minutes(name: str) -> int:
    """Return after how many minutes of the situation an alert is expected to fire."""
    [rule] = [rule for rule in ALERT_RULES if rule.name == name]
    return rule.minutes + 1


def _firing(selector: str, minute: int, value: int) -> dict[str, object]:
    alerts = f'ALERTS{{{selector},alertstate="firing"}}'
    expression = f"(count({alerts}) > bool 0) or vector(0)"
    return {"expr": expression, "eval_time": f"{minute}m", "exp_samples": [{"labels": "{}", "value": value}]}


def _input_series(before: Series, after: Series) -> Iterator[dict[str, str]]:
    """Yield the series of both queries; a counter grows in each minute of the situation as between the queries."""
    for name in sorted({*before, *after}):
        first, last = before.get(name), after.get(name)
        # `_x10` are ten samples, `0x9` the first one and nine more.
        values = f"_x{QUIET_MINUTES}" if first is None else f"{first:f}x{QUIET_MINUTES - 1}"
        if last is not None:
            values += f" {last:f}+{_growth(name, first, last):f}x{MINUTES}"
        else:
            values += " stale"
        yield {"series": name, "values": values}

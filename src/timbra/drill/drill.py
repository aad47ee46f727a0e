"""A drill: the faults one after the other under load, and the report of what the operator was told."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from timbra.core.clock import utc
from timbra.drill.comparison import acknowledged_folios, compare, stored_documents
from timbra.drill.fault_names import FaultName
from timbra.drill.faults import FAULTS, DrillFault
from timbra.drill.load import Load, RejectedAttempt
from timbra.drill.monitor import READY, Monitor
from timbra.drill.rehearsal import Plan, Rehearsal, rehearsal
from timbra.drill.report import Alarm, FaultReport, RehearsalReport, RejectionCount
from timbra.testing.services.processes import wait_for

CLIENTS = 4
WARM_STAMPS = 10
QUIET_SECONDS = 120
SETTLED_SECONDS = 5
MINIMUM_SECONDS = 20
"""A fault lasts at least so long, also when it alarmed earlier."""
MENDED_SECONDS = 180
DELIVERED_SECONDS = 600
PAUSE_SECONDS = 0.5


@dataclass(frozen=True)
class DrillOptions:
    """How a drill is made.

    Attributes:
        faults: What is taken away, in this order.
        minutes: The longest time of a fault; it ends when an alert fired.
        rate: Invoices each second.
        scrape_seconds: Between two queries of the metrics.
    """

    plan: Plan
    faults: Sequence[FaultName] = tuple(FaultName)
    minutes: float = 6
    rate: float = 5
    scrape_seconds: float = 15
    minimum_seconds: float = MINIMUM_SECONDS


def run_drill(options: DrillOptions, on_step: Callable[[str], None] = lambda _: None) -> RehearsalReport:
    """Run a drill in a rehearsal of its own.

    Args:
        on_step: Called with what happens now, in Spanish.

    Raises:
        ServiceError: The rehearsal cannot be made.
        TimeoutError: A part does not start.
    """
    begun = datetime.now(UTC)
    on_step("Arranca el ensayo: emulador del SAT, base de datos y nodos")
    with ExitStack() as stack:
        made = stack.enter_context(rehearsal(options.plan))
        nodes = [(node.name, node.address) for node in made.nodes]
        load = Load(nodes, made.token, options.rate, CLIENTS)
        monitor = Monitor(nodes, made.monitor, options.scrape_seconds)
        report = RehearsalReport(utc(begun), 0, version("timbra"), _machine(), made.engine(), len(nodes), options.rate)
        stack.callback(monitor.stop)
        stack.callback(load.stop, 0)
        load.start()
        monitor.start()
        drill = _Drill(made, load, monitor, options, on_step)
        for name in options.faults:
            reason = made.skipped.get(name, "")
            fault = FAULTS[name]
            report.faults.append(FaultReport(name, fault.title, reason=reason) if reason else drill.run(fault))
        report.active_before = sorted(drill.active_before)
        on_step("Se comparan los timbres contestados, guardados y entregados")
        load.stop()
        drill.wait_until_delivered(time.time(), DELIVERED_SECONDS)
        with made.container() as container:
            report.comparison = compare(
                load.log.sent,
                load.log.answers,
                list(stored_documents(container)),
                made.emulator.received(),
                acknowledged_folios(container),
            )
    report.seconds = (datetime.now(UTC) - begun).total_seconds()
    return report


class _Drill:
    """The faults of one drill."""

    def __init__(
        self,
        made: Rehearsal,
        load: Load,
        monitor: Monitor,
        options: DrillOptions,
        on_step: Callable[[str], None],
    ) -> None:
        self._rehearsal = made
        self._load = load
        self._monitor = monitor
        self._options = options
        self._on_step = on_step
        self.active_before: frozenset[str] = frozenset()

    def run(self, fault: DrillFault) -> FaultReport:
        """Take a part away until an alert fired or the time is over, and wait until the service has mended itself."""
        self._wait_until_quiet()
        found = FaultReport(fault.name, fault.title)
        self.active_before |= self._monitor.begin()
        begun = time.time()
        self._on_step(fault.title)
        with fault.away(self._rehearsal) as done:
            found.done = done
            self._hold(fault, begun)
            ended = time.time()
        self._on_step(f"{fault.title}: recuperación")
        found.held = ended - begun
        found.mended = self._seconds_until_mended(ended)
        until = time.time()
        found.delivered = self.wait_until_delivered(ended, DELIVERED_SECONDS)
        self._tell(found, begun, ended, until)
        return found

    def wait_until_delivered(self, ended: float, seconds: float) -> float | None:
        """Wait until all stamps so far are delivered; return the seconds since an instant, None without success."""
        wanted = {answer.uuid for answer in list(self._load.log.answers)}
        try:
            wait_for(lambda: wanted <= {*self._rehearsal.emulator.received()}, seconds, "deliveries", PAUSE_SECONDS)
        except TimeoutError:
            return None
        return time.time() - ended

    def _hold(self, fault: DrillFault, begun: float) -> None:
        minimum, longest = self._options.minimum_seconds, self._options.minutes * 60
        while (passed := time.time() - begun) < max(longest, minimum):
            fired = self._monitor.fired()
            if fired and passed >= minimum:
                return
            first = fired[0].rule.name if fired else "sin alarma todavía"
            self._on_step(f"{fault.title}: {passed:.0f} s, {first}")
            time.sleep(PAUSE_SECONDS)

    def _wait_until_quiet(self) -> None:
        """Wait until all nodes are ready and stamp."""
        begun = time.time()
        if self._seconds_until_mended(begun, QUIET_SECONDS) is None:
            raise TimeoutError("the nodes are not ready before a fault")
        count = len(self._load.log.answers)
        wait_for(lambda: len(self._load.log.answers) >= count + WARM_STAMPS, QUIET_SECONDS, "stamps before a fault")

    def _seconds_until_mended(self, ended: float, seconds: float = MENDED_SECONDS) -> float | None:
        """Wait until every node is ready, and stamped an invoice that was sent after an instant."""
        names = {node.name for node in self._rehearsal.nodes}

        def instant() -> float | None:
            ready = self._monitor.ready_since(ended)
            first: dict[str, float] = {}
            for answer in list(self._load.log.answers):
                if answer.sent > ended:
                    first.setdefault(answer.node, answer.at)
            return None if ready is None or first.keys() != names else max(ready, *first.values())

        try:
            wait_for(lambda: instant() is not None, seconds, "the service mends itself", PAUSE_SECONDS)
        except TimeoutError:
            return None
        return max(0.0, (instant() or time.time()) - ended)

    def _tell(self, found: FaultReport, begun: float, ended: float, until: float) -> None:
        log = self._load.log
        found.stamped = sum(begun <= answer.at <= ended for answer in list(log.answers))
        found.rejections = _counted([rejection for rejection in list(log.rejections) if begun <= rejection.at <= until])
        found.alarms = [
            Alarm(alert.rule.name, alert.rule.severity, alert.node, max(0.0, alert.at - begun))
            for alert in self._monitor.fired()
            if alert.at <= ended + self._options.scrape_seconds
        ]
        for probe in self._monitor.probes():
            said = [text for text in probe.said if text not in self._monitor.usual]
            if begun <= probe.at <= ended and (probe.status != READY or said):
                found.unready = probe.at - begun
                found.said = " ".join(filter(None, (f"nodo {probe.node}:", str(probe.status or ""), *said)))
                return


def _counted(rejections: Sequence[RejectedAttempt]) -> list[RejectionCount]:
    counts = Counter((each.code, each.status, each.message) for each in rejections)
    return [RejectionCount(*what, count) for what, count in counts.most_common()]


def _machine() -> str:
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} procesadores, Python {platform.python_version()}"
    )

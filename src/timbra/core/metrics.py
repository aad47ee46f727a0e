"""Metrics of one process: counters, histograms and gauges, cheap enough for the hot path.

`timbra.web.framework.prometheus` renders them; `timbra.operations.multiprocess_metrics` adds up the workers.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

Labels = tuple[str, ...]
PREFIX = "timbra_"
State = dict[str, Any]

DURATION_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SHORT_DURATION_BUCKETS = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0)
STAGE_SAMPLING = 16
"""Sampling of stage timers: one document in this many is timed."""


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """A counter or a histogram with all its label values.

    Attributes:
        name: without the prefix `timbra_` and without the suffix `_total`.
        labels: the names of the labels.
        description: the help text.
        bounds: upper bounds of a histogram's buckets; empty for a counter.
    """

    name: str
    labels: Labels
    description: str
    bounds: tuple[float, ...] = ()

    @property
    def series(self) -> str:
        """The name of a counter, or of the buckets of a histogram, in an expression of Prometheus."""
        return f"{PREFIX}{self.name}{'_bucket' if self.bounds else '_total'}"


@dataclass(frozen=True, slots=True)
class GaugeFamily:
    """A gauge, which the page of metrics reads when it is rendered.

    Attributes:
        name: without the prefix `timbra_`.
        description: the help text.
        labels: the names of the labels.
    """

    name: str
    description: str
    labels: Labels = ()

    @property
    def series(self) -> str:
        """The name in an expression of Prometheus."""
        return PREFIX + self.name


HTTP_REQUESTS = MetricFamily("http_requests", ("operation", "status"), "Answered requests.")
REJECTIONS = MetricFamily("rejections", ("code",), "Rejected requests, by the code of the response.")
INTERNAL_ERRORS = MetricFamily(
    "internal_errors",
    ("code",),
    "Requests and documents that failed because of an error of the server, by code; each is logged as an error.",
)
STAMP_CLAIMS = MetricFamily("stamp_claims", ("outcome",), "Claims of finished stamps, by outcome.")
HTTP_REQUEST_DURATION = MetricFamily(
    "http_request_duration_seconds",
    ("operation",),
    "From the request's headers to the end of its response.",
    DURATION_BUCKETS,
)
STAGE_DURATION = MetricFamily(
    "stamp_stage_duration_seconds",
    ("stage",),
    f"Stages of a stamp; one document in {STAGE_SAMPLING} is timed.",
    SHORT_DURATION_BUCKETS,
)
COMMIT_DURATION = MetricFamily("commit_duration_seconds", (), "Durable transactions of stamps.", SHORT_DURATION_BUCKETS)
COMMIT_BATCH_SIZE = MetricFamily(
    "commit_batch_size", (), "Finished stamps that share one transaction.", (1, 2, 4, 8, 16, 32, 64)
)
SIGNATURE_BATCH_SIZE = MetricFamily(
    "signature_batch_size", (), "Signatures of concurrent requests that were made together.", (1, 2, 3, 4, 5, 6, 7, 8)
)
PLAIN_INVOICES = MetricFamily(
    "plain_invoices",
    ("outcome",),
    "Documents to issue or stamp by the compiled path: plain, left to the ordinary path, or different in a comparison.",
)
POOL_WAIT = MetricFamily("pool_wait_seconds", ("pool",), "Wait of requests for a slot of a pool.", DURATION_BUCKETS)
POOL_REJECTIONS = MetricFamily("pool_rejections", ("pool",), "Requests rejected because the queue of a pool was full.")
LIST_FETCHES = MetricFamily(
    "list_fetches",
    ("list", "outcome"),
    "Queries of the sources of lists; the outcome is unchanged, imported, or a code.",
)
AUDIT_HEADS = MetricFamily(
    "audit_heads",
    ("outcome",),
    "Heads of the audit log sent to a destination outside of the machine; the outcome is sent, or a code.",
)
DELIVERIES = MetricFamily(
    "deliveries", ("outcome",), "Attempts to deliver a stamp to the SAT, by outcome; acuses by what the SAT decided."
)
DELIVERY_DELAY = MetricFamily(
    "delivery_delay_seconds",
    (),
    "From a stamp to the SAT's acuse.",
    (0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400),
)
ARCHIVES = MetricFamily(
    "archives", ("outcome",), "Archives of months: exported, pruned, and attempts of either that failed."
)
PROVIDER_SIGNATURES = MetricFamily(
    "provider_signatures", ("certificate",), "Signatures with the provider's key, by certificate number."
)
DOCUMENTS_OFFLOADED = MetricFamily(
    "documents_offloaded",
    ("reason",),
    "Documents that child processes got, by what made them costly: size, nodes, or faults.",
)
DOCUMENTS_REJECTED = MetricFamily(
    "documents_rejected",
    ("limit",),
    "Documents that exceeded a limit of their child process: processor, time or memory.",
)
CANCELLATION_REQUESTS = MetricFamily(
    "cancellation_requests",
    ("outcome",),
    "Attempts to send a request of cancellation to the SAT: answered, rejected, unreachable, or abandoned.",
)
RECEIVED_REQUESTS = MetricFamily(
    "received_requests", ("outcome",), "Calls of the SAT's bulk download, by service and code of the answer."
)
RECEIVED_DOCUMENTS = MetricFamily(
    "received_documents",
    ("outcome",),
    "Documents of packages of the SAT, by outcome: XML that is new, known, replaced or different; metadata; status.",
)
METRIC_FAMILIES = {each.name: each for each in tuple(globals().values()) if isinstance(each, MetricFamily)}
"""All families above, by name."""

HTTP_REQUESTS_IN_FLIGHT = GaugeFamily("http_requests_in_flight", "Requests that are being answered.")
REQUEST_BODY_BYTES = GaugeFamily("request_body_bytes", "Bytes of request bodies that are held.")
POOL_QUEUE_LENGTH = GaugeFamily("pool_queue_length", "Requests that wait for a slot of a pool.", ("pool",))
BUILD_INFO = GaugeFamily("build_info", "What is running; always 1.", ("version", "environment", "data_version"))
READY = GaugeFamily("ready", "Whether all health checks pass: 1, or 0 as /health/ready answers 503.")
HEALTH_WARNINGS = GaugeFamily("health_warnings", "Warnings of /health/ready, those of dead letters excluded.")
LIST_AGE = GaugeFamily("list_age_seconds", "Since the day of each list began.", ("list",))
LIST_QUERY_AGE = GaugeFamily("list_query_age_seconds", "Since the source of each list was queried.", ("list",))
LIST_FAILING = GaugeFamily("list_failing", "Whether the last query of the source failed.", ("list",))
CLOCK_SYNCHRONIZED = GaugeFamily("clock_synchronized", "Whether a time service keeps the clock.")
CLOCK_OFFSET = GaugeFamily("clock_offset_seconds", "What the kernel still corrects.")
CLOCK_MAX_ERROR = GaugeFamily("clock_max_error_seconds", "Upper bound of the clock's error.")
CLOCK_DATABASE = GaugeFamily(
    "clock_database_difference_seconds",
    "How far the clock of the node is ahead of that of PostgreSQL; none in a sandbox.",
)
OUTBOX_PENDING = GaugeFamily("outbox_pending", "Deliveries that are still tried.")
OUTBOX_OLDEST = GaugeFamily("outbox_oldest_seconds", "Age of the oldest of them.")
MINUTES_BEHIND_SAT = GaugeFamily(
    "minutes_behind_sat",
    "Whole minutes since the oldest stamp or request of cancellation that the SAT has not answered; 0 without one.",
)
DELIVERY_OUTAGE = GaugeFamily(
    "delivery_outage_seconds", "Since a service of the SAT does not receive stamps; 0 while it does.", ("service",)
)
DEAD_LETTERS = GaugeFamily("outbox_dead_letters", "Dead letters: deliveries that are no longer tried.", ("kind",))
GAUGE_FAMILIES = {each.name: each for each in tuple(globals().values()) if isinstance(each, GaugeFamily)}
"""All gauges above, by name."""


class Histogram:
    """Observed values by bucket.

    Attributes:
        bounds: upper bounds of the buckets.
        counts: values per bucket, not cumulative; the last is for values above all bounds.
        total: the sum of the values.
    """

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Add one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class StageTimer:
    """A stopwatch for the stages of one document."""

    __slots__ = ("_metrics", "_since")

    def __init__(self, metrics: MetricsRegistry) -> None:
        self._metrics = metrics
        self._since = perf_counter()

    def end(self, stage: str) -> None:
        """End a stage, and observe the time since the previous stage ended. `stage`: Value of the label `stage`."""
        now = perf_counter()
        self._metrics.observe(STAGE_DURATION, (stage,), now - self._since)
        self._since = now


class MetricsRegistry:
    """All metrics of one process. Only the thread of the event loop changes them.

    Attributes:
        counts: counters by family name and label values.
        histograms: histograms by family name and label values.
        requests_in_flight: requests that are being answered.
        body_bytes: memory of their bodies.
        pool_queue_lengths: requests in the queue of each pool.
    """

    __slots__ = ("_documents", "body_bytes", "counts", "histograms", "pool_queue_lengths", "requests_in_flight")

    def __init__(self) -> None:
        self.counts: dict[tuple[str, Labels], int] = {}
        self.histograms: dict[tuple[str, Labels], Histogram] = {}
        self.requests_in_flight = 0
        self.body_bytes = 0
        self.pool_queue_lengths: dict[str, int] = {}
        self._documents = 0

    def count(self, family: MetricFamily, labels: Labels, increment: int = 1) -> None:
        """Increment a counter.

        Args:
            family: A family without bounds.
            labels: Label values, in the order of `family.labels`.
            increment: Number to add.
        """
        key = (family.name, labels)
        self.counts[key] = self.counts.get(key, 0) + increment

    def observe(self, family: MetricFamily, labels: Labels, value: float) -> None:
        """Add a value to a histogram.

        Args:
            family: A family with bounds.
            labels: Label values, in the order of `family.labels`.
            value: In the unit of the bounds: seconds for a duration.
        """
        key = (family.name, labels)
        histogram = self.histograms.get(key)
        if histogram is None:
            histogram = self.histograms[key] = Histogram(family.bounds)
        histogram.observe(value)

    def declare(self, family: MetricFamily, labels: Labels) -> None:
        """Show a metric before its first value. A thread besides the event loop may change a declared metric.

        Args:
            labels: Label values, in the order of `family.labels`.
        """
        key = (family.name, labels)
        if family.bounds:
            self.histograms.setdefault(key, Histogram(family.bounds))
        else:
            self.counts.setdefault(key, 0)

    def activity(self) -> int:
        """Return a number that changes when a request begins or ends."""
        answered = sum(number for (name, _), number in self.counts.items() if name == HTTP_REQUESTS.name)
        return 2 * answered + self.requests_in_flight

    def stage_timer(self) -> StageTimer | None:
        """Return a stopwatch for the next document, or None when the document is not in the sample."""
        self._documents += 1
        return StageTimer(self) if self._documents % STAGE_SAMPLING == 1 else None

    def state(self) -> State:
        """Return all metrics in JSON-ready values, for `add` in another process."""
        return {
            "counts": [[name, *labels, number] for (name, labels), number in self.counts.items()],
            "histograms": [
                [name, *labels, list(histogram.counts), histogram.total]
                for (name, labels), histogram in self.histograms.items()
            ],
            "gauges": [self.requests_in_flight, self.body_bytes],
            "pool_queue_lengths": self.pool_queue_lengths,
        }

    def add(self, state: Mapping[str, Any], *, alive: bool = True) -> None:
        """Add the metrics of another process.

        Args:
            state: what `state` returned there.
            alive: whether that process still runs; if not, its gauges are ignored.
        """
        for name, *labels, number in state["counts"]:
            self.count(METRIC_FAMILIES[name], tuple(labels), number)
        for name, *labels, counts, total in state["histograms"]:
            key = (name, tuple(labels))
            histogram = self.histograms.setdefault(key, Histogram(METRIC_FAMILIES[name].bounds))
            histogram.counts = [ours + theirs for ours, theirs in zip(histogram.counts, counts, strict=True)]
            histogram.total += total
        if alive:
            requests, size = state["gauges"]
            self.requests_in_flight += requests
            self.body_bytes += size
            for pool, length in state["pool_queue_lengths"].items():
                self.pool_queue_lengths[pool] = self.pool_queue_lengths.get(pool, 0) + length

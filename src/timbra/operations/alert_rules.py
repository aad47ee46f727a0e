"""The alerts of a server, over the definitions of its metrics, and the file of rules that Prometheus reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from timbra.core.metrics import (
    ARCHIVES,
    AUDIT_HEADS,
    BUILD_INFO,
    CANCELLATION_REQUESTS,
    CLOCK_DATABASE,
    CLOCK_MAX_ERROR,
    CLOCK_SYNCHRONIZED,
    COMMIT_DURATION,
    DEAD_LETTERS,
    DELIVERIES,
    DELIVERY_DELAY,
    DELIVERY_OUTAGE,
    DOCUMENTS_REJECTED,
    HEALTH_WARNINGS,
    HTTP_REQUEST_DURATION,
    HTTP_REQUESTS,
    INTERNAL_ERRORS,
    LIST_AGE,
    LIST_FAILING,
    LIST_QUERY_AGE,
    MINUTES_BEHIND_SAT,
    PLAIN_INVOICES,
    POOL_REJECTIONS,
    READY,
    GaugeFamily,
    MetricFamily,
)
from timbra.operations.alert_conditions import (
    Absent,
    Compared,
    Condition,
    Grew,
    NoAnswer,
    QuantileAbove,
    Selector,
    ShareOfRequests,
)

JOB = "timbra"
"""The name of the job that queries the nodes, in the configuration of Prometheus."""
GROUP = "timbra"
SIGNER_CODES = "signer-unavailable|signature-faulty"
STAMPING = '{operation=~"issue-.*|stamp-(document|zip|retencion).*"}'


class Severity(StrEnum):
    """How soon a person is needed."""

    CRITICAL = "critical"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class AlertRule:
    """An alert.

    Attributes:
        name: In camel case, as Prometheus shows it.
        metric: What the expression reads; None for the state of the query itself.
        condition: What makes the alert active.
        minutes: How long the alert is active before it fires.
        meaning: In English, for the documentation.
        summary: In Spanish, for the person who is notified.
    """

    name: str
    metric: MetricFamily | GaugeFamily | None
    condition: Condition
    minutes: int
    severity: Severity
    meaning: str
    summary: str


def _grew(family: MetricFamily, selector: str = "", minutes: int = 10) -> Grew:
    return Grew(Selector(family, selector), minutes)


def _above(family: GaugeFamily, limit: float, selector: str = "") -> Compared:
    return Compared(Selector(family, selector), ">", limit)


def _equals(family: GaugeFamily, value: float) -> Compared:
    return Compared(Selector(family), "==", value)


ALERT_RULES = (
    AlertRule(
        "TimbraNodeDown",
        None,
        NoAnswer(JOB),
        1,
        Severity.CRITICAL,
        "A node does not answer the queries of Prometheus.",
        "El nodo {{ $labels.instance }} no responde.",
    ),
    AlertRule(
        "TimbraAbsent",
        BUILD_INFO,
        Absent(Selector(BUILD_INFO)),
        2,
        Severity.CRITICAL,
        "No node answers.",
        "Ningún nodo responde.",
    ),
    AlertRule(
        "TimbraNotReady",
        READY,
        _equals(READY, 0),
        2,
        Severity.CRITICAL,
        "`/health/ready` answers 503: database, SAT's data, lists, master key, provider's key or disk.",
        "El nodo {{ $labels.instance }} no está listo; /health/ready dice qué falta.",
    ),
    AlertRule(
        "TimbraHealthWarnings",
        HEALTH_WARNINGS,
        _above(HEALTH_WARNINGS, 0),
        15,
        Severity.WARNING,
        "`/health/ready` has warnings: lists, clock, archive, damaged database, audit heads.",
        "El nodo {{ $labels.instance }} tiene {{ $value }} avisos; /health/ready los dice.",
    ),
    AlertRule(
        "TimbraSatOutage",
        DELIVERY_OUTAGE,
        _above(DELIVERY_OUTAGE, 300),
        0,
        Severity.CRITICAL,
        "A service of the SAT has not received stamps for five minutes.",
        "El SAT no recibe timbres ({{ $labels.service }}) desde hace {{ $value | humanizeDuration }}.",
    ),
    AlertRule(
        "TimbraBehindSat",
        MINUTES_BEHIND_SAT,
        _above(MINUTES_BEHIND_SAT, 10),
        5,
        Severity.WARNING,
        "The oldest delivery has waited for more than ten minutes.",
        "Atraso con el SAT: {{ $value }} minutos.",
    ),
    AlertRule(
        "TimbraFarBehindSat",
        MINUTES_BEHIND_SAT,
        _above(MINUTES_BEHIND_SAT, 30),
        0,
        Severity.CRITICAL,
        "The oldest delivery has waited for more than thirty minutes; after an hour its acuse is late.",
        "Atraso con el SAT: {{ $value }} minutos; después de 60 los acuses son tardíos.",
    ),
    AlertRule(
        "TimbraDeadLetters",
        DEAD_LETTERS,
        _above(DEAD_LETTERS, 0),
        5,
        Severity.WARNING,
        "Deliveries are no longer tried.",
        "{{ $value }} entregas de tipo {{ $labels.kind }} ya no se intentan.",
    ),
    AlertRule(
        "TimbraDeliveryNotAdmitted",
        DELIVERIES,
        _grew(DELIVERIES, '{outcome="not-admitted"}'),
        0,
        Severity.CRITICAL,
        "The SAT does not admit the provider: access signature, token or certificate.",
        "El SAT no admite al proveedor.",
    ),
    AlertRule(
        "TimbraDeliveryRejected",
        DELIVERIES,
        _grew(DELIVERIES, '{outcome="rejected"}'),
        0,
        Severity.CRITICAL,
        "The SAT rejected a stamped document.",
        "El SAT rechazó un documento timbrado.",
    ),
    AlertRule(
        "TimbraDeliveryFailed",
        DELIVERIES,
        _grew(DELIVERIES, '{outcome="error"}'),
        0,
        Severity.CRITICAL,
        "A stamp cannot be delivered because of a defect or of a damaged document; it is a dead letter.",
        "Un timbre no se puede entregar por una falla propia.",
    ),
    AlertRule(
        "TimbraDeliverySlow",
        DELIVERY_DELAY,
        QuantileAbove(Selector(DELIVERY_DELAY), 0.9, 300),
        10,
        Severity.WARNING,
        "One delivery of ten takes more than five minutes from its stamp to the acuse.",
        "Las entregas al SAT tardan {{ $value | humanizeDuration }}.",
    ),
    AlertRule(
        "TimbraCancellationAbandoned",
        CANCELLATION_REQUESTS,
        _grew(CANCELLATION_REQUESTS, '{outcome="abandoned"}'),
        0,
        Severity.CRITICAL,
        "A request of cancellation got no answer for 72 hours and is no longer sent.",
        "Una solicitud de cancelación quedó sin respuesta 72 horas y ya no se envía.",
    ),
    AlertRule(
        "TimbraCancellationUnreachable",
        CANCELLATION_REQUESTS,
        _grew(CANCELLATION_REQUESTS, '{outcome="unreachable"}'),
        15,
        Severity.WARNING,
        "The cancellation service of the SAT has not answered for a quarter of an hour.",
        "El servicio de cancelación del SAT no responde.",
    ),
    AlertRule(
        "TimbraListOld",
        LIST_AGE,
        _above(LIST_AGE, 126000, '{list="LCO"}'),
        10,
        Severity.CRITICAL,
        "The LCO is older than 35 hours; at 48 a server is not ready.",
        "La lista {{ $labels.list }} tiene {{ $value | humanizeDuration }}.",
    ),
    AlertRule(
        "TimbraListFailing",
        LIST_FAILING,
        _equals(LIST_FAILING, 1),
        30,
        Severity.WARNING,
        "The source of a list cannot be read, or its files were rejected.",
        "La fuente de la lista {{ $labels.list }} falla.",
    ),
    AlertRule(
        "TimbraListNotQueried",
        LIST_QUERY_AGE,
        _above(LIST_QUERY_AGE, 90000),
        0,
        Severity.WARNING,
        "No worker has queried the source of a list for 25 hours; the longest interval is a day.",
        "Nadie consulta la fuente de la lista {{ $labels.list }} desde hace {{ $value | humanizeDuration }}.",
    ),
    AlertRule(
        "TimbraInternalError",
        INTERNAL_ERRORS,
        _grew(INTERNAL_ERRORS, f'{{code!~"{SIGNER_CODES}"}}'),
        0,
        Severity.CRITICAL,
        "A defect of the server, or a damaged document; the log has it as an error.",
        "Error interno {{ $labels.code }} en {{ $labels.instance }}; la bitácora tiene la causa.",
    ),
    AlertRule(
        "TimbraSignerFailed",
        INTERNAL_ERRORS,
        _grew(INTERNAL_ERRORS, f'{{code=~"{SIGNER_CODES}"}}'),
        0,
        Severity.CRITICAL,
        "The device with the provider's key does not sign, or signs wrongly.",
        "El dispositivo de firma falla ({{ $labels.code }}) en {{ $labels.instance }}.",
    ),
    AlertRule(
        "TimbraUnavailable",
        HTTP_REQUESTS,
        ShareOfRequests(HTTP_REQUESTS, "503", 0.01),
        0,
        Severity.CRITICAL,
        "More than one request of a hundred got 503 in five minutes.",
        "{{ $value | humanizePercentage }} de las solicitudes a {{ $labels.instance }} recibe 503.",
    ),
    AlertRule(
        "TimbraRateLimited",
        HTTP_REQUESTS,
        ShareOfRequests(HTTP_REQUESTS, "429", 0.1),
        5,
        Severity.WARNING,
        "More than one request of ten got 429: an account is over its rate, or passwords are being guessed.",
        "{{ $value | humanizePercentage }} de las solicitudes a {{ $labels.instance }} recibe 429.",
    ),
    AlertRule(
        "TimbraPoolFull",
        POOL_REJECTIONS,
        _grew(POOL_REJECTIONS),
        0,
        Severity.WARNING,
        "Requests got CO1000 because the queue of a pool was full.",
        "La cola {{ $labels.pool }} de {{ $labels.instance }} está llena.",
    ),
    AlertRule(
        "TimbraSlow",
        HTTP_REQUEST_DURATION,
        QuantileAbove(Selector(HTTP_REQUEST_DURATION, STAMPING), 0.99, 2),
        10,
        Severity.WARNING,
        "One stamp of a hundred takes more than two seconds.",
        "Timbrar en {{ $labels.instance }} tarda {{ $value | humanizeDuration }} (percentil 99).",
    ),
    AlertRule(
        "TimbraCommitSlow",
        COMMIT_DURATION,
        QuantileAbove(Selector(COMMIT_DURATION), 0.99, 0.25),
        10,
        Severity.WARNING,
        "Transactions of stamps are slow: disk, database or its synchronous standby.",
        "Las transacciones de {{ $labels.instance }} tardan {{ $value | humanizeDuration }} (percentil 99).",
    ),
    AlertRule(
        "TimbraCostlyDocuments",
        DOCUMENTS_REJECTED,
        _grew(DOCUMENTS_REJECTED),
        0,
        Severity.WARNING,
        "Documents exceeded a limit of their process.",
        "Documentos excedieron el límite {{ $labels.limit }} en {{ $labels.instance }}.",
    ),
    AlertRule(
        "TimbraClockUnsynchronized",
        CLOCK_SYNCHRONIZED,
        _equals(CLOCK_SYNCHRONIZED, 0),
        10,
        Severity.WARNING,
        "No time service keeps the clock of the machine.",
        "El reloj de {{ $labels.instance }} no está sincronizado.",
    ),
    AlertRule(
        "TimbraClockInaccurate",
        CLOCK_MAX_ERROR,
        _above(CLOCK_MAX_ERROR, 5),
        10,
        Severity.WARNING,
        "The clock of the machine may be wrong by more than five seconds.",
        "El error del reloj de {{ $labels.instance }} puede ser de {{ $value }} s.",
    ),
    AlertRule(
        "TimbraClockApart",
        CLOCK_DATABASE,
        Compared(Selector(CLOCK_DATABASE), ">", 5, absolute=True),
        0,
        Severity.CRITICAL,
        "The clock of a node is not that of the database; from five minutes on the node does not stamp.",
        "El reloj de {{ $labels.instance }} difiere {{ $value | humanizeDuration }} del de la base de datos.",
    ),
    AlertRule(
        "TimbraArchiveFailed",
        ARCHIVES,
        _grew(ARCHIVES, '{outcome="failed"}', 60),
        0,
        Severity.WARNING,
        "The archive of a month could not be written, verified or pruned.",
        "El archivo de un mes falló.",
    ),
    AlertRule(
        "TimbraAuditHeadNotSent",
        AUDIT_HEADS,
        _grew(AUDIT_HEADS, '{outcome!="sent"}'),
        30,
        Severity.WARNING,
        "Heads of the audit log have not reached their destination for half an hour.",
        "Las cabezas de la bitácora de auditoría no llegan a su destino ({{ $labels.outcome }}).",
    ),
    AlertRule(
        "TimbraFastPathDifferent",
        PLAIN_INVOICES,
        _grew(PLAIN_INVOICES, '{outcome="different"}'),
        0,
        Severity.CRITICAL,
        "The fast path made another document than the ordinary path.",
        "La ruta rápida hizo un documento distinto; informe la línea de la bitácora.",
    ),
)


def rule_file() -> str:
    """Return the file of rules, in YAML, for `rule_files` of Prometheus."""
    import yaml

    rules = [
        {
            "alert": rule.name,
            "expr": rule.condition.expression,
            **({"for": f"{rule.minutes}m"} if rule.minutes else {}),
            "labels": {"severity": rule.severity.value},
            "annotations": {"summary": rule.summary, "meaning": rule.meaning.replace("`", "")},
        }
        for rule in ALERT_RULES
    ]
    text: str = yaml.safe_dump(
        {"groups": [{"name": GROUP, "rules": rules}]}, allow_unicode=True, sort_keys=False, width=110
    )
    return "# Alerts of Timbra; `timbra monitoring rules` writes this file.\n" + text

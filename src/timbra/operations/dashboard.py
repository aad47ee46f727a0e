"""The dashboard of a server for Grafana: one panel for each metric, from its definition."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from timbra.core import metrics as m
from timbra.core.metrics import GaugeFamily, MetricFamily

SECTIONS: Mapping[str, Sequence[MetricFamily | GaugeFamily]] = {
    "Estado": (m.MINUTES_BEHIND_SAT, m.READY, m.HEALTH_WARNINGS, m.BUILD_INFO),
    "Entregas al SAT": (
        m.OUTBOX_PENDING,
        m.OUTBOX_OLDEST,
        m.DELIVERY_OUTAGE,
        m.DEAD_LETTERS,
        m.DELIVERIES,
        m.DELIVERY_DELAY,
        m.CANCELLATION_REQUESTS,
    ),
    "Solicitudes": (
        m.HTTP_REQUESTS,
        m.HTTP_REQUEST_DURATION,
        m.HTTP_REQUESTS_IN_FLIGHT,
        m.REQUEST_BODY_BYTES,
        m.REJECTIONS,
        m.INTERNAL_ERRORS,
    ),
    "Timbres": (
        m.STAMP_CLAIMS,
        m.STAGE_DURATION,
        m.COMMIT_DURATION,
        m.COMMIT_BATCH_SIZE,
        m.SIGNATURE_BATCH_SIZE,
        m.PROVIDER_SIGNATURES,
        m.PLAIN_INVOICES,
    ),
    "Colas y procesos": (
        m.POOL_QUEUE_LENGTH,
        m.POOL_WAIT,
        m.POOL_REJECTIONS,
        m.DOCUMENTS_OFFLOADED,
        m.DOCUMENTS_REJECTED,
    ),
    "Listas, reloj, archivos y auditoría": (
        m.LIST_AGE,
        m.LIST_QUERY_AGE,
        m.LIST_FAILING,
        m.LIST_FETCHES,
        m.CLOCK_SYNCHRONIZED,
        m.CLOCK_OFFSET,
        m.CLOCK_MAX_ERROR,
        m.CLOCK_DATABASE,
        m.ARCHIVES,
        m.AUDIT_HEADS,
    ),
    "Documentos recibidos": (m.RECEIVED_REQUESTS, m.RECEIVED_DOCUMENTS),
}
"""The rows of the dashboard."""
WIDTH, HEIGHT, COLUMNS = 8, 7, 24
SOURCE = {"type": "prometheus", "uid": "${source}"}
NODES = '{instance=~"$instance"}'
QUANTILES = (0.5, 0.99)


def dashboard_file() -> str:
    """Return the dashboard, in the JSON that Grafana imports."""
    dashboard = {
        "uid": "timbra",
        "title": "Timbra",
        "tags": ["timbra"],
        "editable": True,
        "refresh": "30s",
        "schemaVersion": 39,
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "America/Mexico_City",
        "templating": {"list": [*_variables()]},
        "panels": [*_panels()],
    }
    return json.dumps(dashboard, ensure_ascii=False, indent=1) + "\n"


def _variables() -> Iterator[Mapping[str, Any]]:
    yield {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}
    yield {
        "name": "instance",
        "label": "Nodo",
        "type": "query",
        "datasource": SOURCE,
        "query": f"label_values({m.BUILD_INFO.series}, instance)",
        "refresh": 2,
        "includeAll": True,
        "multi": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }


def _panels() -> Iterator[Mapping[str, Any]]:
    number, top = 0, 0
    for title, families in SECTIONS.items():
        number += 1
        yield {
            "id": number,
            "type": "row",
            "title": title,
            "collapsed": False,
            "panels": [],
            "gridPos": {"x": 0, "y": top, "w": COLUMNS, "h": 1},
        }
        top += 1
        for place, family in enumerate(families):
            number += 1
            row, column = divmod(place * WIDTH, COLUMNS)
            position = {"x": column, "y": top + row * HEIGHT, "w": WIDTH, "h": HEIGHT}
            yield _panel(number, family, position)
        top += -(-len(families) * WIDTH // COLUMNS) * HEIGHT


def _panel(number: int, family: MetricFamily | GaugeFamily, position: Mapping[str, int]) -> Mapping[str, Any]:
    queries = [
        {"refId": chr(ord("A") + place), "expr": expression, "legendFormat": legend, "datasource": SOURCE}
        for place, (expression, legend) in enumerate(_queries(family))
    ]
    return {
        "id": number,
        "type": "timeseries",
        "title": family.name,
        "description": family.description,
        "datasource": SOURCE,
        "gridPos": position,
        "fieldConfig": {"defaults": {"unit": _unit(family), "min": 0}, "overrides": []},
        "targets": queries,
    }


def _queries(family: MetricFamily | GaugeFamily) -> Iterator[tuple[str, str]]:
    """Yield the expressions of a panel with their legends."""
    if isinstance(family, GaugeFamily):
        legend = " ".join(f"{{{{{label}}}}}" for label in ("instance", *family.labels))
        yield f"{family.series}{NODES}", legend
        return
    labels = ", ".join(family.labels)
    legend = " ".join(f"{{{{{label}}}}}" for label in family.labels)
    if not family.bounds:
        by = f" by ({labels})" if labels else ""
        yield f"sum{by} (rate({family.series}{NODES}[$__rate_interval]))", legend
        return
    by = ", ".join(("le", *family.labels))
    for quantile in QUANTILES:
        rate = f"sum by ({by}) (rate({family.series}{NODES}[$__rate_interval]))"
        yield f"histogram_quantile({quantile:g}, {rate})", f"{legend} p{quantile * 100:g}".strip()


def _unit(family: MetricFamily | GaugeFamily) -> str:
    """Return Grafana's name of the unit of a panel."""
    if family.name.endswith("_seconds"):
        return "s"
    if family.name.endswith("_bytes"):
        return "bytes"
    if family is m.MINUTES_BEHIND_SAT:
        return "m"
    return "ops" if isinstance(family, MetricFamily) and not family.bounds else "short"

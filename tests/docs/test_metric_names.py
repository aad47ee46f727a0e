"""Names and labels of metrics: the code, the documentation and the deployment files agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from timbra.core.metrics import GAUGE_FAMILIES, METRIC_FAMILIES
from timbra.operations.alert_rules import ALERT_RULES

ROOT = Path(__file__).parents[2]
PREFIX = "timbra_"
NAME = re.compile(r"\btimbra_[a-z][a-z0-9_]*[a-z0-9]\b(?!\()")
LABEL = re.compile(r"`?\b(timbra_[a-z0-9_]+)(?:\{([a-z_]+)=|`(?:, `timbra_[a-z0-9_]+`)* by `([a-z_]+)`)")
OTHER_NAMES = frozenset(
    {"timbra_command", "timbra_container", "timbra_seed", "timbra_session", "timbra_token", "timbra_visitor"}
)
"""Fixtures of pytest, cookies and functions that the pages name."""
SCRAPED_LABELS = frozenset({"instance", "job"})
"""Labels that Prometheus adds."""
SUFFIXES = {"histogram": ("", "_bucket", "_sum", "_count"), "counter": ("_total",), "gauge": ("",)}


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/en/**/*.md"), *ROOT.glob("docs/es/**/*.md")]
    found += [path for path in ROOT.glob("deploy/**/*") if path.is_file()]
    return [path for path in found if path.name not in {"CHANGELOG.md", "verification.md"}]


def metrics() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the kind and the labels of each metric, by its name."""
    found = {}
    for family in METRIC_FAMILIES.values():
        found[PREFIX + family.name] = "histogram" if family.bounds else "counter", family.labels
    for gauge in GAUGE_FAMILIES.values():
        found[PREFIX + gauge.name] = "gauge", gauge.labels
    return found


METRICS = metrics()
SERIES = {name + suffix: name for name, (kind, _) in METRICS.items() for suffix in SUFFIXES[kind]}


def test_metrics_of_the_code_are_found() -> None:
    assert {"timbra_http_requests_total", "timbra_stamp_stage_duration_seconds", "timbra_outbox_pending"} <= set(SERIES)
    assert {kind for kind, _ in METRICS.values()} == set(SUFFIXES)


def test_metrics_that_pages_name_exist_with_their_labels() -> None:
    for path in pages():
        text = path.read_text("utf-8", "replace")
        unknown = set(NAME.findall(text)) - set(SERIES) - OTHER_NAMES
        assert not unknown, f"{path.name}: no metric of the code has these names: {sorted(unknown)}"
        for name, *labels in LABEL.findall(text):
            if name not in OTHER_NAMES:
                declared = METRICS[SERIES[name]][1]
                assert set(filter(None, labels)) - SCRAPED_LABELS <= set(declared), (path, name)


def test_operators_read_about_every_metric() -> None:
    text = (ROOT / "docs" / "operations.md").read_text("utf-8")
    named = {SERIES[name] for name in NAME.findall(text) if name in SERIES}
    assert not set(METRICS) - named, f"docs/operations.md does not have {sorted(set(METRICS) - named)}"


def test_incidents_name_every_alert() -> None:
    text = (ROOT / "docs" / "incidents.md").read_text("utf-8")
    assert set(re.findall(r"`(Timbra[A-Z]\w+)`", text)) == {rule.name for rule in ALERT_RULES}
    assert text.count("\n## ") == 12

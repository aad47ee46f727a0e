"""Names and labels of metrics: the code, the documentation and the deployment files agree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
PREFIX = "timbra_"
NAME = re.compile(r"\btimbra_[a-z][a-z0-9_]*[a-z0-9]\b(?!\()")
LABEL = re.compile(r"`?\b(timbra_[a-z0-9_]+)(?:\{([a-z_]+)=|`(?:, `timbra_[a-z0-9_]+`)* by `([a-z_]+)`)")
OTHER_NAMES = frozenset(
    {"timbra_command", "timbra_container", "timbra_seed", "timbra_session", "timbra_token", "timbra_visitor"}
)
"""Fixtures of pytest, cookies and functions that the pages name."""
SUFFIXES = {"histogram": ("", "_bucket", "_sum", "_count"), "counter": ("_total",), "gauge": ("",)}


def pages() -> list[Path]:
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/en/**/*.md"), *ROOT.glob("docs/es/**/*.md")]
    found += [path for path in ROOT.glob("deploy/**/*") if path.is_file()]
    return [path for path in found if path.name not in {"CHANGELOG.md", "verification.md"}]


def calls(name: str) -> Iterator[ast.Call]:
    """Yield the calls of a class in the code, with the name of a metric as first argument."""
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text("utf-8")
        if name in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                    yield node


def metrics() -> Mapping[str, tuple[str, object]]:
    """Return the kind and the labels of each metric of the code, by its name."""
    found: dict[str, tuple[str, object]] = {}
    for call in calls("MetricFamily"):
        kind = "histogram" if len(call.args) + len(call.keywords) > 3 else "counter"
        found[PREFIX + ast.literal_eval(call.args[0])] = kind, ast.literal_eval(call.args[1])
    for call in calls("PrometheusGauge"):
        try:
            labels = ast.literal_eval(call.args[3]) if len(call.args) > 3 else ()
        except ValueError:
            labels = None  # computed
        found[PREFIX + ast.literal_eval(call.args[0])] = "gauge", labels
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
                assert declared is None or set(filter(None, labels)) <= set(declared), (path, name)  # type: ignore[call-overload]


def test_operators_read_about_every_metric() -> None:
    text = (ROOT / "docs" / "operations.md").read_text("utf-8")
    named = {SERIES[name] for name in NAME.findall(text) if name in SERIES}
    assert not set(METRICS) - named, f"docs/operations.md does not have {sorted(set(METRICS) - named)}"

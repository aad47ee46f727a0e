"""Traces: ids of requests, webhooks, and the spans that a server sends by OTLP."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.asgi import call
from tests.support.fake_services import FakeServices
from tests.support.server import running, seed
from tests.support.waiting import wait_until

from timbra.core.tracing import span, use_tracer
from timbra.sat.transport import Transport

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


@dataclass
class Collector:
    """A collector of spans. address: its own; spans: what it received, by name."""

    address: str
    spans: list[dict[str, Any]] = field(default_factory=list)
    resources: list[dict[str, str]] = field(default_factory=list)

    def receive(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            self.resources.append({each.key: each.value.string_value for each in resource.resource.attributes})
            for scope in resource.scope_spans:
                for one in scope.spans:
                    values = {each.key: each.value.string_value or each.value.int_value for each in one.attributes}
                    self.spans.append(
                        {
                            "name": one.name,
                            "trace": one.trace_id.hex(),
                            "parent": one.parent_span_id.hex(),
                            "span": one.span_id.hex(),
                            "failed": one.status.code == one.status.STATUS_CODE_ERROR,
                            **values,
                        }
                    )


@contextmanager
def running_collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == "/v1/traces"
            if self.headers.get("content-encoding") == "gzip":
                import gzip

                body = gzip.decompress(body)
            found.receive(body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Collector(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def test_request_id_of_a_traced_request_is_its_traceparent() -> None:
    app = FakeServices().app()
    answer = call(app, "GET", "/health/live", headers={"traceparent": TRACEPARENT})
    trace, span_id, flags = answer.headers["x-request-id"].split("-")
    assert (trace, flags) == (TRACE, "01")
    assert span_id != PARENT
    other = call(app, "GET", "/health/live", headers={"traceparent": "00-not-valid"})
    assert other.headers["x-request-id"].count("-") == 1


def test_server_sends_spans_with_node_and_status(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = seed(data)
    with running_collector() as collector:
        environment = {"TIMBRA_OTLP_ENDPOINT": collector.address, "TIMBRA_NODE": "node-a"}
        with running(data, token=token, environment=environment) as server, server.client() as client:
            client.get("/health/live", headers={"traceparent": TRACEPARENT})
            answer = client.get("/stamps")
            client.get("/nowhere")
        wait_until(lambda: {"health-live", "stamps"} <= {one["name"] for one in collector.spans})
    [live] = [one for one in collector.spans if one["name"] == "health-live"]
    assert (live["trace"], live["parent"], live["http.response.status_code"]) == (TRACE, PARENT, 200)
    [stamps] = [one for one in collector.spans if one["name"] == "stamps"]
    assert answer.headers["x-request-id"].startswith(f"{stamps['trace']}-{stamps['span']}-")
    assert (stamps["parent"], stamps["url.path"], stamps["failed"]) == ("", "/stamps", False)
    assert {resource["service.instance.id"] for resource in collector.resources} == {"node-a"}


def test_log_lines_have_node_worker_and_request(tmp_path: Path) -> None:
    log, data = tmp_path / "log", tmp_path / "data"
    environment = {"TIMBRA_LOG_LEVEL": "info", "TIMBRA_LOG_FORMAT": "json", "TIMBRA_NODE": "node-a"}
    with (
        log.open("wb") as sink,
        running(data, token=seed(data), environment=environment, log=sink, workers=2) as server,
        server.client() as client,
    ):
        ids = {client.get("/health/live").headers["x-request-id"] for _ in range(3)}
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    answered = [line for line in lines if line["event"] == "answered" and line["request_id"] in ids]
    assert len(answered) == 3
    assert {line["node"] for line in lines} == {"node-a"}
    assert {line["worker"] for line in answered} <= {"worker 1", "worker 2"}


def test_spans_of_calls_belong_to_the_span_around_them() -> None:
    begun: list[tuple[str, str, str]] = []

    class Recorded:
        def __init__(self, name: str, parent: str) -> None:
            self.traceparent = f"00-{TRACE}-{len(begun):016x}-01"
            self.values: dict[str, object] = {}
            begun.append((name, parent, self.traceparent))

        def set(self, name: str, value: object) -> None:
            self.values[name] = value

        def rename(self, name: str) -> None:
            """Not needed."""

        def end(self, error: str = "") -> None:
            ended.append(error)

    class Recorder:
        def begin(self, name: str, kind: str, parent: str) -> Recorded:
            return Recorded(name, parent)

    ended: list[str] = []
    use_tracer(Recorder())
    try:
        with pytest.raises(Exception, match="authority-down"), span("delivery", "internal", TRACEPARENT):
            Transport().exchange("GET", "http://127.0.0.1:9/", seconds=1, max_bytes=10)
    finally:
        use_tracer(None)
    (outer, parent, own), (inner, parent_of_inner, _) = begun
    assert (outer, parent, inner, parent_of_inner) == ("delivery", TRACEPARENT, "GET", own)
    assert len(ended) == 2
    assert all(ended)


def test_nothing_of_opentelemetry_is_imported_without_a_collector() -> None:
    program = (
        "import sys, timbra.cli.serve, timbra.web.server.otlp, timbra.app.api_factory, timbra.sat.transport\n"
        "from timbra.settings import Settings\n"
        "with timbra.web.server.otlp.traced(Settings()): pass\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"

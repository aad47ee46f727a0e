"""The tracer that sends spans to a collector, by OTLP over HTTP with the packages of OpenTelemetry."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from timbra.core.errors import ServiceError
from timbra.core.tracing import SpanKind, Value, use_tracer

if TYPE_CHECKING:
    from timbra.settings import Settings

PATH = "/v1/traces"
FLUSH_MILLISECONDS = 3000
MISSING = "TIMBRA_OTLP_ENDPOINT necesita los paquetes de OpenTelemetry: instale timbra[tracing]."


def require_packages(settings: Settings) -> None:
    """Check that the packages are installed when the settings need them. Raises ServiceError: "CO1000"."""
    if settings.otlp_endpoint and (
        find_spec("opentelemetry") is None or find_spec("opentelemetry.exporter.otlp.proto.http") is None
    ):
        raise ServiceError("CO1000", MISSING)


@contextmanager
def traced(settings: Settings) -> Iterator[None]:
    """Send the spans of this process while the block runs, if the settings name a collector.

    The packages start threads, which a fork does not copy: each process of the server calls this for itself.
    """
    if not settings.otlp_endpoint:
        yield
        return
    provider = _provider(settings)
    use_tracer(_OtlpTracer(provider.get_tracer("timbra", version("timbra"))))
    try:
        yield
    finally:
        use_tracer(None)
        provider.force_flush(FLUSH_MILLISECONDS)
        provider.shutdown()


def _provider(settings: Settings) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    resource = Resource.create(
        {
            "service.name": "timbra",
            "service.version": version("timbra"),
            "service.instance.id": settings.node or socket.gethostname(),
            "process.pid": os.getpid(),
            "deployment.environment.name": settings.environment,
        }
    )
    sampler = ParentBased(TraceIdRatioBased(settings.otlp_sample_ratio))
    provider = TracerProvider(sampler=sampler, resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(settings.otlp_endpoint.rstrip("/") + PATH)))
    return provider


class _OtlpTracer:
    def __init__(self, tracer: Any) -> None:
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._tracer = tracer
        self._propagator = TraceContextTextMapPropagator()
        kinds = trace.SpanKind
        self._kinds = {"server": kinds.SERVER, "client": kinds.CLIENT, "internal": kinds.INTERNAL}

    def begin(self, name: str, kind: SpanKind, parent: str) -> _OtlpSpan:
        from opentelemetry.context import Context

        context = self._propagator.extract({"traceparent": parent}, Context()) if parent else Context()
        return _OtlpSpan(self._tracer.start_span(name, context, self._kinds[kind]))


class _OtlpSpan:
    __slots__ = ("_span", "traceparent")

    def __init__(self, span: Any) -> None:
        self._span = span
        found = span.get_span_context()
        self.traceparent = f"00-{found.trace_id:032x}-{found.span_id:016x}-{int(found.trace_flags):02x}"

    def set(self, name: str, value: Value) -> None:
        self._span.set_attribute(name, value)

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def end(self, error: str = "") -> None:
        if error:
            from opentelemetry.trace import StatusCode

            self._span.set_status(StatusCode.ERROR, error)
        self._span.end()

"""Connections, logins, mail, logs and metrics of the server."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

from timbra.core.approvals import named_actions
from timbra.core.caller import named_roles

MEBIBYTE = 1024 * 1024


class ServerSettings(BaseSettings):
    """Connections, logins, mail, logs and metrics of the server."""

    max_bytes_in_flight: int = Field(
        default=256 * MEBIBYTE,
        gt=0,
        description="Memory budget of one worker for request bodies; beyond it the server answers 503. The last "
        "quarter is reserved for bodies of up to 1 MiB.",
    )
    body_idle_timeout_seconds: float = Field(
        default=30, gt=0, description="Timeout between two pieces of a request body, in seconds."
    )
    body_min_bytes_per_second: int = Field(
        default=4096, gt=0, description="Minimum rate of a request body, after the first `body_idle_timeout_seconds`."
    )
    body_timeout_seconds: float = Field(default=600, gt=0, description="Timeout of a whole request body, in seconds.")
    header_timeout_seconds: float = Field(
        default=30, gt=0, description="Timeout of the request line and headers, in seconds."
    )
    write_timeout_seconds: float = Field(
        default=30, gt=0, description="Timeout of a client that does not read its response, in seconds."
    )
    max_connections: int = Field(
        default=4096,
        gt=0,
        description="Maximum connections of one worker, lower if the limit of open files requires it. A new connection "
        "evicts the one that is idle longest or whose body is slowest, or gets 503. Health checks are always answered.",
    )
    rate_per_second: float = Field(
        default=0, ge=0, description="Rate limit of an account at one worker, in requests a second; 0: no limit."
    )
    rate_burst: int = Field(
        default=20, gt=0, description="Burst of an account at one worker: requests that exceed the rate after a pause."
    )
    login_failures: int = Field(
        default=10,
        gt=0,
        le=1000,
        description="Wrong passwords of one user name from one address before its logins are delayed; one more is "
        "allowed every ten minutes. An address from which the account logged in within 30 days is never delayed.",
    )
    login_address_failures: int = Field(
        default=30,
        ge=0,
        le=100_000,
        description="Wrong passwords from one address (IPv6: one /64 network) before its logins are delayed; one more "
        "is allowed every 30 seconds. 0: no limit, for a proxy on another machine that hides its clients; the "
        "loopback address never has one.",
    )
    login_max_delay_seconds: float = Field(
        default=900,
        ge=1,
        le=86_400,
        description="Longest delay of the logins beyond a limit, in seconds.",
    )
    second_factor_roles: str = Field(
        default="",
        description="Roles whose users need a second factor in the portal, separated by commas: `administrator`, "
        "`owner`, `operator`, `reader`, `auditor`. A user of them without one is led to the page that adds it after "
        "signing in, and can open no other page. Tokens of the API are not affected.",
    )
    two_person_actions: str = Field(
        default="",
        description="Operations that one person requests and another one confirms, separated by commas. `keys`: "
        "rotation of the master key and of the secret of tokens, a new certificate of the provider, deactivation of "
        "a CSD; `lists`: `timbra lists ... --force` and `timbra catalogs install --force`; `prune`: `timbra archive "
        "prune`, which the server then does not do by itself. See `timbra approval`.",
    )
    two_person_minutes: int = Field(
        default=60,
        gt=0,
        le=10_080,
        description="Time in which a request of `two_person_actions` is confirmed, and then in which the operation is "
        "done, in minutes.",
    )
    trusted_proxies: str = Field(
        default="",
        description="Addresses and networks of the reverse proxies in front of the server, separated by commas, such "
        "as `127.0.0.1, 10.0.0.0/8`: the client's address is then read from their header, for the limits of logins, "
        "the fair queues, the audit log and the log. Empty: the address of the connection counts.",
    )
    trusted_proxy_hops: int = Field(
        default=1,
        ge=1,
        le=16,
        description="Number of trusted proxies in a row: so many addresses of the header are read, from right to left, "
        "each while the one before belongs to `TIMBRA_TRUSTED_PROXIES`.",
    )
    trusted_proxy_header: Literal["x-forwarded-for", "forwarded", "proxy-protocol"] = Field(
        default="x-forwarded-for",
        description="Header that the trusted proxies write: `X-Forwarded-For`, or `Forwarded` of RFC 7239. The other "
        "one is ignored, because a client can send it through the proxy. `proxy-protocol`: balancers of TCP, whose "
        "connections must begin with a head of the PROXY protocol (version 1 or 2); no header is read, and HTTPS ends "
        "at the balancer.",
    )
    smtp_host: str = Field(default="", description="Mail server; empty: e-mail is disabled, or kept in a sandbox.")
    smtp_port: int = Field(default=587, gt=0, le=65535, description="Port of the mail server.")
    smtp_security: Literal["none", "starttls", "tls"] = Field(
        default="starttls", description="Encryption of the connection to the mail server; `tls`: from its start."
    )
    smtp_user: str = Field(default="", description="User of the mail server; empty: no authentication.")
    smtp_password: str = Field(default="", repr=False, description="Password of the mail server.")
    smtp_sender: str = Field(
        default="", description="Sender of e-mails, `Facturas <facturas@example.com>`; required for e-mail."
    )
    smtp_ca: Path | None = Field(
        default=None, description="PEM file of additional authorities for the mail server's certificate."
    )
    smtp_timeout_seconds: float = Field(
        default=10, gt=0, le=60, description="Timeout of an answer of the mail server, in seconds."
    )
    min_free_disk_bytes: int = Field(
        default=100 * MEBIBYTE,
        ge=0,
        description="Free space of the data folder's disk below which `/health/ready` answers 503.",
    )
    lock_memory: Literal["auto", "on", "off"] = Field(
        default="auto",
        description="Keep the memory of the server, with its keys, out of the swap area: `auto`: in production, if the "
        "limit of locked memory (`ulimit -l`) is unlimited; `on`: the server does not start when it cannot.",
    )
    docs: bool = Field(
        default=True, description="Serve the documentation and the API reference under `/docs/`, without an account."
    )
    node: str = Field(
        default="",
        max_length=100,
        description="Name of this node in log lines and in `timbra doctor`; empty: the name of the machine.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Minimum level of log lines."
    )
    log_format: Literal["auto", "json", "text"] = Field(
        default="auto", description="Format of log lines; `auto`: text on a terminal, JSON elsewhere."
    )
    otlp_endpoint: str = Field(
        default="",
        description="Collector of spans by OTLP over HTTP, such as `http://127.0.0.1:4318`; needs `timbra[tracing]`. "
        "Empty: no spans are recorded. The variables `OTEL_EXPORTER_OTLP_...` of OpenTelemetry set its headers and "
        "certificates.",
    )
    otlp_sample_ratio: float = Field(
        default=1,
        ge=0,
        le=1,
        description="Part of the requests whose spans are recorded, from 0 to 1, unless their header `traceparent` "
        "decides it.",
    )
    metrics_token: str = Field(
        default="",
        repr=False,
        description="Bearer token of `/metrics`; empty: in the sandbox served to the local machine only, and not "
        "through a proxy; in production not served.",
    )
    metrics_listen: str = Field(
        default="",
        description="Address and port of a second listener, such as `127.0.0.1:9464`, that serves `/metrics` without a "
        "token and nothing else; empty: none. Every program that reaches it can read the metrics.",
    )
    drain_seconds: float = Field(
        default=0,
        ge=0,
        le=600,
        description="Drain time in seconds: after SIGTERM `/health/ready` answers 503 for this time before the server "
        "stops accepting connections.",
    )

    @field_validator("second_factor_roles")
    @classmethod
    def _require_roles(cls, text: str) -> str:
        named_roles(text)
        return text

    @field_validator("two_person_actions")
    @classmethod
    def _require_actions(cls, text: str) -> str:
        named_actions(text)
        return text

    @field_validator("trusted_proxies")
    @classmethod
    def _require_networks(cls, text: str) -> str:
        for part in text.split(","):
            if part.strip():
                ip_network(part.strip())
        return text

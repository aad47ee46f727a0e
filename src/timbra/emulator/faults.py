"""Scripted faults of the emulator: which requests fail, how often, and how.

| fault | effect |
|---|---|
| `connection-refused` | closes the connection, and accepts no connection for `seconds` |
| `connection-reset` | closes the connection before the request is processed |
| `slow` | waits `seconds` before the request is processed |
| `status` | answers with the HTTP status `status`; the request is not processed |
| `html` | answers with a page of HTML and the HTTP status `status`; the request is not processed |
| `soap-fault` | answers with a SOAP fault of `code` and `message`; the request is not processed |
| `answer-lost` | processes the request and closes the connection without an answer |
| `truncated` | processes the request and answers with half of the body |
| `stale-token` | treats the token as expired |
| `incidencia` | receives the document, with an Incidencia in the acuse: `code`, `message` |
| `reject` | does not receive the document: `code`, `message` |
| `other-uuid` | receives the document, and names another UUID in the acuse |
| `broken-signature` | changes the signature of a list, so that it does not verify |
| `code` | answers a call of the bulk download with the CodEstatus `code` |
| `state` | answers a verification with `state` and `code`; of a request: gives it that end, 1 or 2 for ever |
| `no-packages` | names no packages in a verification |
| `no-count` | answers a verification with NumeroCFDIs 0 |
| `reversed-packages` | names the packages in reverse order |
| `empty-package` | downloads an empty Paquete with 5000 |
| `truncated-package` | downloads half of the base64 in a complete message |
| `broken-zip` | downloads a ZIP file without its end |
| `slow-body` | sends a package in `seconds` |
| `broken-metadata` | names with quotes, line feeds and `~`, or empty; the last row has no end |
| `renamed-column` | calls the column RfcPac PacCertifico |
| `foreign-files` | adds files and folders to the packages that are no documents |
| `double-extension` | names documents `.xml.xml` |
| `byte-order-mark` | begins documents with a byte order mark |
| `repeated-documents` | has a document in two packages |
| `other-parties` | adds a document of other parties |

The last seven change the packages of an affected request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from types import MappingProxyType
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_SECONDS = 3600.0


class EmulatedService(StrEnum):
    """The services, by the names that scripts use."""

    AUTHENTICATION = "authentication"
    UPLOAD = "upload"
    RECEPTION = "reception"
    CANCELLATION = "cancellation"
    ACCEPTANCE = "acceptance"
    RELATIONS = "relations"
    STATUS = "status"
    CERTIFICATES = "certificates"
    LISTS = "lists"
    RETENCIONES_RECEPTION = "retenciones-reception"
    RETENCIONES_CANCELLATION = "retenciones-cancellation"
    RETENCIONES_PAGE = "retenciones-page"
    DOWNLOAD_AUTHENTICATION = "download-authentication"
    DOWNLOAD_REQUEST = "download-request"
    DOWNLOAD_VERIFICATION = "download-verification"
    DOWNLOAD_PACKAGE = "download-package"


FaultKind = Literal[
    "connection-refused",
    "connection-reset",
    "slow",
    "status",
    "soap-fault",
    "answer-lost",
    "truncated",
    "stale-token",
    "incidencia",
    "reject",
    "other-uuid",
    "broken-signature",
    "html",
    "code",
    "state",
    "no-packages",
    "no-count",
    "reversed-packages",
    "empty-package",
    "truncated-package",
    "broken-zip",
    "slow-body",
    "broken-metadata",
    "renamed-column",
    "foreign-files",
    "double-extension",
    "byte-order-mark",
    "repeated-documents",
    "other-parties",
]
_WITH_TOKEN = frozenset(EmulatedService) - {
    EmulatedService.AUTHENTICATION,
    EmulatedService.UPLOAD,
    EmulatedService.STATUS,
    EmulatedService.CERTIFICATES,
    EmulatedService.LISTS,
    EmulatedService.RETENCIONES_PAGE,
    EmulatedService.DOWNLOAD_AUTHENTICATION,
}
BULK_DOWNLOAD_SERVICES = frozenset(
    {
        EmulatedService.DOWNLOAD_AUTHENTICATION,
        EmulatedService.DOWNLOAD_REQUEST,
        EmulatedService.DOWNLOAD_VERIFICATION,
        EmulatedService.DOWNLOAD_PACKAGE,
    }
)
SOAP_SERVICES = BULK_DOWNLOAD_SERVICES | {
    EmulatedService.AUTHENTICATION,
    EmulatedService.RECEPTION,
    EmulatedService.CANCELLATION,
    EmulatedService.ACCEPTANCE,
    EmulatedService.RELATIONS,
    EmulatedService.STATUS,
}
PACKAGE_DEFECTS = frozenset(
    {
        "broken-metadata",
        "renamed-column",
        "foreign-files",
        "double-extension",
        "byte-order-mark",
        "repeated-documents",
        "other-parties",
    }
)
"""The faults that change the packages of a request."""
_VERIFICATION = frozenset({EmulatedService.DOWNLOAD_VERIFICATION})
_PACKAGE = frozenset({EmulatedService.DOWNLOAD_PACKAGE})
_RECEPTION = frozenset({EmulatedService.RECEPTION, EmulatedService.RETENCIONES_RECEPTION})
APPLIES: Mapping[str, frozenset[EmulatedService]] = MappingProxyType(
    {
        "soap-fault": SOAP_SERVICES,
        "stale-token": _WITH_TOKEN,
        "incidencia": _RECEPTION,
        "reject": _RECEPTION,
        "other-uuid": _RECEPTION,
        "broken-signature": frozenset({EmulatedService.LISTS}),
        "code": BULK_DOWNLOAD_SERVICES - {EmulatedService.DOWNLOAD_AUTHENTICATION},
        "state": frozenset({EmulatedService.DOWNLOAD_REQUEST, EmulatedService.DOWNLOAD_VERIFICATION}),
        **dict.fromkeys(("no-packages", "no-count", "reversed-packages"), _VERIFICATION),
        **dict.fromkeys(("empty-package", "truncated-package", "broken-zip", "slow-body"), _PACKAGE),
        **dict.fromkeys(PACKAGE_DEFECTS, frozenset({EmulatedService.DOWNLOAD_REQUEST})),
    }
)
"""The services that a fault can affect; a fault without an entry affects all."""
_WITH_SECONDS = ("connection-refused", "slow", "slow-body")
_WITH_CODE = frozenset({"incidencia", "reject", "code"})
_SOAP_FAULT_STATUS = 500
_FIRST_ERROR = 400


class FaultRule(BaseModel):
    """One rule of a script.

    Attributes:
        fault: What happens.
        service: The affected service; `*` for all to which the fault applies.
        times: How many requests are affected; None for all until the rule is removed.
        skip: How many requests of the service pass before the first affected one.
        seconds: Duration of `connection-refused`, `slow` and `slow-body`.
        status: The HTTP status of `status` (503), `html` (503) and `soap-fault` (500).
        code: CodigoError of `incidencia` and `reject`; the faultcode of `soap-fault`; CodEstatus of `code`;
            CodigoEstadoSolicitud of `state`.
        state: EstadoSolicitud of `state`.
        message: MensajeIncidencia, Mensaje, or the faultstring.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    fault: FaultKind
    service: EmulatedService | Literal["*"] = "*"
    times: int | None = Field(default=None, ge=1, le=1_000_000)
    skip: int = Field(default=0, ge=0, le=1_000_000)
    seconds: float | None = Field(default=None, gt=0, le=MAX_SECONDS)
    status: int = Field(default=503, ge=200, le=599)
    state: int | None = Field(default=None, ge=1, le=6)
    code: str = Field(default="", max_length=60)
    message: str = Field(default="", max_length=500)

    @model_validator(mode="after")
    def _require_sense(self) -> Self:
        if self.service != "*" and self.service not in APPLIES.get(self.fault, EmulatedService):
            raise ValueError(f"{self.fault} does not apply to {self.service}")
        if (self.fault in _WITH_SECONDS) != (self.seconds is not None):
            raise ValueError(f"seconds belong to {' and '.join(_WITH_SECONDS)}, and they need them")
        if self.status < _FIRST_ERROR and self.fault != "soap-fault":
            raise ValueError("status is an error, from 400 on")
        if self.fault in _WITH_CODE and not self.code:
            raise ValueError(f"{self.fault} needs a code")
        if (self.fault == "state") != (self.state is not None):
            raise ValueError("state belongs to the fault of this name, which needs it")
        return self

    @property
    def http_status(self) -> int:
        """The HTTP status of the answer that the fault gives."""
        is_default = self.fault == "soap-fault" and "status" not in self.model_fields_set
        return _SOAP_FAULT_STATUS if is_default else self.status

    def affects(self, service: EmulatedService) -> bool:
        """Whether the rule is about a service."""
        if self.service != "*":
            return self.service is service
        return service in APPLIES.get(self.fault, EmulatedService)


@dataclass(frozen=True, slots=True)
class ScriptedFaults:
    """The faults of one request, at most one of each kind."""

    rules: Mapping[str, FaultRule]

    def get(self, fault: FaultKind) -> FaultRule | None:
        """Return the rule of a fault if it affects the request."""
        return self.rules.get(fault)


NO_FAULTS = ScriptedFaults(MappingProxyType({}))


@dataclass(slots=True)
class _Active:
    rule: FaultRule
    to_skip: int
    remaining: int | None


class FaultScript:
    """The rules in force, counted down by each request. Thread-safe."""

    def __init__(self, rules: Iterable[FaultRule] = ()) -> None:
        self._lock = Lock()
        self._active = [_activate(rule) for rule in rules]

    def replace(self, rules: Iterable[FaultRule]) -> None:
        active = [_activate(rule) for rule in rules]
        with self._lock:
            self._active = active

    def add(self, rule: FaultRule) -> None:
        """Add a rule after the others."""
        with self._lock:
            self._active.append(_activate(rule))

    def rules(self) -> Sequence[FaultRule]:
        """Return the rules that still affect requests, with what remains of their counts."""
        with self._lock:
            return [
                active.rule.model_copy(update={"skip": active.to_skip, "times": active.remaining})
                for active in self._active
            ]

    def take(self, service: EmulatedService) -> ScriptedFaults:
        """Return the faults of one request to a service, and count them down."""
        found: dict[str, FaultRule] = {}
        with self._lock:
            for active in self._active:
                if not active.rule.affects(service) or active.rule.fault in found:
                    continue
                if active.to_skip:
                    active.to_skip -= 1
                    continue
                found[active.rule.fault] = active.rule
                if active.remaining is not None:
                    active.remaining -= 1
            self._active = [active for active in self._active if active.remaining != 0]
        return ScriptedFaults(found)


def _activate(rule: FaultRule) -> _Active:
    return _Active(rule, rule.skip, rule.times)

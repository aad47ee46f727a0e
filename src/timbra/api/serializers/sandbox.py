"""Answers of the sandbox's controls. The OpenAPI schemas of these answers are derived from the classes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from timbra.clock import to_central_mexico

if TYPE_CHECKING:
    from datetime import datetime

    from timbra.service.sandbox.cancellation_replies import AutoReply
    from timbra.service.sandbox.certificates import MintedCredential
    from timbra.service.sandbox.faults import Fault
    from timbra.service.sandbox.taxpayers import TaxpayerEntry

PENDING_NAMES = {"postal_code": "postalCode"}
"""Columns of a taxpayer whose name in answers is another one."""


@dataclass(frozen=True, slots=True)
class TaxpayerAnswer:
    """A taxpayer of the registry. pending: the values that the next refresh publishes."""

    rfc: str
    name: str
    postalCode: str
    regimes: list[str]
    obligations: int
    cancelled: bool
    situation: str
    listed: bool
    pending: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class RefreshAnswer:
    """changed: rows that the refresh published."""

    changed: int
    listsVersion: str


@dataclass(frozen=True, slots=True)
class ClockAnswer:
    """Fiscal time. fiscalTime: ISO 8601 with a zone. centralMexico: local time without a zone."""

    fiscalTime: str
    centralMexico: str
    running: bool


@dataclass(frozen=True, slots=True)
class FaultAnswer:
    """An active fault. remaining: requests that it still affects, null for all."""

    name: str
    remaining: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class MintedCredentialAnswer:
    """A new certificate with its private key."""

    rfc: str
    certificateNumber: str
    b64Cer: str
    b64Key: str
    password: str


@dataclass(frozen=True, slots=True)
class RevocationAnswer:
    """pending: the status that the next refresh publishes."""

    certificateNumber: str
    pending: str


@dataclass(frozen=True, slots=True)
class ImportAnswer:
    """A CFDI of another provider that was imported. new: whether the ledger did not have it."""

    uuid: str
    new: bool


@dataclass(frozen=True, slots=True)
class AutoReplyAnswer:
    """How a receiver replies to cancellation requests by itself."""

    rfc: str
    answer: str
    delaySeconds: int


@dataclass(frozen=True, slots=True)
class ReplyAnswer:
    """The result of a reply that was given in the receiver's place."""

    uuid: str
    code: str
    acuse: str


def taxpayer_answer(entry: TaxpayerEntry) -> TaxpayerAnswer:
    taxpayer = entry.taxpayer
    return TaxpayerAnswer(
        rfc=taxpayer.rfc,
        name=taxpayer.name,
        postalCode=taxpayer.postal_code,
        regimes=sorted(taxpayer.regimes),
        obligations=entry.obligations,
        cancelled=taxpayer.cancelled,
        situation=taxpayer.situation,
        listed=entry.listed,
        pending={PENDING_NAMES.get(name, name): value for name, value in entry.pending.items()},
    )


def clock_answer(now: datetime, *, running: bool) -> ClockAnswer:
    return ClockAnswer(now.isoformat(), to_central_mexico(now), running)


def fault_answer(fault: Fault) -> FaultAnswer:
    return FaultAnswer(fault.name, fault.remaining, fault.seconds)


def minted_answer(rfc: str, minted: MintedCredential) -> MintedCredentialAnswer:
    certificate, key = (b64encode(content).decode("ascii") for content in (minted.certificate_der, minted.key_der))
    return MintedCredentialAnswer(rfc, minted.number, certificate, key, minted.password)


def auto_reply_answer(reply: AutoReply) -> AutoReplyAnswer:
    return AutoReplyAnswer(reply.rfc, reply.answer, int(reply.delay.total_seconds()))

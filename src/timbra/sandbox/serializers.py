"""Answers of the sandbox's controls. The OpenAPI schemas are derived from the classes."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict, cast

from timbra.core.clock import to_central_mexico
from timbra.web.envelopes import SuccessAnswer

if TYPE_CHECKING:
    from datetime import datetime

    from timbra.sandbox.account_reset import AccountResetSummary
    from timbra.sandbox.cancellation_replies import AutoReply
    from timbra.sandbox.certificates import CertificateEntry, MintedCredential
    from timbra.sandbox.faults import Fault
    from timbra.sandbox.ledger import HistoryStep
    from timbra.sandbox.state import ResetSummary, StateSummary
    from timbra.sandbox.taxpayers import TaxpayerEntry
    from timbra.stamps.confirmations import ConfirmationKey

PENDING_NAMES = {"postal_code": "postalCode"}
"""Columns of a taxpayer whose name in answers is another one."""


@dataclass(frozen=True, slots=True)
class TaxpayerAnswer:
    """A taxpayer of the registry."""

    rfc: str
    name: str
    postalCode: str
    regimes: list[str]
    obligations: int
    cancelled: bool
    situation: str
    listed: bool
    pending: Annotated[Mapping[str, object], "The values that the next refresh publishes."]


@dataclass(frozen=True, slots=True)
class RefreshAnswer:
    """The result of a refresh of the lists."""

    changed: Annotated[int, "Rows that the refresh published."]
    listsVersion: str


@dataclass(frozen=True, slots=True)
class ClockAnswer:
    """Fiscal time."""

    fiscalTime: Annotated[str, "ISO 8601 with a zone."]
    centralMexico: Annotated[str, "Local time without a zone."]
    running: bool


@dataclass(frozen=True, slots=True)
class FaultAnswer:
    """An active fault."""

    name: str
    remaining: Annotated[int | None, "Requests that it still affects, null for all."]
    seconds: float
    probability: Annotated[float, "Share of the requests that it affects."]
    seed: int
    route: Annotated[str, "Beginning of the path, empty for every path."]
    account: Annotated[str, "User name, empty for every account."]


@dataclass(frozen=True, slots=True)
class SandboxCertificateAnswer:
    """A certificate of the simulated authority."""

    certificateNumber: str
    rfc: str
    kind: str
    status: Annotated[str, "A active, R revoked."]
    pending: Annotated[str | None, "The status that the next refresh publishes, null for no change."]
    validFrom: Annotated[str, "ISO 8601 with a zone."]
    validTo: Annotated[str, "ISO 8601 with a zone."]
    listed: Annotated[bool, "Whether a published LCO has it."]


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
    """A certificate that was revoked."""

    certificateNumber: str
    pending: Annotated[str, "The status that the next refresh publishes."]


@dataclass(frozen=True, slots=True)
class ConfirmationAnswer:
    """A key of confirmation."""

    key: Annotated[str, "The value of Confirmacion."]
    rfc: Annotated[str, "The issuer to whom it was issued."]
    issuedAt: str
    uuid: Annotated[str | None, "The CFDI that used it; null while it is unused."]


@dataclass(frozen=True, slots=True)
class ImportAnswer:
    """A CFDI of another provider that was imported."""

    uuid: str
    new: Annotated[bool, "Whether the ledger did not have it."]


@dataclass(frozen=True, slots=True)
class ResetAnswer:
    """What a reset of the sandbox removed."""

    stamps: int
    documents: Annotated[int, "CFDI of the ledger of the simulated authority."]
    rejections: int
    accounts: int


@dataclass(frozen=True, slots=True)
class AccountResetAnswer:
    """What the reset of an account removed."""

    stamps: int
    documents: Annotated[int, "CFDI of the ledger of the simulated authority."]
    rejections: int
    calls: Annotated[int, "Recorded calls of the request inspector."]


@dataclass(frozen=True, slots=True)
class RestoredAnswer:
    """A restored state of the sandbox."""

    rows: int
    savedAt: Annotated[str, "ISO 8601 with a zone, wall time."]
    program: Annotated[str, "The version of Timbra that saved it."]


@dataclass(frozen=True, slots=True)
class AutoReplyAnswer:
    """The automatic reply of a receiver to requests of cancellation."""

    rfc: str
    answer: str
    delaySeconds: int


@dataclass(frozen=True, slots=True)
class ReplyAnswer:
    """The result of a reply in the name of a receiver."""

    uuid: str
    code: str
    acuse: str


HistoryStepAnswer = TypedDict(
    "HistoryStepAnswer",
    {
        "step": str,
        "fiscalTime": Annotated[str, "ISO 8601 with a zone."],
        "centralMexico": Annotated[str, "Local time without a zone."],
        "requestId": str,
        "motivo": NotRequired[str],
        "foliosustitucion": NotRequired[str],
        "from": NotRequired[Annotated[list[str], "State before the step."]],
        "to": NotRequired[Annotated[list[str], "State after the step."]],
        "reason": NotRequired[Annotated[str, "Why the step had no effect."]],
    },
)
"""A step of a cancellation; members that do not apply to the step are absent."""


def history_step_answer(step: HistoryStep) -> HistoryStepAnswer:
    """Build a step of a cancellation; the details of the event are members of it, in their order."""
    return cast(
        HistoryStepAnswer,
        {
            "step": step.step,
            "fiscalTime": step.fiscal_at.isoformat(),
            "centralMexico": to_central_mexico(step.fiscal_at),
            "requestId": step.request_id,
            **step.details,
        },
    )


def taxpayer_answer(entry: TaxpayerEntry) -> TaxpayerAnswer:
    """Build a taxpayer, with the names of the wire in `pending`."""
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
    """Build fiscal time. running: False while it is frozen."""
    return ClockAnswer(now.isoformat(), to_central_mexico(now), running)


def fault_answer(fault: Fault) -> FaultAnswer:
    """Build an active fault."""
    chosen = fault.selection
    return FaultAnswer(
        fault.name, fault.remaining, fault.seconds, chosen.probability, chosen.seed, chosen.route, chosen.account
    )


def certificate_answer(entry: CertificateEntry) -> SandboxCertificateAnswer:
    """Build a certificate of the simulated authority."""
    return SandboxCertificateAnswer(
        certificateNumber=entry.number,
        rfc=entry.rfc,
        kind=entry.kind.value,
        status=entry.status,
        pending=entry.pending,
        validFrom=entry.valid_from.isoformat(),
        validTo=entry.valid_to.isoformat(),
        listed=entry.listed,
    )


def confirmation_answer(key: ConfirmationKey) -> ConfirmationAnswer:
    uuid = None if key.uuid is None else key.uuid.upper()
    return ConfirmationAnswer(key.key, key.rfc, key.issued_at.isoformat(timespec="seconds"), uuid)


def minted_answer(rfc: str, minted: MintedCredential) -> MintedCredentialAnswer:
    """Build a credential with certificate and key in base64. rfc: of its holder."""
    certificate, key = (b64encode(content).decode("ascii") for content in (minted.certificate_der, minted.key_der))
    return MintedCredentialAnswer(rfc, minted.number, certificate, key, minted.password)


def reset_answer(summary: ResetSummary) -> ResetAnswer:
    """Build the result of a reset."""
    return ResetAnswer(summary.stamps, summary.documents, summary.rejections, summary.accounts)


def account_reset_answer(summary: AccountResetSummary) -> AccountResetAnswer:
    """Build the result of the reset of an account."""
    return AccountResetAnswer(summary.stamps, summary.documents, summary.rejections, summary.calls)


def restored_answer(summary: StateSummary) -> RestoredAnswer:
    """Build the result of a restore."""
    return RestoredAnswer(summary.rows, summary.header.saved_at, summary.header.program)


def auto_reply_answer(reply: AutoReply) -> AutoReplyAnswer:
    """Build the automatic reply of a receiver."""
    return AutoReplyAnswer(reply.rfc, reply.answer, int(reply.delay.total_seconds()))


ANSWERS: dict[str, object] = {
    "Taxpayer": SuccessAnswer[TaxpayerAnswer],
    "TaxpayerList": SuccessAnswer[list[TaxpayerAnswer]],
    "Refreshed": SuccessAnswer[RefreshAnswer],
    "Clock": SuccessAnswer[ClockAnswer],
    "Fault": SuccessAnswer[FaultAnswer],
    "FaultList": SuccessAnswer[list[FaultAnswer]],
    "SandboxCertificateList": SuccessAnswer[list[SandboxCertificateAnswer]],
    "MintedCredential": SuccessAnswer[MintedCredentialAnswer],
    "Confirmation": SuccessAnswer[ConfirmationAnswer],
    "ConfirmationList": SuccessAnswer[list[ConfirmationAnswer]],
    "Revocation": SuccessAnswer[RevocationAnswer],
    "Imported": SuccessAnswer[ImportAnswer],
    "SandboxAccountReset": SuccessAnswer[AccountResetAnswer],
    "SandboxReset": SuccessAnswer[ResetAnswer],
    "SandboxRestored": SuccessAnswer[RestoredAnswer],
    "AutoReplyList": SuccessAnswer[list[AutoReplyAnswer]],
    "ReceiverReply": SuccessAnswer[ReplyAnswer],
    "History": SuccessAnswer[list[HistoryStepAnswer]],
}

"""The type of each answer by the name of its component schema. The schemas are derived from these types."""

from __future__ import annotations

from typing import Annotated, Literal

from timbra.api.serializers import accounts, cancellation, documents, operations, sandbox, stamps
from timbra.api.serializers.envelopes import (
    CodedAnswer,
    CodedMessageAnswer,
    ErrorAnswer,
    ManagementAnswer,
    MessageAnswer,
    NoticedAnswer,
    SuccessAnswer,
)
from timbra.api.serializers.stored_cfdi import StoredCfdiPage
from timbra.api.serializers.validation import ReportAnswer
from timbra.service.administration.certificates import CertificateItem

ANSWER_TYPES: dict[str, object] = {
    "Error": ErrorAnswer[stamps.RejectionData],
    "Session": SuccessAnswer[accounts.SessionAnswer],
    "Retencion": NoticedAnswer[Annotated[stamps.RetencionAnswer, "v1, v2, v3, v4 in this order."]],
    "Stamp": NoticedAnswer[Annotated[stamps.StampAnswer, "v1, v2, v3, v4 in this order."]],
    "StampDelivery": SuccessAnswer[stamps.StampDeliveryAnswer],
    "StampPage": SuccessAnswer[stamps.StampPageAnswer],
    "Report": ReportAnswer,
    "Certificate": SuccessAnswer[CertificateItem],
    "CertificateList": SuccessAnswer[list[CertificateItem]],
    "Text": SuccessAnswer[str],
    "Balance": ManagementAnswer[accounts.BalanceAnswer],
    "BalanceV1": SuccessAnswer[accounts.BalanceV1Answer],
    "NewBalance": ManagementAnswer[int],
    "User": ManagementAnswer[accounts.UserAnswer],
    "UserId": ManagementAnswer[str],
    "UserList": accounts.UserListAnswer,
    "Pdf": NoticedAnswer[documents.PdfAnswer],
    "RegeneratedPdf": MessageAnswer[documents.PdfAnswer],
    "Resent": MessageAnswer[Literal["email sent ok"]],
    "StoredCfdi": SuccessAnswer[StoredCfdiPage],
    "Lrfc": SuccessAnswer[documents.LrfcAnswer],
    "Article69B": SuccessAnswer[documents.Article69BAnswer],
    "Cancelled": NoticedAnswer[cancellation.CancelledAnswer],
    "Acceptance": CodedAnswer[cancellation.AcceptanceAnswer],
    "Pendings": CodedMessageAnswer[cancellation.PendingsAnswer],
    "Related": CodedMessageAnswer[cancellation.RelationsData],
    "Taxpayer": SuccessAnswer[sandbox.TaxpayerAnswer],
    "TaxpayerList": SuccessAnswer[list[sandbox.TaxpayerAnswer]],
    "Refreshed": SuccessAnswer[sandbox.RefreshAnswer],
    "Clock": SuccessAnswer[sandbox.ClockAnswer],
    "Fault": SuccessAnswer[sandbox.FaultAnswer],
    "FaultList": SuccessAnswer[list[sandbox.FaultAnswer]],
    "SandboxCertificateList": SuccessAnswer[list[sandbox.SandboxCertificateAnswer]],
    "MintedCredential": SuccessAnswer[sandbox.MintedCredentialAnswer],
    "Revocation": SuccessAnswer[sandbox.RevocationAnswer],
    "Imported": SuccessAnswer[sandbox.ImportAnswer],
    "SandboxReset": SuccessAnswer[sandbox.ResetAnswer],
    "SandboxRestored": SuccessAnswer[sandbox.RestoredAnswer],
    "AutoReplyList": SuccessAnswer[list[sandbox.AutoReplyAnswer]],
    "ReceiverReply": SuccessAnswer[sandbox.ReplyAnswer],
    "History": SuccessAnswer[list[sandbox.HistoryStepAnswer]],
    "Health": SuccessAnswer[operations.HealthAnswer],
    "HealthLive": SuccessAnswer[operations.LiveAnswer],
    "HealthReady": SuccessAnswer[operations.ReadyAnswer],
    "OpenApi": dict[str, object],
}

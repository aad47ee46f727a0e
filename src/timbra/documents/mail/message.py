"""The e-mail message of a CFDI. Values of the document appear as plain text only (no header injection)."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from io import BytesIO

from timbra.core.clock import to_central_mexico
from timbra.rendering.file_name import pdf_name
from timbra.stamps.port import StampRecord

MOST_ATTACHED = 8 * 1024 * 1024
"""Largest XML that is attached uncompressed; a larger one is attached as ZIP."""
LONGEST_NAME = 120
WITHHOLDING = " de retenciones e información de pagos"
WITHOUT_EFFECT = "sin validez fiscal"


@dataclass(frozen=True, slots=True)
class EmailEnvelope:
    """Sender and recipient of a message."""

    sender: Address
    recipient: Address


def message(
    envelope: EmailEnvelope, record: StampRecord, issuer: str, pdf: bytes | None, *, fiscal_effect: bool
) -> EmailMessage:
    """Make the message: a Spanish summary, the XML, and the PDF if there is one.

    A repeated delivery of the same CFDI to the same recipient has the same Message-ID, so that mail servers can
    deduplicate it.

    Args:
        envelope: sender and recipient.
        record: the stamped CFDI.
        issuer: Emisor/@Nombre of the document.
        pdf: printed representation; None when it is too large to print.
        fiscal_effect: whether the stamp has fiscal effect; the message says so when it has none.
    """
    email = EmailMessage(SMTP)
    email["Subject"] = _subject(record, issuer, fiscal_effect=fiscal_effect)
    email["From"] = envelope.sender
    email["To"] = envelope.recipient
    email["Date"] = format_datetime(record.stamped_at)
    email["Message-ID"] = _message_id(record.uuid, envelope)
    email["Auto-Submitted"] = "auto-generated"
    email.set_content(_body(record, issuer, fiscal_effect=fiscal_effect))
    _attach_xml(email, record)
    if pdf is not None:
        email.add_attachment(
            pdf,
            maintype="application",
            subtype="pdf",
            filename=pdf_name(record.serie, record.folio, record.issuer_rfc, record.uuid),
        )
    return email


def _subject(record: StampRecord, issuer: str, *, fiscal_effect: bool) -> str:
    number = " ".join(filter(None, (record.serie, record.folio))) or record.uuid
    kind = "Retención" if record.is_retencion else "CFDI"
    subject = _one_line(f"{kind} {number} de {issuer or record.issuer_rfc}")
    return subject if fiscal_effect else f"{subject} ({WITHOUT_EFFECT})"


def _body(record: StampRecord, issuer: str, *, fiscal_effect: bool) -> str:
    rows = (
        ("Folio fiscal", record.uuid),
        ("Folio" if record.is_retencion else "Serie y folio", " ".join(filter(None, (record.serie, record.folio)))),
        ("Emisor", f"{issuer} ({record.issuer_rfc})"),
        ("Receptor", record.receiver_rfc),
        ("Fecha de timbrado", to_central_mexico(record.stamped_at)),
        ("Monto total de la operación" if record.is_retencion else "Total", record.total),
    )
    kind = WITHHOLDING if record.is_retencion else ""
    lines = [
        f"Adjuntamos el comprobante fiscal digital por internet (CFDI){kind} que se indica.",
        "",
        *(f"{label}: {_one_line(value)}" for label, value in rows if value),
    ]
    if not fiscal_effect:
        lines += ["", f"Este comprobante se hizo en un ambiente de pruebas y está {WITHOUT_EFFECT}."]
    return "\n".join([*lines, "", "Este mensaje se envió de manera automática.", ""])


def _attach_xml(email: EmailMessage, record: StampRecord) -> None:
    name = f"{record.uuid}.xml"
    if len(record.cfdi) <= MOST_ATTACHED:
        email.add_attachment(record.cfdi, maintype="application", subtype="xml", filename=name)
        return
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, record.cfdi)
    email.add_attachment(packed.getvalue(), maintype="application", subtype="zip", filename=f"{record.uuid}.zip")


def _one_line(text: str) -> str:
    """Replace characters that could end a line of a header (header injection)."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.split())[:LONGEST_NAME]


def _message_id(uuid: str, envelope: EmailEnvelope) -> str:
    recipient = sha256(envelope.recipient.addr_spec.encode()).hexdigest()[:16]
    domain = envelope.sender.domain.encode("idna").decode("ascii")
    return f"<{uuid}.{recipient}@{domain}>"

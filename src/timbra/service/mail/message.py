"""The message that carries a CFDI. What the document says is only ever text in it."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from io import BytesIO

from timbra.clock import to_central_mexico
from timbra.store.port import StampRecord

MOST_ATTACHED = 8 * 1024 * 1024
"""Bytes of XML that are attached as they are; more goes into a ZIP."""
LONGEST_NAME = 120
WITHOUT_EFFECT = "sin validez fiscal"


@dataclass(frozen=True, slots=True)
class Envelope:
    """Who writes to whom."""

    sender: Address
    recipient: Address


def message(envelope: Envelope, record: StampRecord, issuer: str, pdf: bytes | None, *, sandbox: bool) -> EmailMessage:
    """A CFDI in Spanish words with its XML, and the PDF where there is one. issuer: its name as the document writes it.

    The same CFDI to the same recipient is the same Message-ID, so that a repeated delivery can be told.
    """
    written = EmailMessage(SMTP)
    written["Subject"] = _subject(record, issuer, sandbox=sandbox)
    written["From"] = envelope.sender
    written["To"] = envelope.recipient
    written["Date"] = format_datetime(record.stamped_at)
    written["Message-ID"] = _message_id(record.uuid, envelope)
    written["Auto-Submitted"] = "auto-generated"
    written.set_content(_body(record, issuer, sandbox=sandbox))
    _attach_xml(written, record)
    if pdf is not None:
        written.add_attachment(pdf, maintype="application", subtype="pdf", filename=f"{record.uuid}.pdf")
    return written


def _subject(record: StampRecord, issuer: str, *, sandbox: bool) -> str:
    number = " ".join(filter(None, (record.serie, record.folio))) or record.uuid
    subject = _one_line(f"CFDI {number} de {issuer or record.issuer_rfc}")
    return f"{subject} ({WITHOUT_EFFECT})" if sandbox else subject


def _body(record: StampRecord, issuer: str, *, sandbox: bool) -> str:
    rows = (
        ("Folio fiscal", record.uuid),
        ("Serie y folio", " ".join(filter(None, (record.serie, record.folio)))),
        ("Emisor", f"{issuer} ({record.issuer_rfc})"),
        ("Receptor", record.receiver_rfc),
        ("Fecha de timbrado", to_central_mexico(record.stamped_at)),
        ("Total", record.total),
    )
    lines = [
        "Adjuntamos el comprobante fiscal digital por internet (CFDI) que se indica.",
        "",
        *(f"{label}: {_one_line(value)}" for label, value in rows if value),
    ]
    if sandbox:
        lines += ["", f"Este comprobante se hizo en un ambiente de pruebas y está {WITHOUT_EFFECT}."]
    return "\n".join([*lines, "", "Este mensaje se envió de manera automática.", ""])


def _attach_xml(written: EmailMessage, record: StampRecord) -> None:
    name = f"{record.uuid}.xml"
    if len(record.cfdi) <= MOST_ATTACHED:
        written.add_attachment(record.cfdi, maintype="application", subtype="xml", filename=name)
        return
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, record.cfdi)
    written.add_attachment(packed.getvalue(), maintype="application", subtype="zip", filename=f"{record.uuid}.zip")


def _one_line(text: str) -> str:
    """The text without anything that could end a line of a header."""
    shown = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(shown.split())[:LONGEST_NAME]


def _message_id(uuid: str, envelope: Envelope) -> str:
    recipient = sha256(envelope.recipient.addr_spec.encode()).hexdigest()[:16]
    domain = envelope.sender.domain.encode("idna").decode("ascii")
    return f"<{uuid}.{recipient}@{domain}>"

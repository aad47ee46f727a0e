"""The Security headers of logins and of their answers."""

from __future__ import annotations

from datetime import datetime

from timbra.core.soap import ENVELOPE
from timbra.seals.xml_signatures.ws_security import SECURITY, UTILITY, VALIDITY, format_instant

SECURITY_TAG = f"{{{SECURITY}}}Security"


def timestamp_header(now: datetime) -> str:
    """Return the Security header of an answer: its time, and an end 300 seconds later."""
    return (
        f'<o:Security xmlns:o="{SECURITY}" xmlns:s="{ENVELOPE}" s:mustUnderstand="1">'
        f'<u:Timestamp xmlns:u="{UTILITY}" u:Id="_0"><u:Created>{format_instant(now)}</u:Created>'
        f"<u:Expires>{format_instant(now + VALIDITY)}</u:Expires></u:Timestamp></o:Security>"
    )

"""The envelope of SOAP 1.1, which the SAT's services, their emulator and SW's batch service share."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

ENVELOPE: Final = "http://schemas.xmlsoap.org/soap/envelope/"
"""The namespace of the envelope."""
CONTENT_TYPE: Final = "text/xml; charset=utf-8"
FAULT_STATUS: Final = 500
"""HTTP status of a fault (SOAP 1.1, section 6.2)."""


def envelope(body: str, header: str = "") -> bytes:
    """Return an envelope in UTF-8.

    Args:
        body: The XML of the element inside its Body.
        header: The XML inside its Header; empty for an envelope without one.
    """
    head = f"<s:Header>{header}</s:Header>" if header else ""
    return f'<s:Envelope xmlns:s="{ENVELOPE}">{head}<s:Body>{body}</s:Body></s:Envelope>'.encode()


def contents(root: etree._Element) -> list[etree._Element]:
    """Return the elements inside the Body of an envelope; none for another document, or when it has several Bodies."""
    bodies = root.findall(f"{{{ENVELOPE}}}Body") if root.tag == f"{{{ENVELOPE}}}Envelope" else []
    return bodies[0].findall("*") if len(bodies) == 1 else []


def fault(code: str, text: str, *, namespace: str = "", detail: str = "", language: str = "es-MX") -> bytes:
    """Return the envelope of a fault, in UTF-8.

    Args:
        code: The local name of the faultcode: `Client`, `Server` or a code of the service.
        text: The faultstring.
        namespace: The namespace of the faultcode; empty for that of the envelope.
        detail: The XML inside the detail; empty for none.
        language: The language of the text.
    """
    declared = f" xmlns:a={quoteattr(namespace)}" if namespace else ""
    details = f"<detail>{detail}</detail>" if detail else ""
    return envelope(
        f"<s:Fault><faultcode{declared}>{'a' if namespace else 's'}:{escape(code)}</faultcode>"
        f'<faultstring xml:lang="{language}">{escape(text)}</faultstring>{details}</s:Fault>'
    )

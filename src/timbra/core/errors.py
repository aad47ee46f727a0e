"""The error type of Timbra.

Every error that the caller must receive is a `ServiceError` with a code. `timbra.messages` has the Spanish message of
the code; `timbra.web.framework.error_responses` alone turns the error into a response with an HTTP status.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentLocation:
    """Where in a document the cause of an error is.

    Attributes:
        path: the path of the element or attribute, without prefixes.
        found: the value found, as a report shows it.
        expected: the value expected, as a report shows it.
    """

    path: str | None = None
    found: str | None = None
    expected: str | None = None


PRESENT = "presente"
"""The value found of an element that must not exist: an element has no value of its own."""


def finding_sentence(path: str, found: str | None, expected: str | None, hint: str | None = None) -> str:
    """Return the Spanish text of a finding: path, found value, expected value and hint.

    Args:
        path: path from the root; empty for the root.
        found: the value as the document writes it; None when it is absent.
        expected: what was expected, in Spanish; None when it is not known.
        hint: the usual cause, a sentence in Spanish.
    """
    if found is None:
        start = "no está presente"
    elif found == PRESENT:
        start = "está presente"
    elif not found:
        start = "está vacío"
    else:
        start = f"se encontró «{found}»"
    text = f"{path or 'Comprobante'}: {start}"
    text += "." if expected is None else f"; se esperaba {expected}."
    return f"{text} {hint}" if hint else text


class ServiceError(Exception):
    """An error that the caller receives.

    Attributes:
        code: a key of `timbra.messages.MESSAGES`, e.g. "301", "CFDI40147", "AU2000".
        detail: Spanish text with the cause in this request, or None.
        data: the content of the response, for 307 and CFDI3307; None for other codes.
        retry_after: seconds after which a retry may succeed (429, 503); None if a retry is useless.
        location: where in the document the cause is; None if it is not in the document.
    """

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        data: object = None,
        retry_after: int | None = None,
        location: DocumentLocation | None = None,
    ) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.data = data
        self.retry_after = retry_after
        self.location = location

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code

"""The name of a printed document as a file."""

from __future__ import annotations

import re
import unicodedata

MAX_PART = 40
_OTHER = re.compile(r"[^A-Za-z0-9.-]+")


def pdf_name(serie: str, folio: str, issuer_rfc: str, uuid: str) -> str:
    """Return `SERIE-FOLIO_RFC_UUID.pdf`; absent parts are left out, other characters than ASCII are replaced."""
    number = "-".join(filter(None, map(_ascii, (serie, folio))))
    return "_".join(filter(None, (number, _ascii(issuer_rfc), _ascii(uuid)))) + ".pdf"


def _ascii(text: str) -> str:
    """Return a text without accents; any run of other characters becomes one hyphen."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _OTHER.sub("-", plain).strip("-.")[:MAX_PART]

"""Conversion of the name in a certificate to the name in l_RFC, which omits the régimen de capital."""

from __future__ import annotations

import re

COMPANY_LENGTH = 12
_FORMS = (
    *("SAPI DE CV", "SAPI", "SAB DE CV", "SAB", "SAS DE CV", "SAS", "SA DE CV", "SA"),
    *("S DE RL DE CV", "S DE RL MI", "S DE RL", "S DE CV", "S EN NC", "S EN C POR A", "S EN C", "SNC"),
    *("SPR DE RL DE CV", "SPR DE RL", "SPR DE RI", "SC DE RL DE CV", "SC DE RL", "SC DE RS", "SC DE P", "SCL"),
    *("SCL DE CV", "SC", "AC", "A EN P", "IAP", "IBP", "ABP", "AA"),
)
_WORDS = frozenset({"DE", "EN", "POR"})


def _pattern(form: str) -> str:
    """Return the pattern of a company form, which also matches `S.A. DE C.V.` and `S A DE C V` for `SA DE CV`."""
    return " ".join(word if word in _WORDS else r"\.? ?".join(word) + r"\.?" for word in form.split())


_COMPANY = re.compile(rf"(.+?),? (?:{'|'.join(map(_pattern, _FORMS))})")


def registered_name(rfc: str, name: str) -> str:
    """Return the name of a company without the company form at its end.

    The name of a person, and a name that consists of a company form alone, is returned without change.

    Args:
        rfc: The taxpayer; an RFC of 12 characters is a company's.
        name: The name in the certificate.
    """
    written = " ".join(name.split())
    company = _COMPANY.fullmatch(written) if len(rfc) == COMPANY_LENGTH else None
    return company[1] if company else written

"""RFC and CURP: checks of the text alone.

The day is not checked against the length of its month, as in the schema. Whether an RFC is registered is decided by the
list of taxpayers.

Source: types `t_RFC` and `t_CURP` of the SAT's schema tdCFDI.
"""

from __future__ import annotations

import re
from typing import Literal

NATIONAL = "XAXX010101000"
"""The generic RFC of receivers in Mexico, such as the general public."""
FOREIGN = "XEXX010101000"
"""The generic RFC of receivers who reside abroad."""
FOREIGN_THIRD_PARTY = "EXT990101NI1"
"""The generic RFC of a foreign third party in ACuentaTerceros."""
GENERIC = frozenset({NATIONAL, FOREIGN, FOREIGN_THIRD_PARTY})

_RFC = re.compile(r"[A-Z&Ñ]{3,4}[0-9]{2}(0[1-9]|1[012])(0[1-9]|[12][0-9]|3[01])[A-Z0-9]{2}[0-9A]\Z")
_CURP = re.compile(
    r"[A-Z][AEIOUX][A-Z]{2}[0-9]{2}(0[1-9]|1[012])(0[1-9]|[12][0-9]|3[01])[MHX]"
    r"([ABCMTZ]S|[BCJMOT]C|[CNPST]L|[GNQ]T|[GQS]R|C[MH]|[MY]N|[DH]G|NE|VZ|DF|SP)"
    r"[BCDFGHJ-NP-TV-Z]{3}[0-9A-Z][0-9]\Z"
)
_VALUES = {character: value for value, character in enumerate("0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ")}
_DIGITS = "0123456789A0"

Person = Literal["fisica", "moral"]


def is_rfc(text: str) -> bool:
    """Whether the text has the form of an RFC: 12 characters (persona moral) or 13 (persona física)."""
    return _RFC.match(text) is not None


def is_curp(text: str) -> bool:
    """Whether the text has the form of a CURP: 18 characters."""
    return _CURP.match(text) is not None


def person(rfc: str) -> Person:
    """Return the kind of person of an RFC, by its length.

    Raises:
        ValueError: the text is not an RFC.
    """
    if not is_rfc(rfc):
        raise ValueError(f"not an RFC: {rfc!r}")
    return "moral" if len(rfc) == 12 else "fisica"


def check_digit(rfc: str) -> str:
    """Compute the check digit of an RFC: 0 to 9 or A.

    It is only an indication: the generic RFCs and some assigned ones do not follow it, and no rule of the SAT requires
    it.

    Raises:
        ValueError: the text is not an RFC.
    """
    if not is_rfc(rfc):
        raise ValueError(f"not an RFC: {rfc!r}")
    total = sum(_VALUES[character] * weight for character, weight in zip(rfc[-2::-1], range(2, 14), strict=False))
    if len(rfc) == 12:
        total += _VALUES[" "] * 13
    return _DIGITS[11 - total % 11]


def has_check_digit(rfc: str) -> bool:
    """Whether the RFC ends with its check digit; only an indication, see `check_digit`."""
    return check_digit(rfc) == rfc[-1]

"""RFC: checks of the text alone; whether an RFC is registered is decided by the list of taxpayers.

The pattern is `t_RFC` of SAT's tdCFDI schema, which does not check the date inside against the length of the month.
"""

from __future__ import annotations

import re

NATIONAL = "XAXX010101000"
"""The generic RFC of receivers in Mexico, such as the general public."""
FOREIGN = "XEXX010101000"
"""The generic RFC of receivers who reside abroad."""
FOREIGN_THIRD_PARTY = "EXT990101NI1"
"""The generic RFC of a foreign third party in ACuentaTerceros."""
GENERIC = frozenset({NATIONAL, FOREIGN, FOREIGN_THIRD_PARTY})

_RFC = re.compile(r"[A-Z&Ñ]{3,4}[0-9]{2}(0[1-9]|1[012])(0[1-9]|[12][0-9]|3[01])[A-Z0-9]{2}[0-9A]\Z")


def is_rfc(text: str) -> bool:
    """Whether the text has the form of an RFC: 12 characters (persona moral) or 13 (persona física)."""
    return _RFC.match(text) is not None

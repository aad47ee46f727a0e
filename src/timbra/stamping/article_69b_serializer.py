"""The header of a stamp about the definitive list of article 69-B of the CFF."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from timbra.evaluation.article_69b import Article69bFinding

ARTICLE_69B_HEADER: Final = "X-Timbra-Article-69B"


def article_69b_header(finding: Article69bFinding) -> str:
    """Return the value of the header, in ASCII.

    It is `unavailable` without a list, else `listed` or `not-listed` with the day of the list, the listed RFCs
    (percent-encoded, because an RFC may have the letter Ñ) and `stale` for a list that is too old:
    `listed; date=2026-10-15; rfc=EKU9003173C9; stale`.
    """
    if finding.dated is None:
        return "unavailable"
    parts = ["listed" if finding.listed else "not-listed", f"date={finding.dated}"]
    parts += [f"rfc={quote(rfc)}" for rfc in finding.listed]
    return "; ".join([*parts, "stale"] if finding.is_stale else parts)

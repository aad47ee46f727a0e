from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.cfdi.rfc import is_rfc

GENERIC = frozenset({"EXT990101NI1", "XAXX010101000", "XEXX010101000"})


@pytest.mark.parametrize(
    "rfc",
    [
        "EKU9003173C9",
        "CACX7605101P8",
        "&&&900317AA0",
        "ÑÑÑÑ900317AAA",
        "ABC900231AA0",
        *sorted(GENERIC),
    ],
)
def test_is_rfc_accepts_rfcs_of_companies_and_persons(rfc: str) -> None:
    assert is_rfc(rfc)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "AB900317AA0",
        "ABCDE900317AA0",
        "EKU9003173C",
        "EKU9003173C9\n",
        " EKU9003173C9",
        "eku9003173c9",
        "EKU9013173C9",
        "EKU9000173C9",
        "EKU9003323C9",
        "EKU9003003C9",
        "EKU9003173CB",
        "EKU9003173ÑA",
        "EKU9003173&A",
        "EKÚ9003173C9",
        "EKU٩٠٠٣١٧3C9",
        "N\u0303AB900317AA0",
    ],
)
def test_is_rfc_rejects_other_forms(text: str) -> None:
    assert not is_rfc(text)


@given(text=st.text(max_size=20) | st.text("AÑ&0139\n", max_size=14))
def test_is_rfc_accepts_12_or_13_characters_without_blanks(text: str) -> None:
    if is_rfc(text):
        assert len(text) in (12, 13)
        assert text == text.strip()

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.cfdi.rfc import (
    FOREIGN,
    FOREIGN_THIRD_PARTY,
    GENERIC,
    NATIONAL,
    check_digit,
    has_check_digit,
    is_curp,
    is_rfc,
    person,
)

RFC = r"[A-Z&Ñ]{3,4}[0-9]{2}(0[1-9]|1[012])(0[1-9]|[12][0-9]|3[01])[A-Z0-9]{2}[0-9A]"
RFCS = st.from_regex(RFC, fullmatch=True)


@pytest.mark.parametrize(
    ("rfc", "kind"),
    [
        ("EKU9003173C9", "moral"),
        ("CACX7605101P8", "fisica"),
        ("&&&900317AA0", "moral"),
        ("ÑÑÑÑ900317AAA", "fisica"),
        ("ABC900231AA0", "moral"),
        *((generic, "moral" if generic == FOREIGN_THIRD_PARTY else "fisica") for generic in sorted(GENERIC)),
    ],
)
def test_person_depends_on_length(rfc: str, kind: str) -> None:
    assert is_rfc(rfc)
    assert person(rfc) == kind


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
    with pytest.raises(ValueError, match="RFC"):
        person(text)
    with pytest.raises(ValueError, match="RFC"):
        check_digit(text)


@pytest.mark.parametrize(
    "rfc",
    [
        "EKU9003173C9",
        "CACX7605101P8",
        "URE180429TM6",
        "JUFA7608212V6",
        "MASO451221PM4",
        "XOJI740919U48",
        "IIA040805DZ4",
    ],
)
def test_check_digit_matches_assigned_rfcs(rfc: str) -> None:
    assert has_check_digit(rfc)


def test_has_check_digit_accepts_one_generic_rfc() -> None:
    assert {rfc for rfc in GENERIC if has_check_digit(rfc)} == {FOREIGN}
    assert NATIONAL in GENERIC


@given(rfc=RFCS, last=st.sampled_from("0123456789A"))
def test_has_check_digit_accepts_exactly_one_last_character(rfc: str, last: str) -> None:
    assert is_rfc(rfc)
    assert has_check_digit(rfc[:-1] + last) == (check_digit(rfc) == last)
    assert check_digit(rfc) in "0123456789A"


@given(rfc=RFCS, place=st.integers(0, 10), other=st.sampled_from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ&Ñ"))
def test_has_check_digit_detects_changed_characters(rfc: str, place: int, other: str) -> None:
    values = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ"
    changed = rfc[:place] + other + rfc[place + 1 :]
    if is_rfc(changed):
        weight = len(rfc) - place
        same = weight * (values.index(other) - values.index(rfc[place])) % 11 == 0
        assert (check_digit(changed) == check_digit(rfc)) == same


@given(text=st.text(max_size=20) | st.text("AÑ&0139\n", max_size=14))
def test_is_rfc_accepts_any_text(text: str) -> None:
    assert is_rfc(text) in (True, False)
    assert is_curp(text) in (True, False)
    if is_rfc(text):
        assert len(text) in (12, 13)
        assert text == text.strip()


@pytest.mark.parametrize(
    "curp", ["XEXX010101HNEXXXA4", "CACX760510MGTSHC04", "MASO451221HDFRNL03", "AAAA010101XSPBBB09"]
)
def test_is_curp_accepts_curps(curp: str) -> None:
    assert is_curp(curp)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "XEXX010101HNEXXXA",
        "XEXX010101HNEXXXA44",
        "XEXX010101HXXXXXA4",
        "XEXX010101KNEXXXA4",
        "XEXX011301HNEXXXA4",
        "XEXX010132HNEXXXA4",
        "XEXX010101HNEXAXA4",
        "XBXX010101HNEXXXA4",
        "xexx010101hnexxxa4",
        "XEXX010101HNEXXXA4\n",
        "ÑEXX010101HNEXXXA4",
    ],
)
def test_is_curp_rejects_other_forms(text: str) -> None:
    assert not is_curp(text)

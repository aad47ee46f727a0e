"""The headers customid and email."""

from __future__ import annotations

import pytest

from timbra.core.errors import ServiceError
from timbra.stamping.api import custom_id, emails


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", None),
        ("  ", None),
        ("id-1", "id-1"),
        ("id-2','extra: pdf','email: a@b.mx'", "id-2','extra: pdf','email: a@b.mx'"),
        ("a" * 300, "a" * 300),
        ("Ñ".encode().decode("latin-1"), "Ñ"),
        ("Ñ", "Ñ"),
    ],
)
def test_custom_id_accepts_any_text(value: str | None, expected: str | None) -> None:
    assert custom_id({} if value is None else {"customid": value}) == expected


def test_custom_id_has_a_maximum_length() -> None:
    with pytest.raises(ServiceError) as rejected:
        custom_id({"customid": "a" * 301})
    assert rejected.value.code == "TB4005"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        ("", ()),
        ("a@b.mx", ("a@b.mx",)),
        ("a@b.mx,c.d+e@sub.f.com", ("a@b.mx", "c.d+e@sub.f.com")),
        ("a@b.mx , c@d.mx", ("a@b.mx", "c@d.mx")),
        (",".join(["a@b.mx"] * 10), ("a@b.mx",) * 10),
    ],
)
def test_emails_splits_addresses(value: str | None, expected: tuple[str, ...]) -> None:
    assert emails({} if value is None else {"email": value}) == expected


@pytest.mark.parametrize("value", ["a", "a@b", "@b.mx", "a@b.mx,", "a@b.mx;c@d.mx", "a b@c.mx", "a@b..mx", "a@@b.mx"])
def test_emails_rejects_invalid_addresses(value: str) -> None:
    with pytest.raises(ServiceError) as rejected:
        emails({"email": value})
    assert rejected.value.code == "email-invalid"


def test_emails_rejects_too_many_addresses() -> None:
    with pytest.raises(ServiceError) as rejected:
        emails({"email": ",".join(["a@b.mx"] * 11)})
    assert rejected.value.code == "email-too-many"

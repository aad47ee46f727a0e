"""The account by which anonymous requests are counted."""

from __future__ import annotations

import pytest

from timbra.pools import address_account


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::1", True),
        (None, "testclient", True),
    ],
)
def test_address_account_is_the_address_or_the_network(one: str | None, other: str, same: bool) -> None:
    assert (address_account(one) == address_account(other)) is same

"""Paths of clients."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.web.framework.router import normalize_path


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("/cfdi33/stamp/v4", "/cfdi33/stamp/v4"),
        ("//cfdi33/stamp/v4", "/cfdi33/stamp/v4"),
        ("/cfdi33/stamp/v4/", "/cfdi33/stamp/v4"),
        ("/V4//cfdi33/Issue/V4/b64", "/V4/cfdi33/Issue/V4/b64"),
        ("/v4/cfdi33/stamp/v4//analytics", "/v4/cfdi33/stamp/v4/analytics"),
        ("/cfdi33/cancel/AAA010101AAA/x/02//", "/cfdi33/cancel/AAA010101AAA/x/02"),
        ("/", "/"),
        ("//", "/"),
        ("", ""),
    ],
)
def test_normalize_path_collapses_slashes(sent: str, expected: str) -> None:
    assert normalize_path(sent) == expected


@given(st.text(alphabet="/aB\x00é", max_size=30))
def test_normalize_path_is_idempotent_and_removes_only_slashes(path: str) -> None:
    once = normalize_path(path)
    assert normalize_path(once) == once
    assert once.replace("/", "") == path.replace("/", "")
    assert "//" not in once

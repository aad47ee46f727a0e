"""Paths as clients write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.api.framework.path_normalization import normalize_path


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
def test_one_form(sent: str, expected: str) -> None:
    assert normalize_path(sent) == expected


@given(st.text(alphabet="/aB\x00é", max_size=30))
def test_normal_is_stable_and_loses_only_slashes(path: str) -> None:
    once = normalize_path(path)
    assert normalize_path(once) == once
    assert once.replace("/", "") == path.replace("/", "")
    assert "//" not in once

"""Taxpayer look-ups without lists are errors and not empty results."""

from __future__ import annotations

import pytest

from timbra.core.errors import ServiceError
from timbra.validation.taxpayer_lookup import TaxpayerLookup


def test_lookups_raise_tb4006_without_lists() -> None:
    taxpayer_lookup = TaxpayerLookup(lambda: None, lambda: None)
    for look_up in (taxpayer_lookup.lrfc, taxpayer_lookup.article_69b):
        with pytest.raises(ServiceError, match="TB4006"):
            look_up("EKU9003173C9")

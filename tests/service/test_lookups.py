"""Where there is no list, that is told, and no emptiness."""

from __future__ import annotations

import pytest

from timbra.errors import ServiceError
from timbra.service.lookups import Lookups


def test_without_lists() -> None:
    lookups = Lookups(lambda: None, lambda: None)
    for look_up in (lookups.lrfc, lookups.article_69b):
        with pytest.raises(ServiceError, match="TB4006"):
            look_up("EKU9003173C9")

"""Random carts, whose computed amounts are stamped at the first attempt."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.amounts.test_property_totals import computed, frame, invoices
from tests.support.effort import rounds
from tests.support.sandbox_app import FECHA, SandboxApp

import timbra
from timbra.amounts.totals import Rounding

CARTS = rounds(quick=300, long=10_000)
NUMBERS = count(1)
PRODUCT = {"ClaveProdServ": "84111506", "ClaveUnidad": "E48", "Descripcion": "Venta"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxApp]:
    made = SandboxApp(tmp_path_factory.mktemp("sandbox"))
    made.store(made.mint())
    yield made
    made.container.close()


@settings(max_examples=CARTS, suppress_health_check=list(HealthCheck), database=None)
@given(
    cart=invoices(),
    price_includes_tax=st.booleans(),
    rounding=st.sampled_from(("line", "total")),
)
def test_cart_is_stamped_at_the_first_attempt(
    app: SandboxApp, cart: dict[str, Any], price_includes_tax: bool, rounding: Rounding
) -> None:
    totals = computed(cart, price_includes_tax, rounding)
    if isinstance(totals, str):
        return  # no amounts exist, as `test_property_totals` checks
    rate = {} if totals.comprobante["Moneda"] == "MXN" else {"TipoCambio": "18.5"}
    conceptos = [{**PRODUCT, **concepto} for concepto in totals.comprobante["Conceptos"]]
    numbers = {"Serie": "CARRITO", "Folio": str(next(NUMBERS)), "Fecha": FECHA}
    members = {**frame(), **totals.comprobante, **rate, **numbers, "Conceptos": conceptos}

    assert app.issue(timbra.from_json(members)).uuid

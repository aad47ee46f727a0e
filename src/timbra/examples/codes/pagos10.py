"""Documents of the rules about Recepción de Pagos 1.0: CRP101 to CRP239, CRP999."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

from timbra.examples.codes.example import CodeExampleBuilder
from timbra.examples.codes.pagos import CHAIN_ATTRIBUTES
from timbra.examples.pagos10 import document, pago10, payment
from timbra.examples.tree import Change, ExampleNode


def with_chain(changes: Mapping[str, Change] | None = None) -> str:
    """Return a receipt of a payment with a payment chain."""
    return pago10({**CHAIN_ATTRIBUTES, **(changes or {})})


def paying(
    *documents: ExampleNode, currency: str = "MXN", rate: str | None = None, amount: str | None = None
) -> CodeExampleBuilder:
    """Return the builder of a receipt of one payment; arguments as those of `timbra.examples.pagos10.payment`."""

    def build(changes: Mapping[str, Change] | None = None) -> str:
        made = payment(deepcopy(documents), currency=currency, rate=rate, amount=amount)
        return pago10(changes, payments=[made])

    return build


def in_dollars(rate: str = "18.50") -> CodeExampleBuilder:
    """Return the builder of a payment in dollars of a document in dollars."""
    return paying(document(currency="USD"), currency="USD", rate=rate)


def without_balance(**attributes: str | None) -> ExampleNode:
    """Return a document that is paid at once, with only these of the attributes about its balance."""
    absent: dict[str, str | None] = dict.fromkeys(("NumParcialidad", "ImpSaldoAnt", "ImpPagado", "ImpSaldoInsoluto"))
    changes: dict[str, Change] = {f"@{name}": value for name, value in (absent | attributes).items()}
    return document(changes={"@MetodoDePagoDR": "PUE", **changes})


two_documents = paying(document(), document())
dollars_in_pesos = paying(document("100.00", currency="USD", rate="0.054054"))
pesos_in_dollars = paying(document("185.00", rate="1"), currency="USD", rate="18.50", amount="10.00")

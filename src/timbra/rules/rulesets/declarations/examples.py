"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi40 import ingreso
from timbra.examples.codes.declarations import (
    early_exportacion,
    invoice_before_its_version,
    invoice_with_schema_of_33,
    invoice_with_unused_namespace,
    invoice_without_prefix,
    legend_in_33,
    namespace_in_complement,
    namespace_in_complemento,
    payment_with_other_prefix,
    payment_with_schema_in_complement,
    payment_with_two_prefixes,
    payment_without_schema,
    transfer_in_33,
)
from timbra.examples.codes.example import Example
from timbra.examples.codes.seals import StampDefect, StampedPair
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.pagos20 import pago
from timbra.rules.engine.rule import Fails

FAILS: Mapping[str, Fails] = {
    "COMPLEMENTO-FECHA": Example(exportacion, early_exportacion),
    "NS-PREFIJO": Example(ingreso, invoice_without_prefix),
    "NS-REPETIDO": Example(pago, payment_with_two_prefixes),
    "NS-SIN-USO": Example(ingreso, invoice_with_unused_namespace),
    "SELLO-COMPLEMENTO": Example(legend_in_33, transfer_in_33),
    "TFD-LUGAR": StampedPair(StampDefect.OUTSIDE_COMPLEMENTO),
    "VERSION-FECHA": Example(ingreso, invoice_before_its_version),
    "CO1001": Example(pago, payment_with_other_prefix),
    "CO1002": Example(pago, namespace_in_complement),
    "CO1003": Example(pago, payment_without_schema),
    "CO1004": Example(pago, namespace_in_complemento),
    "CO1005": Example(pago, payment_with_schema_in_complement),
    "CC3001": Example(ingreso, invoice_with_schema_of_33),
}

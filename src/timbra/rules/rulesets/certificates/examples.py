"""The documents that violate the rules, by code."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cfdi33 import ingreso33
from timbra.examples.cfdi40 import ingreso
from timbra.examples.codes.example import Example
from timbra.examples.codes.seals import (
    SealDefect,
    SealedPair,
    StampDefect,
    StampedPair,
    early_invoice,
    early_retencion,
    invoice_without_obligations,
    retencion_without_obligations,
)
from timbra.examples.retenciones20 import retencion
from timbra.rules.engine.rule import Fails

FAILS: Mapping[str, Fails] = {
    "TFD-FECHA": StampedPair(StampDefect.EARLY_DATE),
    "TFD-PROVEEDOR": StampedPair(StampDefect.UNKNOWN_PROVIDER),
    "TFD-SELLO-CFD": StampedPair(StampDefect.OTHER_SELLO_CFD),
    "TFD-UNICO": StampedPair(StampDefect.TWO_STAMPS),
    "TFD-VERSION": StampedPair(StampDefect.OTHER_VERSION),
    "302": SealedPair(SealDefect.ALTERED_SEAL),
    "T302": SealedPair(SealDefect.ALTERED_SEAL, retencion, retencion),
    "303": SealedPair(SealDefect.CERTIFICATE_OF_ANOTHER_RFC),
    "T303": SealedPair(SealDefect.CERTIFICATE_OF_ANOTHER_RFC, retencion, retencion),
    "304": SealedPair(SealDefect.REVOKED),
    "T304": SealedPair(SealDefect.REVOKED, retencion, retencion),
    "305": SealedPair(SealDefect.NOT_IN_FORCE),
    "T305": SealedPair(SealDefect.NOT_IN_FORCE, retencion, retencion),
    "306": SealedPair(SealDefect.EFIRMA),
    "T306": SealedPair(SealDefect.EFIRMA, retencion, retencion),
    "308": SealedPair(SealDefect.UNKNOWN_AUTHORITY),
    "T308": SealedPair(SealDefect.UNKNOWN_AUTHORITY, retencion, retencion),
    "401": Example(ingreso, early_invoice),
    "T401": Example(retencion, early_retencion),
    "402": SealedPair(SealDefect.NO_OBLIGATIONS, failing=invoice_without_obligations),
    "T402": SealedPair(SealDefect.NO_OBLIGATIONS, retencion, retencion_without_obligations),
    "TFD11303": StampedPair(StampDefect.ALTERED_SELLO_SAT),
    "Reten20101": SealedPair(SealDefect.ALTERED_SEAL, retencion, retencion),
    "Reten20102": SealedPair(SealDefect.NUMBER_OF_ANOTHER_CERTIFICATE, retencion, retencion),
    "CFDI33102": SealedPair(SealDefect.ALTERED_SEAL, ingreso33, ingreso33),
    "CFDI33105": SealedPair(SealDefect.NUMBER_OF_ANOTHER_CERTIFICATE, ingreso33, ingreso33),
    "CFDI40102": SealedPair(SealDefect.ALTERED_SEAL),
    "CFDI40106": SealedPair(SealDefect.NUMBER_OF_ANOTHER_CERTIFICATE),
}

"""The error matrix of Carta Porte 3.1: one function per code, one file per node or attribute family."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CartaPorte, CartaPorteDeConcepto
from timbra.rules.engine.rule import VERSIONS, RuleSet
from timbra.rules.rulesets.cartaporte31 import (
    aduana,
    aereo,
    autotransporte,
    cantidades,
    cartaporte,
    claves,
    claves_transporte,
    comprobante,
    domicilios,
    estaciones,
    ferroviario,
    figuras,
    maritimo,
    mercancia,
    mercancias,
    regimenes,
    sanitarios,
    ubicaciones,
    version,
)
from timbra.rules.rulesets.cartaporte31.matrix import REVISION, SOURCE
from timbra.rules.shared.misplaced_complement import misplaced

MODULES = (
    comprobante,
    cartaporte,
    regimenes,
    ubicaciones,
    estaciones,
    domicilios,
    mercancias,
    mercancia,
    sanitarios,
    aduana,
    cantidades,
    autotransporte,
    maritimo,
    aereo,
    ferroviario,
    figuras,
    claves,
    claves_transporte,
)

RULE_SET = RuleSet.from_modules("cartaporte31", REVISION, SOURCE, MODULES, complement=CartaPorte, versions=("4.0",))

EARLIER = RuleSet.from_modules("cartaporte31", REVISION, SOURCE, (version,), complement=CartaPorte, versions=("3.3",))
"""Asked of the invoices that the complement does not belong to: that they are such says all."""

ELSEWHERE = misplaced("CP112:Concepto", CartaPorteDeConcepto, RULE_SET, VERSIONS)
"""Asked where the complement stands in a Concepto."""

RULE_SETS = (RULE_SET, EARLIER, ELSEWHERE)

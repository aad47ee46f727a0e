"""Pagos a extranjeros 1.0."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import present

NAMESPACE = "{http://www.sat.gob.mx/esquemas/retencionpago/1/pagosaextranjeros}"
HEAD = "Complemento/Pagosaextranjeros"


class Pagosaextranjeros(ComplementNode):
    """The complement.

    Attributes:
        has_beneficiario, has_no_beneficiario: whether it has the child Beneficiario, NoBeneficiario.
    """

    HEAD = TEMPLATE = HEAD
    TAG = f"{NAMESPACE}Pagosaextranjeros"

    EsBenefEfectDelCobro: str
    has_beneficiario: bool = present("Beneficiario")
    has_no_beneficiario: bool = present("NoBeneficiario")

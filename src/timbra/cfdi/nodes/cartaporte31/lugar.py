"""Carta Porte inside a Concepto, where the standard does not allow it."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31.names import TAG
from timbra.cfdi.nodes.complement import MisplacedComplement


class CartaPorteDeConcepto(MisplacedComplement):
    """A CartaPorte inside a Concepto."""

    TAG = TAG

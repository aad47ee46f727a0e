"""The complement where it must not stand."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31.names import TAG
from timbra.cfdi.nodes.complement import MisplacedComplement


class CartaPorteDeConcepto(MisplacedComplement):
    """A CartaPorte inside a Concepto."""

    __slots__ = ()
    TAG = TAG

"""Nómina inside a Concepto, where the standard does not allow it."""

from __future__ import annotations

from timbra.cfdi.nodes.complement import MisplacedComplement
from timbra.cfdi.nodes.nomina12.names import TAG


class NominaDeConcepto(MisplacedComplement):
    """A Nomina inside a Concepto."""

    TAG = TAG

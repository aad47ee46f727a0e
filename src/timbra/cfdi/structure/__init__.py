"""Structure of a document by the slim schemas of the snapshot: what is not well built is 301."""

from __future__ import annotations

from timbra.cfdi.structure.check import Structure
from timbra.cfdi.structure.faults import StructureFault
from timbra.cfdi.structure.standards import Standard, UnknownComplement

__all__ = ["Standard", "Structure", "StructureFault", "UnknownComplement"]

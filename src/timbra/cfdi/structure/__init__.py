"""Structure of a document by the reduced schemas of the snapshot: a violation is error 301."""

from __future__ import annotations

from timbra.cfdi.structure.check import Structure
from timbra.cfdi.structure.errors import StructureFault
from timbra.cfdi.structure.standards import UnknownComplement, XmlStandard

__all__ = ["Structure", "StructureFault", "UnknownComplement", "XmlStandard"]

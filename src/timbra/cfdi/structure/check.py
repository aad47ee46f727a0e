"""Checking a document: the invoice by its schema, then each complement by its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lxml import etree

from timbra.cfdi.structure.faults import SchemaError, StructureFault
from timbra.cfdi.structure.paths import Places, line_of
from timbra.cfdi.structure.sentences import place_and_sentence
from timbra.cfdi.structure.standards import Standard, Standards, UnknownComplement, namespace_of, version_of

if TYPE_CHECKING:
    from timbra.snapshot import Snapshot


class Structure:
    """The structure check of CFDI 3.3 and 4.0 over one snapshot. Make one per process and share it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._standards = Standards(snapshot)

    @property
    def supported(self) -> tuple[Standard, ...]:
        """Every invoice, stamp and complement that a schema is at hand for."""
        return self._standards.all

    def catalogs(self, standard: Standard) -> Mapping[str, Mapping[str, str]]:
        """Element path (`Comprobante/Emisor`) -> attribute -> catalog type (`c_RegimenFiscal`).

        Schemas leave these values to the rules: any text passes here.
        """
        return self._standards.catalogs(standard)

    def check(self, root: etree._Element) -> list[StructureFault]:
        """What is wrong with the build of a Comprobante and its known complements, in document order per schema.

        The content of Addenda and complements of unknown namespace or version are not judged. The tree is not changed.
        """
        standard = self._standards.of(root)
        if standard is None or not standard.invoice:
            return [_unknown_document(root)]
        places = Places(self._standards.prefixes)
        faults = self._faults(root, standard, places)
        for element in complements_of(root):
            known = self._complement(element)
            if known is not None:
                faults += self._faults(element, known, places)
        return faults

    def unknown_complements(self, root: etree._Element) -> list[UnknownComplement]:
        """The complements, of the invoice and of its concepts, that `check` cannot judge."""
        places = Places(self._standards.prefixes)
        return [_unknown(element, places) for element in complements_of(root) if self._complement(element) is None]

    def _complement(self, element: etree._Element) -> Standard | None:
        standard = self._standards.of(element)
        return None if standard is None or standard.invoice else standard

    def _faults(self, element: etree._Element, standard: Standard, places: Places) -> list[StructureFault]:
        errors = self._standards.schema(standard).errors(element)
        return list(dict.fromkeys(self._fault(element, error, places) for error in errors))

    def _fault(self, start: etree._Element, error: SchemaError, places: Places) -> StructureFault:
        attribute, sentence = place_and_sentence(error, self._standards.prefixes)
        known = error.place
        element = places.element_at(start, error.path) if known is None else known
        path = places.path_of(element)
        line = error.line if known is None and error.line else line_of(element)
        return StructureFault(f"{path}/@{attribute}" if attribute else path, sentence, line)


def complements_of(root: etree._Element) -> Iterator[etree._Element]:
    """The elements inside the Complemento of the invoice and the ComplementoConcepto of its concepts.

    One search of the tree in C, free of cost where the document does not use these names at all.
    """
    space = f"{{{namespace_of(root)}}}"
    ways = {
        f"{space}Complemento": [root.tag],
        f"{space}ComplementoConcepto": [f"{space}Concepto", f"{space}Conceptos", root.tag],
    }
    for holder in root.iter(*ways):
        if [step.tag for step in holder.iterancestors()] == ways[str(holder.tag)]:
            yield from holder.iterchildren(etree.Element)


def _unknown(element: etree._Element, places: Places) -> UnknownComplement:
    name = etree.QName(element).localname
    path = places.path_of(element)
    return UnknownComplement(namespace_of(element), name, version_of(element) or "", path, line_of(element))


def _unknown_document(root: etree._Element) -> StructureFault:
    version = version_of(root) or "sin versión"
    name, namespace = etree.QName(root).localname, namespace_of(root) or "ningún espacio de nombres"
    sentence = f"No hay esquema para {name} {version} de {namespace}."
    return StructureFault(f"/{name}", sentence, line_of(root))

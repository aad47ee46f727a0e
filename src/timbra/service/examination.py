"""One document under examination: everything that can be said of it without asking anybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from lxml import etree

from timbra.cfdi.cadena_variants import LONGEST, Variant, document_variants
from timbra.cfdi.nodes import Comprobante, Emisor, walk
from timbra.cfdi.structure.check import complements_of
from timbra.cfdi.tfd import TFD_TAG
from timbra.messages import full_message
from timbra.rules import seals, shape
from timbra.rules.dated_lists import weighed
from timbra.rules.finding import Outcome
from timbra.rules.profiles import VALIDATE
from timbra.rules.seals.context import SealContext
from timbra.rules.shape.context import ByNamespace, ShapeContext
from timbra.seals.anchors import ProviderCertificate
from timbra.service.entries import entries_of, information, section, warning
from timbra.service.order import Tools
from timbra.service.report import Entry, EntryKind, Section

UNSTAMPED = "El comprobante no lleva timbre: nadie lo ha certificado."
NOT_JUDGED = "Las reglas del comprobante no se evaluaron: su estructura no es correcta."


class Examination:
    """A Comprobante of a version that is validated. Everything is found out at once but what the stamp needs."""

    def __init__(self, tools: Tools, standards: ByNamespace, root: etree._Element, version: str) -> None:
        self._tools = tools
        self._standards = standards
        self._root = root
        self._version = version
        self.prefix = f"CFDI{version.replace('.', '')}"
        self.world = tools.world()
        self.cadena = tools.cadena.of(root, version)
        self._faults = self._structure_faults()
        self._comprobante = _outline(root) if self._faults else walk(root)
        self._seals = SealContext.of(
            self._comprobante, self.cadena, tools.certificates, tools.trust, self.world, stamping=False
        )
        self._seals = replace(self._seals, variants=self._variants)
        self._shape = shape.examine(root, self._shape_context())
        self._issuer = self._weighed(seals.examine(self._seals, seals.ISSUER[version]))
        self._outcome = self._rules()

    def sections(self, fetched: ProviderCertificate | None, unreached: str) -> list[Section]:
        """Structure, invoice, complements. fetched, unreached: of the stamp's provider, see `SealContext`."""
        complements = list(self._complements(replace(self._seals, fetched=fetched, unreached=unreached)))
        return [self._structure(), self._provider(), *complements]

    def _structure_faults(self) -> list[Entry]:
        return [
            Entry(full_message("301"), f"{fault.message} Línea {fault.line}.", EntryKind.ERROR, "301", fault.path)
            for fault in self._tools.structure.check(self._root)
        ]

    def _structure(self) -> Section:
        entries = [*self._faults, *entries_of(self._shape)]
        return section(f"{self.prefix} - Validacion de Estructura", entries, "Validacion de Estructura Correcta")

    def _rules(self) -> Outcome | None:
        """What the books say, those of complements included; None where the structure keeps them from being asked."""
        if self._faults:
            return None
        return self._weighed(self._tools.engine.check(self._comprobante, self.world, VALIDATE))

    def _weighed(self, outcome: Outcome) -> Outcome:
        return weighed(outcome, self.world, self._seals.issued)

    def _provider(self) -> Section:
        entries = list(entries_of(self._issuer))
        if self._outcome is None:
            entries.append(warning(NOT_JUDGED))
        else:
            known = {entry.code for entry in entries}
            found = entries_of(self._outcome.without(self._carried.values()))
            entries += [entry for entry in found if entry.code not in known]
        if not self._seals.stamps:
            entries.append(information(UNSTAMPED))
        name = f"{self.prefix} - Validaciones Proveedor Comprobante ( {self.prefix} )"
        return section(name, entries, f"Validaciones Proveedor Comprobante ( {self.prefix} ) Correcta")

    @cached_property
    def _carried(self) -> dict[str, str]:
        """The books about complements that the document carries: qualified name of the complement -> book."""
        books = {
            book.complement.TAG: book.name
            for book in self._tools.engine.books
            if book.complement is not None and self._version in book.versions
        }
        return {tag: books[tag] for tag in self._names if tag in books}

    @cached_property
    def _names(self) -> dict[str, str]:
        """The complements of invoice and concepts: qualified name -> name with prefix, as first written."""
        names: dict[str, str] = {}
        for element in complements_of(self._root):
            if element.tag not in names:
                local = etree.QName(element).localname
                names[str(element.tag)] = f"{element.prefix}:{local}" if element.prefix else local
        return names

    def _complements(self, context: SealContext) -> Iterator[Section]:
        label = f"{self.prefix} - Validaciones Proveedor Complemento "
        named: dict[str, list[Entry]] = {}
        for tag, name in self._names.items():
            named.setdefault(name, []).extend(self._about(tag, context))
        for complement in self._tools.structure.unknown_complements(self._root):
            text = f"No hay esquema para el complemento {complement.name} {complement.version}".rstrip()
            name = self._names.get(f"{{{complement.namespace}}}{complement.name}", complement.name)
            told = warning(f"{text}: no se revisó.", complement.path)
            if told.detail not in [entry.detail for entry in named.setdefault(name, [])]:
                named[name].append(told)
        for name, entries in (named or {"": []}).items():
            yield section(f"{label}{name}", entries, f"{label}{name} Correcta")

    def _about(self, tag: str, context: SealContext) -> Iterator[Entry]:
        """What is said of the complements of that qualified name."""
        if tag == TFD_TAG:
            yield from entries_of(seals.examine(context, seals.TIMBRE))
        elif self._outcome is not None and tag in self._carried:
            yield from entries_of(self._outcome.of(self._carried[tag]))

    def _shape_context(self) -> ShapeContext:
        return ShapeContext(
            version=self._version,
            standards=self._standards,
            sealed=self._tools.cadena.complements(self._version),
            stamped=bool(self._seals.stamps),
        )

    def _variants(self) -> Iterator[Variant]:
        """Only of documents that are soon transformed: each variant costs as much as the cadena itself."""
        if len(self.cadena) <= LONGEST:
            yield from document_variants(self._tools.cadena, self._root, self._version)


def _outline(root: etree._Element) -> Comprobante:
    """What the seal checks read, from a document of either version whose structure may be wrong."""
    comprobante = Comprobante(root)
    emisor = root.find("{*}Emisor")
    comprobante.emisor = Emisor(etree.Element("Emisor") if emisor is None else emisor)
    complements = root.iterfind("{*}Complemento")
    comprobante.complementos = tuple(child for complement in complements for child in complement.iterchildren("*"))
    return comprobante

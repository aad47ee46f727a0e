"""Validation: everything that is wrong with a CFDI, at once, with the authority's word beside it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from lxml import etree

from timbra.authority.port import Authority, FiscalStatus, StatusQuery
from timbra.cfdi.nodes import Comprobante, Emisor, walk
from timbra.cfdi.tfd import TFD_TAG, TimbreFiscalDigital
from timbra.errors import ServiceError
from timbra.messages import full_message
from timbra.rules import seals
from timbra.rules.finding import Finding, NotEvaluated, Outcome, Severity
from timbra.rules.profiles import VALIDATE
from timbra.rules.seals.context import SealContext
from timbra.service.order import Tools
from timbra.service.report import Entry, EntryKind, Report, Section

VALIDATED = ("3.3", "4.0")
NOT_FOUND = FiscalStatus("No Encontrado", "N - 601: La expresión impresa proporcionada no es válida.", None, "")


class Validation:
    """The use case of whoever receives invoices. authority: None where no status service is at hand."""

    def __init__(self, tools: Tools, authority: Authority | None) -> None:
        self._tools = tools
        self._authority = authority

    async def validate(self, xml: bytes, with_status: bool) -> Report:
        """A report on a CFDI 3.3 or 4.0, however wrong it is.

        ServiceError("301") for what is no such CFDI, "xml-missing" for nothing at all. An authority that does not
        answer leaves the four status fields empty and adds a warning.
        """
        if not xml.strip():
            raise ServiceError("xml-missing")
        document = self._tools.parser.parse(xml)
        if document.version not in VALIDATED:
            raise ServiceError("301", "El documento no es un Comprobante de versión 3.3 o 4.0.")
        return _Examination(self._tools, self._authority, document.root, document.version).report(with_status)


class _Examination:
    """One document under examination."""

    def __init__(self, tools: Tools, authority: Authority | None, root: etree._Element, version: str) -> None:
        self._tools = tools
        self._authority = authority
        self._root = root
        self._version = version
        self._prefix = f"CFDI{version.replace('.', '')}"
        self._world = tools.world()
        self._cadena = tools.cadena.of(root, version)
        self._books = {
            book.complement.TAG: book.name
            for book in tools.engine.books
            if book.complement is not None and version in book.versions
        }
        self._seals = SealContext.of(
            _outline(root), self._cadena, tools.certificates, tools.trust, self._world, stamping=False
        )

    def report(self, with_status: bool) -> Report:
        structure = self._structure()
        outcome = self._rules(structure)
        sections = [structure, self._provider(outcome), *self._complements(outcome)]
        stamp = self._seals.stamps[0] if self._seals.stamps else None
        status, warning = self._status(stamp) if with_status else (None, None)
        if warning is not None:
            sections[1] = Section(sections[1].name, (*sections[1].entries, warning))
        return Report(
            sections=tuple(sections),
            uuid=stamp.uuid if stamp else None,
            cadena_original_sat=stamp.cadena_original if stamp else None,
            cadena_original_comprobante=self._cadena,
            status_sat=status.status if status else None if with_status else "No Aplica",
            status_code_sat=_status_code(status) if status else None if with_status else "No Aplica",
            is_cancelable=status.cancelable if status else None,
            status_cancelation=status.cancellation if status else None,
            data_version=self._world.catalogs.version,
        )

    def _structure(self) -> Section:
        faults = self._tools.structure.check(self._root)
        entries = [
            Entry(full_message("301"), f"{fault.message} Línea {fault.line}.", EntryKind.ERROR, "301", fault.path)
            for fault in faults
        ]
        return _section(f"{self._prefix} - Validacion de Estructura", entries, "Validacion de Estructura Correcta")

    def _rules(self, structure: Section) -> Outcome | None:
        """What the books say, those of complements included; None where the structure keeps them from being asked."""
        if any(entry.kind is EntryKind.ERROR for entry in structure.entries):
            return None
        return self._tools.engine.check(walk(self._root), self._world, VALIDATE)

    def _provider(self, outcome: Outcome | None) -> Section:
        entries = list(_entries(seals.examine(self._seals, seals.ISSUER[self._version])))
        if outcome is None:
            entries.append(_warning("Las reglas del comprobante no se evaluaron: su estructura no es correcta."))
        else:
            known = {entry.code for entry in entries}
            found = _entries(outcome.without(self._told_apart()))
            entries += [entry for entry in found if entry.code not in known]
        name = f"{self._prefix} - Validaciones Proveedor Comprobante ( {self._prefix} )"
        return _section(name, entries, f"Validaciones Proveedor Comprobante ( {self._prefix} ) Correcta")

    def _told_apart(self) -> list[str]:
        """The books whose findings have a section of their own: complements that stand elsewhere have none."""
        return [
            self._books[tag] for element in self._seals.comprobante.complementos if (tag := element.tag) in self._books
        ]

    def _complements(self, outcome: Outcome | None) -> Iterator[Section]:
        unknown = {complement.path: complement for complement in self._tools.structure.unknown_complements(self._root)}
        label = f"{self._prefix} - Validaciones Proveedor Complemento "
        names: dict[str, list[Entry]] = {}
        told = set()
        for element in self._seals.comprobante.complementos:
            name = (
                f"{element.prefix}:{etree.QName(element).localname}"
                if element.prefix
                else etree.QName(element).localname
            )
            entries = names.setdefault(name, [])
            if element.tag not in told:
                told.add(element.tag)
                entries += self._about(str(element.tag), outcome)
        for complement in unknown.values():
            text = f"No hay esquema para el complemento {complement.name} {complement.version}".rstrip()
            names.setdefault(complement.name, []).append(_warning(f"{text}: no se revisó.", complement.path))
        for name, entries in (names or {"": []}).items():
            yield _section(f"{label}{name}", entries, f"{label}{name} Correcta")

    def _about(self, tag: str, outcome: Outcome | None) -> Iterator[Entry]:
        """What is said of the complements of that qualified name."""
        if tag == TFD_TAG:
            yield from _entries(seals.examine(self._seals, seals.TIMBRE))
        elif outcome is not None and tag in self._books:
            yield from _entries(outcome.of(self._books[tag]))

    def _status(self, stamp: TimbreFiscalDigital | None) -> tuple[FiscalStatus | None, Entry | None]:
        comprobante = self._seals.comprobante
        receptor = self._root.find("{*}Receptor")
        if stamp is None or receptor is None or not _is_number(comprobante.Total):
            return NOT_FOUND, None
        if self._authority is None:
            return None, _warning("No se consultó el estado: no hay un servicio de consulta configurado.")
        query = StatusQuery(
            stamp.uuid, comprobante.emisor.Rfc, receptor.get("Rfc") or "", comprobante.Total, comprobante.Sello[-8:]
        )
        try:
            return self._authority.status(query), None
        except ServiceError as error:
            return None, _warning(f"La autoridad no respondió a la consulta de estado. {error.detail or ''}".rstrip())


def _outline(root: etree._Element) -> Comprobante:
    """What the seal checks read, from a document of either version whose structure may be wrong."""
    comprobante = Comprobante(root)
    emisor = root.find("{*}Emisor")
    comprobante.emisor = Emisor(etree.Element("Emisor") if emisor is None else emisor)
    complements = root.iterfind("{*}Complemento")
    comprobante.complementos = tuple(child for complement in complements for child in complement.iterchildren("*"))
    return comprobante


def _status_code(status: FiscalStatus) -> str:
    """SAT's own text ends the good answer with a full stop; clients compare it without."""
    return status.code.rstrip(".") if status.code.startswith("S - ") else status.code


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False


def _section(name: str, entries: list[Entry], fine: str) -> Section:
    if any(entry.kind is EntryKind.ERROR for entry in entries):
        return Section(name, tuple(entries))
    return Section(name, (Entry("OK", fine, EntryKind.INFORMATION), *entries))


def _entries(outcome: Outcome) -> Iterator[Entry]:
    yield from map(_of_finding, outcome.findings)
    yield from map(_of_unknown, outcome.not_evaluated)


def _of_finding(finding: Finding) -> Entry:
    kind = EntryKind.ERROR if finding.severity is Severity.ERROR else EntryKind.WARNING
    return Entry(
        message=full_message(finding.code),
        detail=finding.detail,
        kind=kind,
        code=finding.code,
        path=finding.path,
        found=finding.found,
        expected=finding.expected,
        hint=finding.hint,
    )


def _of_unknown(missing: NotEvaluated) -> Entry:
    text = f"No evaluada: faltan datos ({missing.lacks})."
    return Entry(full_message(missing.code), text, EntryKind.WARNING, missing.code, evaluated=False)


def _warning(text: str, path: str | None = None) -> Entry:
    return Entry("Aviso", text, EntryKind.WARNING, path=path)

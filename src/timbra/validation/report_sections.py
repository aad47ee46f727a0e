"""The sections of a validation report, from an examined document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from timbra.cfdi.structure import StructureFault
from timbra.cfdi.tfd import TFD_TAG
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.reference.messages import full_message
from timbra.validation.examination import STAMPED_VERSION, DocumentReading, ExaminedDocument
from timbra.validation.models import ReportEntry, ReportEntryKind, ReportSection, SectionKind, UnevaluatedRule
from timbra.validation.report_entries import bounded, entries_of, page_of, unevaluated_in, warning

UNSTAMPED_CODE = "SIN-TIMBRE"
UNSTAMPED = "El comprobante no lleva timbre fiscal: ningún proveedor lo ha certificado."
SEAL_CODES = frozenset({"CFDI40102", "CFDI33102", "Reten20101"})
SEAL_ATTRIBUTES = ("Sello", "NoCertificado", "Certificado")
RULES_NOT_EVALUATED = "Las reglas del comprobante no se evaluaron: su estructura no es correcta."
WITHDRAWN_CODES = {"1.0": "RET10-REGLAS", "3.2": "CFDI32-REGLAS", "2.2": "CFD22-REGLAS"}
"""By version of the document."""
WITHDRAWN_NAMES = {"1.0": "Retenciones 1.0", "3.2": "CFDI 3.2", "2.2": "CFD 2.2"}
WITHDRAWN_MISSING = "las reglas de {name}, una versión que el SAT retiró: se revisaron estructura y sellos"
WITHOUT_SCHEMA = (
    "las reglas, el esquema y la cadena original de {name}, una versión que el SAT retiró: se revisó el certificado"
)
STRUCTURE_NOT_CHECKED = "La estructura no se revisó: los datos del SAT no tienen el esquema de {name}."
SEAL_NOT_CHECKED = "El sello no se verificó: los datos del SAT no tienen la cadena original de {name}."
UNSTAMPED_VERSIONS = ("2.2",)
"""Versions of documents that no provider stamped: the SAT gave their issuers series of folios."""


@dataclass(frozen=True, slots=True)
class _Results:
    """What a section contains."""

    entries: list[ReportEntry] = field(default_factory=list)
    not_evaluated: list[UnevaluatedRule] = field(default_factory=list)

    def add(self, result: EvaluationResult) -> None:
        self.entries.extend(entries_of(result))
        self.not_evaluated.extend(unevaluated_in(result))

    def section(self, kind: SectionKind, complement: str = "") -> ReportSection:
        return ReportSection(kind, bounded(self.entries), tuple(self.not_evaluated), complement)


def sections_of(
    examined: ExaminedDocument, timbre: EvaluationResult, *, require_stamp: bool = False
) -> list[ReportSection]:
    """Return the sections: structure, invoice, then one for each complement.

    Args:
        timbre: Results of the checks of the stamp.
        require_stamp: Whether a document without a stamp has an error instead of a warning.
    """
    if is_draft := _is_draft(examined.reading):
        examined = _without_seal(examined)
    results: dict[str, _Results] = {}
    for tag, name in examined.reading.complements.items():
        found = timbre if tag == TFD_TAG else _rule_results(examined, examined.rule_sets.get(tag))
        results.setdefault(name, _Results()).add(found)
    for name, entry in _unknown_complements(examined.reading):
        results.setdefault(name, _Results()).entries.append(entry)
    complements = (found.section(SectionKind.COMPLEMENT, name) for name, found in results.items())
    invoice = _invoice_section(examined, is_draft=is_draft, require_stamp=require_stamp)
    return [_structure_section(examined), invoice, *complements]


def _is_draft(reading: DocumentReading) -> bool:
    """Whether the document has neither seal nor stamp; of versions whose seal attributes have today's names."""
    if reading.is_withdrawn or reading.seals.stamps:
        return False
    return not any((reading.document.root.get(name) or "").strip() for name in SEAL_ATTRIBUTES)


def _without_seal(examined: ExaminedDocument) -> ExaminedDocument:
    """Return the results with one finding about the missing seal."""
    places = {f"@{name}" for name in SEAL_ATTRIBUTES}
    faults = tuple(fault for fault in examined.reading.faults if fault.path not in places)
    issuer = examined.evaluation.issuer
    findings = tuple(found for found in issuer.findings if found.path not in places or found.code in SEAL_CODES)
    return replace(
        examined,
        reading=replace(examined.reading, faults=faults),
        evaluation=replace(examined.evaluation, issuer=replace(issuer, findings=findings)),
    )


def _structure_section(examined: ExaminedDocument) -> ReportSection:
    code = "T301" if examined.reading.document.is_retenciones else "301"
    faults = [_fault_entry(fault, code) for fault in examined.reading.faults]
    results = _Results(faults)
    results.add(examined.declarations)
    if not examined.reading.has_schema:
        results.entries.append(
            warning(STRUCTURE_NOT_CHECKED.format(name=WITHDRAWN_NAMES[examined.reading.document.version]))
        )
        return replace(results.section(SectionKind.STRUCTURE), is_complete=False)
    return results.section(SectionKind.STRUCTURE)


def _fault_entry(fault: StructureFault, code: str) -> ReportEntry:
    return ReportEntry(
        full_message(code),
        f"{fault.message} Línea {fault.line}.",
        ReportEntryKind.ERROR,
        code,
        fault.path,
        fault.found,
        fault.expected,
        expected_value=fault.expected_value,
    )


def _invoice_section(examined: ExaminedDocument, *, is_draft: bool, require_stamp: bool) -> ReportSection:
    evaluation, reading, results = examined.evaluation, examined.reading, _Results()
    version = reading.document.version
    results.add(evaluation.issuer)
    if evaluation.rules is None:
        results.entries.append(warning(RULES_NOT_EVALUATED))
    else:
        # A rule that is in both sets of rules is reported once.
        codes = {entry.code for entry in results.entries} | {rule.code for rule in results.not_evaluated}
        found = evaluation.rules.without(examined.rule_sets.values())
        results.entries.extend(entry for entry in entries_of(found) if entry.code not in codes)
        results.not_evaluated.extend(rule for rule in unevaluated_in(found) if rule.code not in codes)
    if reading.is_withdrawn:
        results.not_evaluated.append(_withdrawn_rules(reading))
    if not reading.seals.stamps and version not in UNSTAMPED_VERSIONS:
        results.entries.append(_unstamped_entry(require_stamp=require_stamp and not is_draft))
    if not reading.has_cadena:
        results.entries.append(warning(SEAL_NOT_CHECKED.format(name=WITHDRAWN_NAMES[version])))
        return replace(results.section(SectionKind.INVOICE), is_complete=False)
    return results.section(SectionKind.INVOICE)


def _withdrawn_rules(reading: DocumentReading) -> UnevaluatedRule:
    version = reading.document.version
    code, name = WITHDRAWN_CODES[version], WITHDRAWN_NAMES[version]
    missing = WITHDRAWN_MISSING if reading.has_schema and reading.has_cadena else WITHOUT_SCHEMA
    return UnevaluatedRule(code, full_message(code), missing.format(name=name), page_of(code))


def _unstamped_entry(*, require_stamp: bool) -> ReportEntry:
    kind = ReportEntryKind.ERROR if require_stamp else ReportEntryKind.WARNING
    return ReportEntry(full_message(UNSTAMPED_CODE), UNSTAMPED, kind, UNSTAMPED_CODE)


def _rule_results(examined: ExaminedDocument, rule_set: str | None) -> EvaluationResult:
    rules = examined.evaluation.rules
    return EvaluationResult() if rules is None or rule_set is None else rules.for_rule_set(rule_set)


def _unknown_complements(reading: DocumentReading) -> Iterator[tuple[str, ReportEntry]]:
    """Yield one entry for each name and version that the snapshot has no schema of.

    It is an error in a document that is still to be stamped, because stamping rejects it; otherwise a warning.
    """
    is_to_be_stamped = reading.document.version == STAMPED_VERSION and not reading.seals.stamps
    seen: set[tuple[str, str]] = set()
    for complement in reading.unknown:
        text = f"No hay esquema para el complemento {complement.name} {complement.version}".rstrip()
        name = reading.complements.get(f"{{{complement.namespace}}}{complement.name}", complement.name)
        if (name, text) not in seen:
            seen.add((name, text))
            detail = f"{text}: no se revisó."
            if is_to_be_stamped:
                yield name, ReportEntry(full_message("301"), detail, ReportEntryKind.ERROR, "301", complement.path)
            else:
                yield name, warning(detail, complement.path)

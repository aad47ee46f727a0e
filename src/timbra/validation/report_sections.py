"""The sections of a validation report, from an examined document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from lxml import etree

from timbra.cfdi.structure import StructureFault
from timbra.cfdi.structure.check import iter_complements
from timbra.cfdi.tfd import TFD_TAG
from timbra.evaluation.dependencies import Dependencies
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.reference.messages import full_message
from timbra.rules.rulesets.certificates import evaluation as certificates
from timbra.seals.certificates.trust_anchors import ProviderCertificate
from timbra.validation.examination import ExaminedDocument, is_withdrawn
from timbra.validation.models import ReportEntry, ReportEntryKind, ReportSection, SectionKind, UnevaluatedRule
from timbra.validation.report_entries import bounded, entries_of, page_of, unevaluated_in, warning

STAMPED_VERSION = "4.0"
"""Version of the documents that are stamped today."""
UNSTAMPED_CODE = "SIN-TIMBRE"
UNSTAMPED = "El comprobante no lleva timbre fiscal: ningún proveedor lo ha certificado."
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
    examined: ExaminedDocument,
    dependencies: Dependencies,
    certificate: ProviderCertificate | None,
    unreached: str,
    *,
    require_stamp: bool = False,
) -> list[ReportSection]:
    """Return the sections: structure, invoice, then one for each complement.

    Args:
        dependencies: For the rule sets and the supported complements.
        certificate: The certificate of the stamp's provider, when only the SAT's repository has it.
        unreached: Why the repository could not be queried, in Spanish; empty when it was.
        require_stamp: Whether a document without a stamp has an error instead of a warning.
    """
    names = _complement_names(examined.root)
    rule_sets = _rule_sets_of(names, examined.version, dependencies)
    timbre = examined.reading.seals
    if certificate is not None or unreached:
        timbre = replace(timbre, fetched=certificate, unreached=unreached)
    results: dict[str, _Results] = {}
    for tag, name in names.items():
        if tag == TFD_TAG:
            found = certificates.examine(timbre, certificates.timbre_rules(examined.version))
        else:
            found = _rule_results(examined, rule_sets.get(tag))
        results.setdefault(name, _Results()).add(found)
    for name, entry in _unknown_complements(examined, names, dependencies):
        results.setdefault(name, _Results()).entries.append(entry)
    complements = (found.section(SectionKind.COMPLEMENT, name) for name, found in results.items())
    invoice = _invoice_section(examined, rule_sets, require_stamp=require_stamp)
    return [_structure_section(examined), invoice, *complements]


def _structure_section(examined: ExaminedDocument) -> ReportSection:
    code = "T301" if examined.reading.document.is_retenciones else "301"
    faults = [_fault_entry(fault, code) for fault in examined.reading.faults]
    results = _Results(faults)
    results.add(examined.declarations)
    if not examined.reading.has_schema:
        results.entries.append(warning(STRUCTURE_NOT_CHECKED.format(name=WITHDRAWN_NAMES[examined.version])))
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


def _invoice_section(examined: ExaminedDocument, rule_sets: Mapping[str, str], *, require_stamp: bool) -> ReportSection:
    evaluation, results = examined.evaluation, _Results()
    results.add(evaluation.issuer)
    if evaluation.rules is None:
        results.entries.append(warning(RULES_NOT_EVALUATED))
    else:
        # A rule that is in both sets of rules is reported once.
        codes = {entry.code for entry in results.entries} | {rule.code for rule in results.not_evaluated}
        found = evaluation.rules.without(rule_sets.values())
        results.entries.extend(entry for entry in entries_of(found) if entry.code not in codes)
        results.not_evaluated.extend(rule for rule in unevaluated_in(found) if rule.code not in codes)
    if is_withdrawn(examined.root):
        results.not_evaluated.append(_withdrawn_rules(examined))
    if not examined.reading.seals.stamps and examined.version not in UNSTAMPED_VERSIONS:
        results.entries.append(_unstamped_entry(require_stamp=require_stamp))
    if not examined.reading.has_cadena:
        results.entries.append(warning(SEAL_NOT_CHECKED.format(name=WITHDRAWN_NAMES[examined.version])))
        return replace(results.section(SectionKind.INVOICE), is_complete=False)
    return results.section(SectionKind.INVOICE)


def _withdrawn_rules(examined: ExaminedDocument) -> UnevaluatedRule:
    code = WITHDRAWN_CODES[examined.version]
    missing = WITHDRAWN_MISSING if examined.reading.has_schema and examined.reading.has_cadena else WITHOUT_SCHEMA
    name = WITHDRAWN_NAMES[examined.version]
    return UnevaluatedRule(code, full_message(code), missing.format(name=name), page_of(code))


def _unstamped_entry(*, require_stamp: bool) -> ReportEntry:
    kind = ReportEntryKind.ERROR if require_stamp else ReportEntryKind.WARNING
    return ReportEntry(full_message(UNSTAMPED_CODE), UNSTAMPED, kind, UNSTAMPED_CODE)


def _complement_names(root: etree._Element) -> dict[str, str]:
    """Return the complements of invoice and concepts: qualified name -> name with prefix, as first written."""
    names: dict[str, str] = {}
    for element in iter_complements(root):
        if element.tag not in names:
            local = str(element.tag).rpartition("}")[2]
            names[str(element.tag)] = f"{element.prefix}:{local}" if element.prefix else local
    return names


def _rule_sets_of(tags: Mapping[str, str], version: str, dependencies: Dependencies) -> dict[str, str]:
    """Return the rule sets of the document's complements: qualified name of the complement -> rule set."""
    rule_sets = _complement_rule_sets(dependencies.engine, version)
    return {tag: rule_sets[tag] for tag in tags if tag in rule_sets}


@lru_cache(maxsize=16)
def _complement_rule_sets(engine: Engine, version: str) -> Mapping[str, str]:
    """Return the rule sets of complements for a version of the document: qualified name of the complement -> name."""
    return {
        rule_set.complement.TAG: rule_set.name
        for rule_set in engine.rule_sets
        if rule_set.complement is not None and version in rule_set.versions
    }


def _rule_results(examined: ExaminedDocument, rule_set: str | None) -> EvaluationResult:
    rules = examined.evaluation.rules
    return EvaluationResult() if rules is None or rule_set is None else rules.for_rule_set(rule_set)


def _unknown_complements(
    examined: ExaminedDocument, names: Mapping[str, str], dependencies: Dependencies
) -> Iterator[tuple[str, ReportEntry]]:
    """Yield one entry for each name and version that the snapshot has no schema of.

    It is an error in a document that is still to be stamped, because stamping rejects it; otherwise a warning.
    """
    is_to_be_stamped = examined.version == STAMPED_VERSION and not examined.reading.seals.stamps
    seen: set[tuple[str, str]] = set()
    for complement in dependencies.structure.unknown_complements(examined.root):
        text = f"No hay esquema para el complemento {complement.name} {complement.version}".rstrip()
        name = names.get(f"{{{complement.namespace}}}{complement.name}", complement.name)
        if (name, text) not in seen:
            seen.add((name, text))
            detail = f"{text}: no se revisó."
            if is_to_be_stamped:
                yield name, ReportEntry(full_message("301"), detail, ReportEntryKind.ERROR, "301", complement.path)
            else:
                yield name, warning(detail, complement.path)

"""The sections of a validation report, from an examined document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from lxml import etree

from timbra.cfdi.structure.check import iter_complements
from timbra.cfdi.tfd import TFD_TAG
from timbra.messages import full_message
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.seals.certificates.trust_anchors import ProviderCertificate
from timbra.service.evaluation.dependencies import Dependencies
from timbra.service.validation.examination import ExaminedDocument
from timbra.service.validation.models import ReportEntry, ReportEntryKind, ReportSection
from timbra.service.validation.report_entries import entries_of, information, section, warning

UNSTAMPED = "El comprobante no lleva timbre: nadie lo ha certificado."
RULES_NOT_EVALUATED = "Las reglas del comprobante no se evaluaron: su estructura no es correcta."


def sections_of(
    examined: ExaminedDocument, dependencies: Dependencies, certificate: ProviderCertificate | None, unreached: str
) -> list[ReportSection]:
    """Return the sections: structure, invoice, then one for each complement.

    Args:
        examined: The document.
        dependencies: For the rule sets and the supported complements.
        certificate: The certificate of the stamp's provider, when only the SAT's repository has it.
        unreached: Why the repository could not be queried, in Spanish; empty when it was.
    """
    names = _complement_names(examined.root)
    rule_sets = _rule_sets_of(names, examined.version, dependencies)
    timbre = replace(examined.reading.seals, fetched=certificate, unreached=unreached)
    entries: dict[str, list[ReportEntry]] = {}
    for tag, name in names.items():
        found = _timbre_entries(timbre) if tag == TFD_TAG else _rule_entries(examined, rule_sets.get(tag))
        entries.setdefault(name, []).extend(found)
    for name, entry in _unknown_complements(examined.root, names, dependencies):
        entries.setdefault(name, []).append(entry)
    complements = _complement_sections(examined, entries or {"": []})
    return [_structure_section(examined), _invoice_section(examined, rule_sets), *complements]


def _prefix(examined: ExaminedDocument) -> str:
    return f"CFDI{examined.version.replace('.', '')}"


def _structure_section(examined: ExaminedDocument) -> ReportSection:
    faults = [
        ReportEntry(
            full_message("301"), f"{fault.message} Línea {fault.line}.", ReportEntryKind.ERROR, "301", fault.path
        )
        for fault in examined.reading.faults
    ]
    entries = [*faults, *entries_of(examined.declarations)]
    return section(f"{_prefix(examined)} - Validacion de Estructura", entries, "Validacion de Estructura Correcta")


def _invoice_section(examined: ExaminedDocument, rule_sets: Mapping[str, str]) -> ReportSection:
    evaluation = examined.evaluation
    entries = list(entries_of(evaluation.issuer))
    if evaluation.rules is None:
        entries.append(warning(RULES_NOT_EVALUATED))
    else:
        codes = {entry.code for entry in entries}
        found = entries_of(evaluation.rules.without(rule_sets.values()))
        entries += [entry for entry in found if entry.code not in codes]
    if not examined.reading.seals.stamps:
        entries.append(information(UNSTAMPED))
    prefix = _prefix(examined)
    name = f"{prefix} - Validaciones Proveedor Comprobante ( {prefix} )"
    return section(name, entries, f"Validaciones Proveedor Comprobante ( {prefix} ) Correcta")


def _complement_sections(
    examined: ExaminedDocument, entries: Mapping[str, list[ReportEntry]]
) -> Iterator[ReportSection]:
    label = f"{_prefix(examined)} - Validaciones Proveedor Complemento "
    for name, found in entries.items():
        yield section(f"{label}{name}", found, f"{label}{name} Correcta")


def _complement_names(root: etree._Element) -> dict[str, str]:
    """Return the complements of invoice and concepts: qualified name -> name with prefix, as first written."""
    names: dict[str, str] = {}
    for element in iter_complements(root):
        if element.tag not in names:
            local = etree.QName(element).localname
            names[str(element.tag)] = f"{element.prefix}:{local}" if element.prefix else local
    return names


def _rule_sets_of(tags: Mapping[str, str], version: str, dependencies: Dependencies) -> dict[str, str]:
    """Return the rule sets of the document's complements: qualified name of the complement -> rule set."""
    rule_sets = {
        rule_set.complement.TAG: rule_set.name
        for rule_set in dependencies.engine.rule_sets
        if rule_set.complement is not None and version in rule_set.versions
    }
    return {tag: rule_sets[tag] for tag in tags if tag in rule_sets}


def _timbre_entries(context: SealContext) -> Iterator[ReportEntry]:
    return entries_of(seals.examine(context, seals.TIMBRE))


def _rule_entries(examined: ExaminedDocument, rule_set: str | None) -> Iterator[ReportEntry]:
    rules = examined.evaluation.rules
    if rules is not None and rule_set is not None:
        yield from entries_of(rules.for_rule_set(rule_set))


def _unknown_complements(
    root: etree._Element, names: Mapping[str, str], dependencies: Dependencies
) -> Iterator[tuple[str, ReportEntry]]:
    """Yield one warning for each name and version that the snapshot has no schema of."""
    seen: set[tuple[str, str]] = set()
    for complement in dependencies.structure.unknown_complements(root):
        text = f"No hay esquema para el complemento {complement.name} {complement.version}".rstrip()
        name = names.get(f"{{{complement.namespace}}}{complement.name}", complement.name)
        if (name, text) not in seen:
            seen.add((name, text))
            yield name, warning(f"{text}: no se revisó.", complement.path)

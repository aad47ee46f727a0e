"""The examination of one document: structure, seal, declarations and rules, without the authority's services."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from lxml import etree

from timbra.cfdi.cadena_variants import MAX_CADENA_LENGTH, CadenaVariant, document_variants
from timbra.cfdi.document import Document
from timbra.cfdi.nodes import Comprobante, Emisor, FiscalDocument, comprobante32, retenciones10, retenciones20
from timbra.cfdi.nodes.documents import walk_document
from timbra.cfdi.nodes.unsound import UnsoundPartError
from timbra.cfdi.structure import StructureFault
from timbra.cfdi.structure.check import complement_names
from timbra.cfdi.structure.standards import UnknownComplement
from timbra.cfdi.tfd import TimbreFiscalDigital
from timbra.evaluation.dependencies import EvaluationServices
from timbra.evaluation.early_documents import since_start, with_rule_sets
from timbra.evaluation.known_documents import mentions_documents, read_mentioned
from timbra.evaluation.sound_parts import sound_parts
from timbra.pools import RunInThread
from timbra.rules.engine.engine import Engine
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.profiles import Profile
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.certificates.evaluation import examine_issuer
from timbra.rules.shared.list_freshness import downgrade_stale

STAMPED_VERSION = "4.0"
"""The version of CFDI that this server stamps."""
WITHDRAWN = frozenset({"1.0", *comprobante32.VERSIONS})
"""Versions without rules: Retenciones 1.0, CFDI 3.2, CFD 2.2."""


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """The content of the document.

    Attributes:
        faults: violations of the SAT's schemas.
        nodes: the nodes; with faults only those that the checks of the seal read.
        seals: certificate, seal and stamps.
        complements: names with prefix of the complements of invoice and concepts, by qualified name.
        unknown: complements without schema.
        has_schema, has_cadena: whether the snapshot has schema and cadena original of the document's version.
    """

    document: Document
    reference_data: ReferenceData
    cadena: str
    faults: tuple[StructureFault, ...]
    nodes: FiscalDocument
    seals: SealContext
    complements: Mapping[str, str]
    unknown: tuple[UnknownComplement, ...]
    has_schema: bool = True
    has_cadena: bool = True

    @property
    def is_withdrawn(self) -> bool:
        """Whether the document has a version without rules: Retenciones 1.0, CFDI 3.2, CFD 2.2."""
        return self.document.version in WITHDRAWN


@dataclass(frozen=True, slots=True)
class DocumentEvaluation:
    """The results of the checks that use lists and rules.

    Attributes:
        issuer: results of the checks of the issuer's certificate and seal.
        rules: results of the rule sets, those of complements included; None when faults of the structure leave no
            sound part that selects the rules.
    """

    issuer: EvaluationResult
    rules: EvaluationResult | None


@dataclass(frozen=True, slots=True)
class ExaminedDocument:
    """A document of a version that the server validates, with all results.

    Attributes:
        declarations: results of the checks of namespaces and schema locations.
        rule_sets: names of the rule sets of the document's complements, by qualified name.
    """

    reading: DocumentReading
    declarations: EvaluationResult
    evaluation: DocumentEvaluation
    rule_sets: Mapping[str, str]


async def examine(
    document: Document,
    stamps: Sequence[TimbreFiscalDigital],
    dependencies: EvaluationServices,
    run_in_thread: RunInThread,
) -> ExaminedDocument:
    """Examine a CFDI 3.3 or 4.0 or a Retenciones 2.0 or 1.0, whatever errors it has.

    Args:
        document: the parsed document.
        dependencies: the services that stamping uses too.
        run_in_thread: runs look-ups that need the database.
    """
    reference_data = await dependencies.current_reference_data(run_in_thread)
    reading = _read(document, stamps, reference_data, dependencies)
    stamped = bool(stamps)
    declared = EvaluationResult()
    if reading.has_schema:
        declared = dependencies.declarations.examine(document.root, document.version, stamped=stamped)
    await read_mentioned(document.root, reference_data, run_in_thread)
    if mentions_documents(document.root):
        evaluation = await run_in_thread(_evaluate, reading, dependencies)
    else:
        evaluation = _evaluate(reading, dependencies)
    return ExaminedDocument(reading, declared, evaluation, _rule_sets_of(reading, dependencies.engine))


def _read(
    document: Document,
    stamps: Sequence[TimbreFiscalDigital],
    reference_data: ReferenceData,
    dependencies: EvaluationServices,
) -> DocumentReading:
    has_cadena = dependencies.cadena.has(document.version)
    cadena = dependencies.cadena.build(document.root, document.version) if has_cadena else ""
    has_schema = dependencies.structure.has_schema(document.root)
    faults = tuple(dependencies.structure.check(document.root)) if has_schema else ()
    is_outlined = faults or document.version in WITHDRAWN
    nodes = _outline(document) if is_outlined else walk_document(document.root)
    context = SealContext.of(
        nodes,
        cadena,
        dependencies.certificates,
        dependencies.trust,
        reference_data,
        stamps,
        stamping=False,
        variants=lambda: _cadena_variants(document, cadena, dependencies),
    )
    unknown = tuple(dependencies.structure.unknown_complements(document.root))
    complements = complement_names(document.root)
    return DocumentReading(
        document, reference_data, cadena, faults, nodes, context, complements, unknown, has_schema, has_cadena
    )


def _rule_sets_of(reading: DocumentReading, engine: Engine) -> dict[str, str]:
    """Return the rule sets of the document's complements: qualified name of the complement -> rule set."""
    rule_sets = _complement_rule_sets(engine, reading.document.version)
    return {tag: rule_sets[tag] for tag in reading.complements if tag in rule_sets}


@lru_cache(maxsize=16)
def _complement_rule_sets(engine: Engine, version: str) -> Mapping[str, str]:
    """Return the rule sets of complements for a version of the document: qualified name of the complement -> name."""
    return {
        rule_set.complement.TAG: rule_set.name
        for rule_set in engine.rule_sets
        if rule_set.complement is not None and version in rule_set.versions
    }


def _outline(parsed: Document) -> FiscalDocument:
    """Return the nodes that the checks of the seal read, from a document whose structure may be wrong."""
    root = parsed.root
    emisor = root.find("{*}Emisor")
    if emisor is None:
        emisor = etree.Element("Emisor")
    document: Comprobante | comprobante32.Comprobante | retenciones20.Retenciones | retenciones10.Retenciones
    if parsed.version in comprobante32.VERSIONS:
        document = comprobante32.Comprobante(root)
        document.emisor = comprobante32.Emisor(emisor)
    elif root.tag == retenciones10.TAG:
        document = retenciones10.Retenciones(root)
        document.emisor = retenciones10.Emisor(emisor)
    elif root.tag == retenciones20.TAG:
        document = retenciones20.Retenciones(root)
        document.emisor = retenciones20.Emisor(emisor)
    else:
        document = Comprobante(root)
        document.emisor = Emisor(emisor)
    complements = root.iterfind("{*}Complemento")
    document.complementos = tuple(child for complement in complements for child in complement.iterchildren("*"))
    return document


def _cadena_variants(document: Document, cadena: str, dependencies: EvaluationServices) -> Iterator[CadenaVariant]:
    """Yield variants of short cadenas only: each variant costs as much as the cadena itself."""
    if len(cadena) <= MAX_CADENA_LENGTH:
        yield from document_variants(dependencies.cadena, document.root, document.version)


def _evaluate(reading: DocumentReading, dependencies: EvaluationServices) -> DocumentEvaluation:
    context, reference_data, nodes = reading.seals, reading.reference_data, reading.nodes
    if not reading.faults and not reading.is_withdrawn:
        reference_data = dependencies.related.with_related(reference_data, nodes)
        if not context.stamps and nodes.Version == STAMPED_VERSION:
            # The keys of other documents, which are or were stamped elsewhere, are in no registry of this server.
            reference_data = dependencies.confirmations.with_key(reference_data, nodes)
    issuer = examine_issuer(
        context, reading.document.version, dependencies.certificate_hint, has_cadena=reading.has_cadena
    )
    issuer = downgrade_stale(_without_faulted(issuer, reading), reference_data, context.issued)
    rules = _rules_result(reading, reference_data, dependencies)
    return DocumentEvaluation(issuer, None if rules is None else downgrade_stale(rules, reference_data, context.issued))


def _without_faulted(result: EvaluationResult, reading: DocumentReading) -> EvaluationResult:
    """Return the result without findings about values that have a structure fault, or whose element is absent.

    A seal that the schema rejects is also no seal of the document.
    """
    if not reading.faults:
        return result
    faulted = {fault.path for fault in reading.faults} - {"@Sello", "@sello"}
    if reading.document.root.find("{*}Emisor") is None:
        faulted |= {"Emisor/@Rfc", "Emisor/@RfcE", "Emisor/@RFCEmisor", "Emisor/@rfc"}
    return replace(result, findings=tuple(finding for finding in result.findings if finding.path not in faulted))


def _rules_result(
    reading: DocumentReading, reference_data: ReferenceData, dependencies: EvaluationServices
) -> EvaluationResult | None:
    """Evaluate the rules: all, or with structure faults those that read sound parts only."""
    profile, engine, nodes = dependencies.profiles.validate, dependencies.engine, reading.nodes
    if reading.is_withdrawn:
        return EvaluationResult()
    check: Callable[[FiscalDocument, ReferenceData, Profile], EvaluationResult | None] = engine.check_by_cause
    if reading.faults:
        sound = sound_parts(reading.document.root, dependencies.structure)
        if sound is None:
            return None
        try:
            reference_data = dependencies.related.with_related(reference_data, sound)
        except UnsoundPartError:
            reference_data = replace(reference_data, related=None)
        check, nodes = engine.check_sound_parts, sound
    first, later = since_start(reading.document.root, reference_data, engine)
    result = check(nodes, first, profile)
    for data, names in later:
        since = check(nodes, data, profile)
        result = None if result is None or since is None else with_rule_sets(result, since, names)
    return result

"""The examination of one document: structure, seal, declarations and rules, without the authority's services."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lxml import etree

from timbra.cfdi.cadena_variants import MAX_CADENA_LENGTH, CadenaVariant, document_variants
from timbra.cfdi.document import Document
from timbra.cfdi.nodes import Comprobante, Emisor, walk
from timbra.cfdi.structure import StructureFault
from timbra.pools import RunInThread
from timbra.rules.engine.ports import ReferenceData
from timbra.rules.engine.profiles import VALIDATE
from timbra.rules.engine.result import EvaluationResult
from timbra.rules.rulesets import certificates as seals
from timbra.rules.rulesets import declarations as shape
from timbra.rules.rulesets.certificates.context import SealContext
from timbra.rules.rulesets.declarations.context import ByNamespace, ShapeContext
from timbra.rules.shared.list_freshness import downgrade_stale
from timbra.service.evaluation.dependencies import Dependencies
from timbra.service.evaluation.mentioned_identifiers import rfcs_in
from timbra.store.database.event_loop import DatabaseOnEventLoopError, in_memory_only, in_memory_or_thread


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """The content of the document.

    Attributes:
        faults: violations of the SAT's schemas.
        comprobante: the nodes; with faults only those that the checks of the seal read.
        seals: certificate, seal and stamps.
    """

    document: Document
    reference_data: ReferenceData
    cadena: str
    faults: tuple[StructureFault, ...]
    comprobante: Comprobante
    seals: SealContext


@dataclass(frozen=True, slots=True)
class DocumentEvaluation:
    """The results of the checks that use lists and rules.

    Attributes:
        issuer: results of the checks of the issuer's certificate and seal.
        rules: results of the rule sets, those of complements included; None when the structure has faults.
    """

    issuer: EvaluationResult
    rules: EvaluationResult | None


@dataclass(frozen=True, slots=True)
class ExaminedDocument:
    """A Comprobante of a version that the server validates, with all results.

    Attributes:
        declarations: results of the checks of namespaces and schema locations.
    """

    reading: DocumentReading
    declarations: EvaluationResult
    evaluation: DocumentEvaluation

    @property
    def root(self) -> etree._Element:
        return self.reading.document.root

    @property
    def version(self) -> str:
        return self.reading.document.version


async def examine(
    document: Document, dependencies: Dependencies, standards: ByNamespace, run_in_thread: RunInThread
) -> ExaminedDocument:
    """Examine a CFDI 3.3 or 4.0, whatever errors it has.

    Args:
        document: the parsed document.
        dependencies: the services that stamping uses too.
        standards: the XML standards that have schemas in the snapshot, by namespace.
        run_in_thread: runs look-ups that need the database.
    """
    reference_data = await in_memory_or_thread(dependencies.reference_data, run_in_thread=run_in_thread)
    reading = _read(document, reference_data, dependencies)
    declarations = shape.examine(document.root, _shape_context(reading, dependencies, standards))
    evaluation = await _evaluate(reading, dependencies, run_in_thread)
    return ExaminedDocument(reading, declarations, evaluation)


def _read(document: Document, reference_data: ReferenceData, dependencies: Dependencies) -> DocumentReading:
    cadena = dependencies.cadena.build(document.root, document.version)
    faults = tuple(dependencies.structure.check(document.root))
    comprobante = _outline(document.root) if faults else walk(document.root)
    context = SealContext.of(
        comprobante, cadena, dependencies.certificates, dependencies.trust, reference_data, stamping=False
    )
    context = replace(context, variants=lambda: _cadena_variants(document, cadena, dependencies))
    return DocumentReading(document, reference_data, cadena, faults, comprobante, context)


def _outline(root: etree._Element) -> Comprobante:
    """Return the nodes that the checks of the seal read, from a document whose structure may be wrong."""
    comprobante = Comprobante(root)
    emisor = root.find("{*}Emisor")
    comprobante.emisor = Emisor(etree.Element("Emisor") if emisor is None else emisor)
    complements = root.iterfind("{*}Complemento")
    comprobante.complementos = tuple(child for complement in complements for child in complement.iterchildren("*"))
    return comprobante


def _cadena_variants(document: Document, cadena: str, dependencies: Dependencies) -> Iterator[CadenaVariant]:
    """Yield variants of short cadenas only: each variant costs as much as the cadena itself."""
    if len(cadena) <= MAX_CADENA_LENGTH:
        yield from document_variants(dependencies.cadena, document.root, document.version)


def _shape_context(reading: DocumentReading, dependencies: Dependencies, standards: ByNamespace) -> ShapeContext:
    version = reading.document.version
    return ShapeContext(
        version=version,
        standards=standards,
        sealed=dependencies.cadena.complements(version),
        stamped=bool(reading.seals.stamps),
    )


async def _evaluate(
    reading: DocumentReading, dependencies: Dependencies, run_in_thread: RunInThread
) -> DocumentEvaluation:
    """Evaluate on the event loop; in a thread when the database has to be read."""
    try:
        with in_memory_only():
            return _evaluate_with_lists(reading, dependencies)
    except DatabaseOnEventLoopError:
        return await run_in_thread(_evaluate_with_database, reading, dependencies)


def _evaluate_with_database(reading: DocumentReading, dependencies: Dependencies) -> DocumentEvaluation:
    dependencies.gather(rfcs_in(reading.document.root))
    return _evaluate_with_lists(reading, dependencies)


def _evaluate_with_lists(reading: DocumentReading, dependencies: Dependencies) -> DocumentEvaluation:
    context, reference_data, comprobante = reading.seals, reading.reference_data, reading.comprobante
    if not reading.faults:
        reference_data = dependencies.related.with_related(reference_data, comprobante)
    issuer = seals.examine(context, seals.ISSUER[reading.document.version])
    issuer = downgrade_stale(issuer, reference_data, context.issued)
    if reading.faults:
        return DocumentEvaluation(issuer, None)
    rules = dependencies.engine.check(comprobante, reference_data, VALIDATE)
    return DocumentEvaluation(issuer, downgrade_stale(rules, reference_data, context.issued))

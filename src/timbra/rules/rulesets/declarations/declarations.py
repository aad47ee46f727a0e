"""Declarations of the document and of its complements: namespaces, xsi:schemaLocation, prefixes and places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lxml import etree

from timbra.cfdi.namespaces import (
    SCHEMA_LOCATION,
    Declarations,
    DeclaredComplement,
    count_misplaced_stamps,
    schema_location_pairs,
)
from timbra.cfdi.structure import XmlStandard
from timbra.cfdi.tfd import TFD
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.declarations.sources import CATALOGS, STANDARDS
from timbra.rules.shared.version_starts import issue_day, start_of

MAX_SHOWN = 5
"""Namespaces that a finding lists."""
ROOTS = ("Comprobante", "Retenciones")
HOLDERS = ("Complemento", "ComplementoConcepto")


ByNamespace = Mapping[str, tuple[XmlStandard, ...]]


@dataclass(frozen=True, slots=True)
class DeclarationsContext:
    """A version of the invoice, its standards and whether the document is stamped.

    Attributes:
        version: version of Comprobante.
        standards: XML standards by namespace.
        sealed: namespaces that the version's stylesheet includes in the cadena original.
        stamped: whether the document has a stamp.
    """

    version: str
    standards: ByNamespace
    sealed: frozenset[str]
    stamped: bool
    _locations: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def locations(self, namespace: str) -> tuple[str, ...]:
        """Return SAT's addresses of the schemas of a namespace, for the version of the document; empty when unknown."""
        found = self._locations.get(namespace)
        if found is None:
            known = self.standards.get(namespace, ())
            found = tuple([each.location for each in known if not each.document or each.version == self.version])
            if known:
                self._locations[namespace] = found
        return found

    def prefix(self, namespace: str) -> str:
        """Return the SAT's prefix of a namespace that has a schema."""
        return self.standards[namespace][0].prefix


def by_namespace(standards: Iterable[XmlStandard]) -> ByNamespace:
    """Group XML standards by namespace."""
    found: dict[str, tuple[XmlStandard, ...]] = {}
    for standard in standards:
        found[standard.namespace] = (*found.get(standard.namespace, ()), standard)
    return found


def same_address(one: str, other: str) -> bool:
    """Whether two addresses of a schema differ at most in letter case and scheme."""
    if one == other:
        return True
    return one.casefold().removeprefix("https:").removeprefix("http:") == other.casefold().removeprefix("http:")


@rule(
    "CC3001",
    at="@xsi:schemaLocation",
    says="El atributo xsi:schemaLocation debe llevar el espacio de nombres del CFDI con la dirección de su esquema.",
    note=(
        "La pareja del espacio de nombres del comprobante y la dirección de su esquema en el SAT; puede haber otras."
    ),
    cites=STANDARDS,
)
def schema_of_the_invoice_is_declared(root: Declarations, context: DeclarationsContext) -> RuleResult:
    (expected, *_) = context.locations(root.namespace)
    pair = f"{root.namespace} {expected}"
    if root.pairs is None:
        hint = None if root.written is None else "Debe llevar parejas de espacio de nombres y dirección."
        return Violation(found=root.written, expected=pair, hint=hint)
    places = [place for namespace, place in root.pairs if namespace == root.namespace]
    if any(same_address(place, expected) for place in places):
        return None
    return Violation(found=places[0] if places else root.written, expected=pair)


@rule(
    "NS-PREFIJO",
    at="",
    says="Los nodos del documento deben llevar el prefijo de su estándar: cfdi, o retenciones.",
    severity=Severity.WARNING,
    cites=STANDARDS,
)
def root_has_the_prefix_of_its_standard(root: Declarations, context: DeclarationsContext) -> RuleResult:
    prefix, expected = root.element.prefix, context.prefix(root.namespace)
    return None if prefix == expected else Violation(found=prefix or "sin prefijo", expected=f"el prefijo {expected}")


@rule(
    "NS-SIN-USO",
    at="",
    says="Solo deben declararse los espacios de nombres que el comprobante usa.",
    severity=Severity.WARNING,
    cites=STANDARDS,
)
def declared_namespaces_are_used(root: Declarations, _context: DeclarationsContext) -> RuleResult:
    if not root.unused:
        return None
    return Violation(found=", ".join(root.unused[:MAX_SHOWN]), expected="solo los espacios de nombres que se usan")


@rule(
    "NS-REPETIDO",
    at="",
    says="Cada espacio de nombres debe declararse una sola vez.",
    note="Un prefijo por espacio de nombres y una dirección por esquema.",
    severity=Severity.WARNING,
    cites=STANDARDS,
)
def namespaces_are_declared_once(root: Declarations, _context: DeclarationsContext) -> RuleResult:
    declared = [namespace for _, namespace in root.declared]
    located = [namespace for namespace, _ in root.pairs or ()]
    if len({*declared}) == len(declared) and len({*located}) == len(located):
        return None
    repeated = [namespace for namespace, count in (Counter(declared) | Counter(located)).items() if count > 1]
    return Violation(found=", ".join(repeated[:MAX_SHOWN]), expected="cada espacio de nombres una sola vez")


@rule(
    "VERSION-FECHA",
    at="@Fecha",
    says="La fecha del documento no debe ser anterior al primer día de su versión.",
    note="Las demás reglas se evalúan con los catálogos de ese primer día.",
    cites=CATALOGS,
)
def version_has_begun(root: Declarations, _context: DeclarationsContext) -> RuleResult:
    start, day = start_of(root.element), issue_day(root.element)
    if start is None or not "" < day < start.isoformat():
        return None
    at = "@Fecha" if root.element.get("Fecha") else "@FechaExp"
    version = root.element.get("Version")
    return Violation(found=day, expected=f"{start.isoformat()} o después, para la versión {version}", at=at)


@rule(
    "TFD-LUGAR",
    at="",
    says="El timbre debe estar dentro de Complemento.",
    cites=STANDARDS,
)
def stamps_are_in_complemento(root: Declarations, _context: DeclarationsContext) -> RuleResult:
    count = count_misplaced_stamps(root.element)
    if not count:
        return None
    found = "un timbre fuera de Complemento" if count == 1 else f"{count} timbres fuera de Complemento"
    return Violation(found=found, expected="TimbreFiscalDigital dentro de Complemento")


@rule(
    "CO1001",
    at="Complemento",
    says="El complemento debe llevar el prefijo y el nombre de su estándar.",
    note=(
        "El prefijo y el elemento que el SAT usa con ese espacio de nombres. Un espacio de nombres "
        "que difiere solo en mayúsculas o en la barra final se toma por el mismo, mal escrito."
    ),
    cites=STANDARDS,
)
def complement_has_prefix_and_name_of_its_standard(
    complement: DeclaredComplement, context: DeclarationsContext
) -> RuleResult:
    """A namespace that differs from SAT's in letter case or final slash only is reported as a misspelling of it."""
    known = context.standards.get(complement.namespace)
    found = f"{complement.prefix}:{complement.name}".lstrip(":")
    if known is None:
        plain = complement.namespace.casefold().rstrip("/")
        similar = [namespace for namespace in context.standards if namespace.casefold() == plain]
        return Violation(found=complement.namespace, expected=similar[0]) if similar else None
    if any((complement.prefix, complement.name) == (each.prefix, each.element) for each in known):
        return None
    return Violation(found=found, expected=f"{known[-1].prefix}:{known[-1].element}")


@rule(
    "CO1002",
    at="Complemento",
    says="El espacio de nombres del complemento debe declararse en Comprobante.",
    note="Solo el timbre declara su propio espacio de nombres.",
    cites=STANDARDS,
)
def namespace_is_declared_at_the_root(complement: DeclaredComplement, _context: DeclarationsContext) -> RuleResult:
    """The stamp may declare its own namespace."""
    if complement.namespace == TFD or complement.home in (*ROOTS, *HOLDERS):
        return None
    return Violation(found=f"declarado en {complement.home}", expected=_declared(complement))


@rule(
    "CO1003",
    at="Complemento",
    says="El esquema del complemento debe declararse en xsi:schemaLocation de Comprobante.",
    cites=STANDARDS,
)
def schema_is_declared_at_the_root(complement: DeclaredComplement, context: DeclarationsContext) -> RuleResult:
    if complement.namespace == TFD:
        return None
    places = [place for namespace, place in _root_pairs(complement) if namespace == complement.namespace]
    locations = context.locations(complement.namespace)
    if not places and complement.elsewhere:
        return None
    if not places:
        return Violation(found="sin su esquema", expected=_located(complement, locations))
    if not locations or any(same_address(place, known) for place in places for known in locations):
        return None
    return Violation(found=places[0], expected=_located(complement, locations))


@rule(
    "CO1004",
    at="Complemento",
    says="El espacio de nombres del complemento no debe declararse en el nodo Complemento.",
    cites=STANDARDS,
)
def namespace_is_not_declared_in_complemento(
    complement: DeclaredComplement, _context: DeclarationsContext
) -> RuleResult:
    if complement.namespace == TFD or complement.home not in HOLDERS:
        return None
    return Violation(found=f"declarado en {complement.home}", expected=_declared(complement))


@rule(
    "CO1005",
    at="Complemento",
    says="El esquema del complemento no debe declararse fuera de Comprobante.",
    cites=STANDARDS,
)
def schema_is_declared_at_the_root_only(complement: DeclaredComplement, context: DeclarationsContext) -> RuleResult:
    if complement.namespace == TFD or not complement.elsewhere:
        return None
    found = f"xsi:schemaLocation de {complement.elsewhere[0]}"
    return Violation(found=found, expected=_located(complement, context.locations(complement.namespace)))


@rule(
    "SELLO-COMPLEMENTO",
    at="Complemento",
    says="El complemento no forma parte de la cadena original.",
    note=(
        "Lo que la hoja de estilo de la versión omite no está en la cadena original: cambiarlo no invalida el sello."
    ),
    severity=Severity.WARNING,
    cites=STANDARDS,
)
def complement_is_in_the_cadena(complement: DeclaredComplement, context: DeclarationsContext) -> RuleResult:
    """The stylesheet of the version may omit a complement; a change of it does not invalidate the seal."""
    if complement.namespace == TFD or complement.namespace in context.sealed:
        return None
    return Violation(
        found=complement.namespace,
        expected=f"un complemento que la cadena original de CFDI {context.version} incluya",
        hint="El sello del emisor no protege estos datos.",
    )


def _root_pairs(complement: DeclaredComplement) -> tuple[tuple[str, str], ...]:
    root = complement.element.getroottree().getroot()
    return schema_location_pairs(root.get(SCHEMA_LOCATION)) or ()


def _root(complement: DeclaredComplement) -> str:
    """Return the name of the root element."""
    return str(etree.QName(complement.element.getroottree().getroot()).localname)


def _declared(complement: DeclaredComplement) -> str:
    return f'xmlns:{complement.prefix}="{complement.namespace}" en {_root(complement)}'


def _located(complement: DeclaredComplement, locations: tuple[str, ...]) -> str:
    place = locations[-1] if locations else "la dirección de su esquema"
    return f"«{complement.namespace} {place}» en xsi:schemaLocation de {_root(complement)}"


@rule(
    "COMPLEMENTO-FECHA",
    at="Complemento",
    says="La fecha del documento no debe ser anterior al primer día de la versión de su complemento.",
    note="Las reglas del complemento se evalúan con los catálogos de ese primer día.",
    cites=CATALOGS,
)
def version_of_complement_has_begun(complement: DeclaredComplement, _context: DeclarationsContext) -> RuleResult:
    start = start_of(complement.element)
    if start is None:
        return None
    root = complement.element.getroottree().getroot()
    day, begun = issue_day(root), start_of(root)
    if not "" < day < start.isoformat() or (begun is not None and start <= begun):
        return None
    version = complement.element.get("Version")
    return Violation(found=day, expected=f"{start.isoformat()} o después, para {complement.name} {version}")

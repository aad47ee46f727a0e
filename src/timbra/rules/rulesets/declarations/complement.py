"""Declarations of complements: CO1001 to CO1005, and whether the cadena original includes the complement."""

from __future__ import annotations

from lxml import etree

from timbra.cfdi.namespaces import SCHEMA_LOCATION, DeclaredComplement, schema_location_pairs
from timbra.cfdi.tfd import TFD
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.declarations.context import DeclarationsContext, same_address
from timbra.rules.rulesets.declarations.sources import CATALOGS, STANDARDS
from timbra.rules.shared.version_starts import issue_day, start_of

ROOTS = ("Comprobante", "Retenciones")
HOLDERS = ("Complemento", "ComplementoConcepto")


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

"""How complements are declared: CO1001 to CO1005, and whether the seal covers them."""

from __future__ import annotations

from timbra.cfdi.namespaces import SCHEMA_LOCATION, DeclaredComplement, schema_location_pairs
from timbra.cfdi.tfd import TFD
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.declarations.context import ShapeContext, same_address

ROOT = "Comprobante"
HOLDERS = ("Complemento", "ComplementoConcepto")


@rule("CO1001", at="Complemento")
def complement_has_its_name(complement: DeclaredComplement, context: ShapeContext) -> RuleResult:
    """SAT's prefix and element for the namespace. One that differs from SAT's in case or slash is the same misspelt."""
    known = context.standards.get(complement.namespace)
    found = f"{complement.prefix}:{complement.name}".lstrip(":")
    if known is None:
        plain = complement.namespace.casefold().rstrip("/")
        meant = [namespace for namespace in context.standards if namespace.casefold() == plain]
        return Violation(found=complement.namespace, expected=meant[0]) if meant else None
    if any((complement.prefix, complement.name) == (one.prefix, one.element) for one in known):
        return None
    return Violation(found=found, expected=f"{known[-1].prefix}:{known[-1].element}")


@rule("CO1002", at="Complemento")
def namespace_is_declared_at_the_root(complement: DeclaredComplement, _context: ShapeContext) -> RuleResult:
    """The stamp alone declares its own."""
    if complement.namespace == TFD or complement.home in (ROOT, *HOLDERS):
        return None
    return Violation(found=f"declarado en {complement.home}", expected=_declared(complement))


@rule("CO1003", at="Complemento")
def schema_is_told_at_the_root(complement: DeclaredComplement, context: ShapeContext) -> RuleResult:
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


@rule("CO1004", at="Complemento")
def namespace_is_not_declared_in_between(complement: DeclaredComplement, _context: ShapeContext) -> RuleResult:
    if complement.namespace == TFD or complement.home not in HOLDERS:
        return None
    return Violation(found=f"declarado en {complement.home}", expected=_declared(complement))


@rule("CO1005", at="Complemento")
def schema_is_told_nowhere_else(complement: DeclaredComplement, context: ShapeContext) -> RuleResult:
    if complement.namespace == TFD or not complement.elsewhere:
        return None
    told = f"xsi:schemaLocation de {complement.elsewhere[0]}"
    return Violation(found=told, expected=_located(complement, context.locations(complement.namespace)))


@rule("SELLO-COMPLEMENTO", at="Complemento", severity=Severity.WARNING)
def complement_is_sealed(complement: DeclaredComplement, context: ShapeContext) -> RuleResult:
    """What the version's stylesheet leaves out is not in the cadena original: whoever changes it breaks no seal."""
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


def _declared(complement: DeclaredComplement) -> str:
    return f'xmlns:{complement.prefix}="{complement.namespace}" en {ROOT}'


def _located(complement: DeclaredComplement, locations: tuple[str, ...]) -> str:
    place = locations[-1] if locations else "la dirección de su esquema"
    return f"«{complement.namespace} {place}» en xsi:schemaLocation de {ROOT}"

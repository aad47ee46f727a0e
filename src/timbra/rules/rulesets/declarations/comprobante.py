"""What the root declares: CC3001, its prefix, idle and repeated namespaces; a stamp outside of its place."""

from __future__ import annotations

from collections import Counter

from timbra.cfdi.namespaces import Declarations, count_misplaced_stamps
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.declarations.context import ShapeContext, same_address

AT = "@xsi:schemaLocation"
SHOWN = 5
NEVER_ACCEPTED = frozenset({"TFD-LUGAR"})
"""What no stamp excuses."""


@rule("CC3001", at=AT)
def schema_of_the_invoice_is_told(root: Declarations, context: ShapeContext) -> RuleResult:
    """A pair of the invoice's namespace and SAT's address of its schema, whatever pairs stand beside it."""
    (expected, *_) = context.locations(root.namespace)
    pair = f"{root.namespace} {expected}"
    if root.pairs is None:
        hint = None if root.written is None else "Debe llevar parejas de espacio de nombres y dirección."
        return Violation(found=root.written, expected=pair, hint=hint)
    places = [place for namespace, place in root.pairs if namespace == root.namespace]
    if any(same_address(place, expected) for place in places):
        return None
    return Violation(found=places[0] if places else root.written, expected=pair)


@rule("NS-PREFIJO", at="", severity=Severity.WARNING)
def root_has_its_prefix(root: Declarations, _context: ShapeContext) -> RuleResult:
    prefix = root.element.prefix
    return None if prefix == "cfdi" else Violation(found=prefix or "sin prefijo", expected="el prefijo cfdi")


@rule("NS-SIN-USO", at="", severity=Severity.WARNING)
def declared_namespaces_are_used(root: Declarations, _context: ShapeContext) -> RuleResult:
    if not root.unused:
        return None
    return Violation(found=", ".join(root.unused[:SHOWN]), expected="solo los espacios de nombres que se usan")


@rule("NS-REPETIDO", at="", severity=Severity.WARNING)
def namespaces_are_declared_once(root: Declarations, _context: ShapeContext) -> RuleResult:
    """One prefix for each namespace, one address for each schema."""
    declared = [namespace for _, namespace in root.declared]
    located = [namespace for namespace, _ in root.pairs or ()]
    if len({*declared}) == len(declared) and len({*located}) == len(located):
        return None
    twice = [namespace for namespace, count in (Counter(declared) | Counter(located)).items() if count > 1]
    return Violation(found=", ".join(twice[:SHOWN]), expected="cada espacio de nombres una sola vez")


@rule("TFD-LUGAR", at="")
def stamps_stand_in_the_complement(root: Declarations, _context: ShapeContext) -> RuleResult:
    count = count_misplaced_stamps(root.element)
    if not count:
        return None
    found = "un timbre fuera de Complemento" if count == 1 else f"{count} timbres fuera de Complemento"
    return Violation(found=found, expected="TimbreFiscalDigital dentro de Comprobante/Complemento")

"""Declarations of the root: CC3001, its prefix, unused and repeated namespaces; stamps outside of Complemento."""

from __future__ import annotations

from collections import Counter

from timbra.cfdi.namespaces import Declarations, count_misplaced_stamps
from timbra.rules.engine.result import RuleResult, Severity, Violation
from timbra.rules.engine.rule import rule
from timbra.rules.rulesets.declarations.context import DeclarationsContext, same_address
from timbra.rules.rulesets.declarations.sources import CATALOGS, STANDARDS
from timbra.rules.shared.version_starts import issue_day, start_of

MAX_SHOWN = 5
"""Namespaces that a finding lists."""


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

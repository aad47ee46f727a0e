"""What the checks of a document's declarations need beside the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from timbra.cfdi.structure import XmlStandard

PROVIDERS = "SAT, estándares de CFDI y complementos: uso de los espacios de nombres; códigos del proveedor"

ByNamespace = Mapping[str, tuple[XmlStandard, ...]]


@dataclass(frozen=True, slots=True)
class ShapeContext:
    """version: of the Comprobante. standards: by namespace. sealed: namespaces that its stylesheet includes.

    stamped: whether the document carries a stamp.
    """

    version: str
    standards: ByNamespace
    sealed: frozenset[str]
    stamped: bool

    def locations(self, namespace: str) -> tuple[str, ...]:
        """SAT's addresses of the namespace's schemas, those of the invoice by its version; empty when unknown."""
        known = self.standards.get(namespace, ())
        return tuple(one.location for one in known if not one.invoice or one.version == self.version)


def by_namespace(standards: Iterable[XmlStandard]) -> ByNamespace:
    found: dict[str, tuple[XmlStandard, ...]] = {}
    for standard in standards:
        found[standard.namespace] = (*found.get(standard.namespace, ()), standard)
    return found


def same_address(one: str, other: str) -> bool:
    """Whether two addresses of a schema are the same but for case and scheme."""
    return one.casefold().removeprefix("https:").removeprefix("http:") == other.casefold().removeprefix("http:")

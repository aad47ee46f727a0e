"""The data that the rules about declarations evaluate in addition to the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from timbra.cfdi.structure import XmlStandard

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

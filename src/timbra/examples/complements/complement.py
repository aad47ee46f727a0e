"""A complement in its smallest form, and the invoices that carry it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from timbra.examples.cfdi33 import FECHA_33, ingreso33
from timbra.examples.cfdi40 import ingreso
from timbra.examples.comprobante import CFDI33, CFDI40, FECHA, ExampleStandard, with_schema
from timbra.examples.tree import Change, ExampleNode

SAT = "http://www.sat.gob.mx/"
SCHEMAS = f"{SAT}sitio_internet/cfd/"
BOTH = ("4.0", "3.3")
OLD = ("3.3",)
"""Complements that CFDI 4.0 has replaced, or for which it has no cadena original."""
COMPLEMENTO_CONCEPTO = "Conceptos/Concepto/ComplementoConcepto"

Carrier = Callable[..., str]
"""A builder of invoices that takes changes and `fecha`."""


@dataclass(frozen=True, slots=True)
class Complement:
    """A builder: calling it makes the invoice as text, unsealed, as `timbra.examples.ingreso` does.

    namespace, location: below SAT's addresses. version: of the complement, "" where it has none. node: made for a date.
    versions: of the invoices that carry it, the usual first. prepared: what the invoice changes for it. until: a Fecha
    of its last day, for what another edition has replaced since.
    """

    name: str
    namespace: str
    location: str
    version: str
    node: Callable[[str], ExampleNode]
    versions: Sequence[str] = BOTH
    in_concepto: bool = False
    carriers: Mapping[str, Carrier] = field(default_factory=lambda: INVOICES)
    prepared: Mapping[str, Change] = field(default_factory=dict)
    until: str = ""

    def __call__(
        self, changes: Mapping[str, Change] | None = None, *, fecha: str | None = None, version: str | None = None
    ) -> str:
        """version: of the invoice; KeyError when none of that version carries the complement."""
        carrier = {known: self.carriers[known] for known in self.versions}[version or self.versions[0]]
        standard = STANDARDS[version or self.versions[0]]
        usual = DATES[standard.version]
        date = fecha or (min(usual, self.until) if self.until else usual)
        return carrier({**self.changes(standard, date), **self.prepared, **(changes or {})}, fecha=date)

    def changes(self, standard: ExampleStandard, fecha: str) -> dict[str, Change]:
        """The changes that put it into an invoice."""
        node = self.node(fecha)
        prefix = node.name.partition(":")[0]
        holder = COMPLEMENTO_CONCEPTO if self.in_concepto else "Complemento"
        return {
            f"@xmlns:{prefix}": SAT + self.namespace,
            "@xsi:schemaLocation": with_schema(SAT + self.namespace, SCHEMAS + self.location, standard),
            holder: ExampleNode(f"cfdi:{holder.rpartition('/')[2]}", children=[node]),
        }

    @property
    def tag(self) -> str:
        """The qualified name of its element: `{namespace}local`."""
        return f"{{{SAT}{self.namespace}}}{self.node(FECHA).local}"


INVOICES: Mapping[str, Carrier] = {"4.0": ingreso, "3.3": ingreso33}
STANDARDS = {standard.version: standard for standard in (CFDI40, CFDI33)}
DATES = {"4.0": FECHA, "3.3": FECHA_33}

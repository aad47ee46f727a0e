"""The view models of invoices and retenciones.

Texts are those of the document; keys of catalogs are followed by the SAT's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, TypedDict


@dataclass(frozen=True, slots=True)
class Field:
    """A Spanish label and its value; never empty."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class PartyView:
    """Emisor, Receptor or a third party.

    Attributes:
        path: its path in the document, in the form of findings.
    """

    path: str
    rfc: str
    nombre: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Tax:
    """A tax.

    Attributes:
        kind: `Traslado` or `Retención`.
        impuesto: its name, such as IVA.
        tasa: as printed, such as `16 %`.
    """

    path: str
    kind: str
    impuesto: str
    tasa: str
    base: str
    importe: str


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """A Concepto.

    Attributes:
        producto: the SAT's name of ClaveProdServ.
    """

    path: str
    clave: str
    producto: str
    identificacion: str
    cantidad: str
    unidad: str
    descripcion: str
    valor_unitario: str
    descuento: str
    importe: str
    impuestos: tuple[Tax, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class FieldsBlock:
    """The attributes of one element of a complement.

    Attributes:
        title: the element's title; empty for the complement itself, whose section has it.
        level: depth of the element below the complement.
    """

    path: str
    title: str
    level: int
    fields: tuple[Field, ...]
    kind: str = field(default="fields", init=False)


@dataclass(frozen=True, slots=True)
class ViewColumn:
    """A column of a table.

    Attributes:
        numeric: whether its values are numbers, which are aligned to the right.
    """

    label: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """One element as a row of a table.

    Attributes:
        cells: one text for each column.
        details: other attributes, and the descendants.
    """

    path: str
    cells: tuple[str, ...]
    details: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class TableBlock:
    """Elements of one name as a table.

    Attributes:
        totals: attributes of the parent that sum up the rows.
    """

    path: str
    title: str
    level: int
    columns: tuple[ViewColumn, ...]
    rows: tuple[TableRow, ...]
    totals: tuple[Field, ...] = ()
    kind: str = field(default="table", init=False)


@dataclass(frozen=True, slots=True)
class SideBySideBlock:
    """Two tables next to each other, such as perceptions and deductions."""

    left: TableBlock
    right: TableBlock
    kind: str = field(default="side-by-side", init=False)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A QR code besides that of the document.

    Attributes:
        url: the content of the code.
        png: the picture.
    """

    title: str
    url: str
    png: bytes
    kind: str = field(default="code", init=False)


@dataclass(frozen=True, slots=True)
class SignatureBlock:
    """A place to sign.

    Attributes:
        name: who signs.
        text: what is signed.
    """

    name: str
    text: str
    kind: str = field(default="signature", init=False)


Block = FieldsBlock | TableBlock | SideBySideBlock | CodeBlock | SignatureBlock


@dataclass(frozen=True, slots=True)
class Section:
    """A complement.

    Attributes:
        left_out: number of its elements beyond the limit.
    """

    path: str
    title: str
    blocks: tuple[Block, ...]
    left_out: int = 0

    def paths(self) -> Iterator[str]:
        """Yield its path and those of its displayed elements."""
        yield self.path
        for block in self.blocks:
            match block:
                case FieldsBlock():
                    yield block.path
                case TableBlock():
                    yield from (row.path for row in block.rows)
                case SideBySideBlock():
                    yield from (row.path for table in (block.left, block.right) for row in table.rows)


@dataclass(frozen=True, slots=True)
class Headline:
    """The amount that the document is about.

    Attributes:
        label: such as `Total`, `Monto pagado` or `Neto a pagar`.
        amount: with thousands separators, without currency.
        words: the amount with words; empty when the currency has none.
    """

    label: str
    amount: str
    moneda: str
    words: str


@dataclass(frozen=True, slots=True)
class Relation:
    """CfdiRelacionados.

    Attributes:
        left_out: number of its folios that are not displayed.
    """

    path: str
    tipo: str
    folios: tuple[str, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class StampView:
    """The data of the stamp that a printed invoice must have.

    Attributes:
        cadena: cadena original of the stamp.
    """

    uuid: str
    fecha: str
    provider: str
    no_certificado: str
    sello_cfd: str
    sello_sat: str
    cadena: str


class Certification(TypedDict):
    """The values of a document that every kind has and that do not depend on its contents, see `DocumentView`."""

    version: str
    sello: str
    stamp: StampView | None
    qr: bytes | None
    legends: tuple[str, ...]
    fiscal_effect: bool
    unverified: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """A document of any kind, valid or not; absent values are empty.

    Attributes:
        relations_left_out: number of relations that are not displayed.
        title: name of this kind of document for its reader, such as `Nota de crédito`.
        totals: amounts before the total.
        total: the amount of the verification URL.
        headline: the amount that the document is about.
        complements_left_out: number of complements beyond the limit of elements.
        cancelled: whether the document is known to be cancelled.
        qr: PNG, None without the data of the verification URL.
        legends: sentences that the printed document must have.
        unverified: warning on every page when the stamp is absent or not valid, empty otherwise.
    """

    kind: ClassVar[str]
    """Name of the kind of document."""

    title: str
    version: str
    serie: str
    folio: str
    fecha: str
    head: tuple[Field, ...]
    emisor: PartyView
    receptor: PartyView
    relations: tuple[Relation, ...]
    relations_left_out: int
    totals: tuple[Field, ...]
    total: str
    moneda: str
    headline: Headline
    complements: tuple[Section, ...]
    complements_left_out: int
    sello: str
    stamp: StampView | None
    qr: bytes | None
    legends: tuple[str, ...]
    fiscal_effect: bool
    unverified: str
    cancelled: bool = False

    def part_paths(self) -> Iterator[str]:
        """Yield the path of every displayed part to which a finding may refer."""
        yield from (self.emisor.path, self.receptor.path)
        yield from (relation.path for relation in self.relations)
        for section in self.complements:
            yield from section.paths()


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceView(DocumentView):
    """A CFDI 3.3 or 4.0.

    Attributes:
        shows_lines: whether the Conceptos are what the document is about; not in payments and payrolls.
        lines_left_out: number of Conceptos beyond the limit.
        transport_totals: totals of a Carta Porte.
    """

    kind = "CFDI"

    tipo: str
    shows_lines: bool
    lines: tuple[InvoiceLine, ...]
    lines_left_out: int
    taxes: tuple[Tax, ...]
    transport_totals: tuple[Field, ...] = ()

    def part_paths(self) -> Iterator[str]:
        """Yield also the paths of Conceptos."""
        yield from DocumentView.part_paths(self)
        yield from (line.path for line in self.lines)


@dataclass(frozen=True, slots=True)
class WithheldTax:
    """A tax that is withheld: a row of Totales.

    Attributes:
        impuesto: its name, such as ISR; empty when absent.
        pago: kind of payment, with its name.
    """

    path: str
    impuesto: str
    pago: str
    base: str
    monto: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetencionView(DocumentView):
    """A CFDI de retenciones e información de pagos; `total` is MontoTotOperacion.

    Attributes:
        clave: CveRetenc with its name.
        descripcion: DescRetenc.
        periodo: the months, such as `Enero a Marzo de 2026`.
        taxes_left_out: number of taxes beyond the limit.
        retenido: MontoTotRet.
    """

    kind = "Retenciones"

    clave: str
    descripcion: str
    periodo: str
    taxes: tuple[WithheldTax, ...]
    taxes_left_out: int
    retenido: str

    def part_paths(self) -> Iterator[str]:
        """Yield also the paths of Periodo, Totales and its taxes."""
        yield from DocumentView.part_paths(self)
        yield from ("Periodo", "Totales", *(tax.path for tax in self.taxes))

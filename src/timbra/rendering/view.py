"""The view model of an invoice. Texts are those of the document; keys of catalogs are followed by the SAT's name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """A Spanish label and its value; never empty."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class InvoiceParty:
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
    """A Concepto."""

    path: str
    clave: str
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
class Branch:
    """An element of a complement with all of its attributes, and its child elements."""

    path: str
    name: str
    fields: tuple[Field, ...]
    branches: tuple[Branch, ...]


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


@dataclass(frozen=True, slots=True)
class InvoiceView:
    """A CFDI 3.3 or 4.0, valid or not; absent values are empty.

    Attributes:
        relations_left_out: number of CfdiRelacionados that are not displayed.
        lines_left_out: number of Conceptos beyond the limit.
        complements_left_out: number of complements beyond the limit of elements.
        qr: PNG, None without the data of the verification URL.
        legends: sentences that the printed invoice must have.
        unverified: warning on every page when the stamp is absent or not valid, empty otherwise.
    """

    version: str
    tipo: str
    serie: str
    folio: str
    fecha: str
    head: tuple[Field, ...]
    emisor: InvoiceParty
    receptor: InvoiceParty
    relations: tuple[Relation, ...]
    relations_left_out: int
    lines: tuple[InvoiceLine, ...]
    lines_left_out: int
    taxes: tuple[Tax, ...]
    totals: tuple[Field, ...]
    total: str
    moneda: str
    complements: tuple[Branch, ...]
    complements_left_out: int
    sello: str
    stamp: StampView | None
    qr: bytes | None
    legends: tuple[str, ...]
    fiscal_effect: bool
    unverified: str

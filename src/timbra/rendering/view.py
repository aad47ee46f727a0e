"""What people see of an invoice. Every text is as the document writes it, or SAT's name of a key beside the key."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """A word in Spanish and its value; never empty."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Party:
    """Emisor, Receptor or a third party. path: its place in the document, as findings tell it."""

    path: str
    rfc: str
    nombre: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Tax:
    """One tax. kind: `Traslado` or `Retención`; impuesto: its name, such as IVA; tasa: as printed, such as `16 %`."""

    path: str
    kind: str
    impuesto: str
    tasa: str
    base: str
    importe: str


@dataclass(frozen=True, slots=True)
class Line:
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
    """An element of a complement with all of its attributes, and what lies below."""

    path: str
    name: str
    fields: tuple[Field, ...]
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """CfdiRelacionados."""

    path: str
    tipo: str
    folios: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StampView:
    """The stamp as the printed invoice demands it. cadena: the cadena original of the stamp."""

    uuid: str
    fecha: str
    provider: str
    no_certificado: str
    sello_cfd: str
    sello_sat: str
    cadena: str


@dataclass(frozen=True, slots=True)
class InvoiceView:
    """A CFDI 3.3 or 4.0, right or wrong: what is absent is empty.

    lines_left_out: Conceptos beyond the number asked for. qr: PNG, None where nothing can be verified.
    legends: sentences that the printed invoice must carry.
    """

    version: str
    tipo: str
    serie: str
    folio: str
    fecha: str
    head: tuple[Field, ...]
    emisor: Party
    receptor: Party
    relations: tuple[Relation, ...]
    lines: tuple[Line, ...]
    lines_left_out: int
    taxes: tuple[Tax, ...]
    totals: tuple[Field, ...]
    total: str
    moneda: str
    complements: tuple[Branch, ...]
    sello: str
    stamp: StampView | None
    qr: bytes | None
    legends: tuple[str, ...]
    sandbox: bool

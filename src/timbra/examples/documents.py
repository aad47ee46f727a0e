"""Every minimal valid document by name: invoices, retenciones, and one for each complement with a schema of the SAT.

There is no example of the stamp, which only stamping creates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

from timbra.core.clock import to_central_mexico
from timbra.examples.cartaporte31 import carta_porte
from timbra.examples.cfdi33 import exportacion33, ingreso33, traslado33
from timbra.examples.cfdi40 import egreso, global_invoice, ingreso, traslado
from timbra.examples.comercio_exterior20 import exportacion
from timbra.examples.complements import COMPLEMENTS, Complement
from timbra.examples.complements.complement import SAT
from timbra.examples.ecc12 import estado_de_cuenta
from timbra.examples.hidrocarburos10 import gastos_hidrocarburos, ingresos_hidrocarburos
from timbra.examples.hidroypetro10 import gasolina
from timbra.examples.ine11 import ine
from timbra.examples.nomina12 import nomina
from timbra.examples.nomina12b import nomina33
from timbra.examples.pagos10 import pago10
from timbra.examples.pagos20 import pago
from timbra.examples.plataformas10 import TAG as PLATFORM_TAG
from timbra.examples.plataformas10 import plataforma
from timbra.examples.retenciones20 import RETENCION_COMPLEMENTS, retencion

AGE = timedelta(minutes=10)
"""Time between Fecha and the present, for documents that can be stamped."""
CURRENT_VERSIONS = frozenset({"4.0", "2.0"})
"""The versions of CFDI and Retenciones that can be stamped; examples of other versions have a Fecha of their time."""


class Builder(Protocol):
    """A function of `timbra.examples` that builds a document with a Fecha."""

    def __call__(self, *, fecha: str = ...) -> str: ...


@dataclass(frozen=True, slots=True)
class ExampleDocument:
    """An example document.

    Attributes:
        builders: builder by version of the document, the usual version first.
        tag: qualified name of the complement's element, `{namespace}local`; empty for a document without complement.
        version: version of the complement; empty when it has none.
        has_ended: whether the complement is no longer in force; the document then has a Fecha of its time.
    """

    name: str
    builders: Mapping[str, Builder]
    tag: str = ""
    version: str = ""
    has_ended: bool = False

    def default_fecha(self, invoice: str | None, now: datetime) -> str | None:
        """Return a Fecha shortly before an instant, with which the document can be stamped.

        Args:
            invoice: version of the document, as for `make`.

        Returns:
            None for a document that is no longer made, whose builder has a date of its time.
        """
        if self.has_ended or (invoice or next(iter(self.builders))) not in CURRENT_VERSIONS:
            return None
        return to_central_mexico(now - AGE)

    def make(self, invoice: str | None = None, fecha: str | None = None) -> str:
        """Build the document as text, unsealed.

        Args:
            invoice: version of the document; the first one of `builders` when not given.
            fecha: Fecha; the default of the builder when not given.

        Raises:
            KeyError: the document has no builder of that version.
        """
        chosen = invoice or next(iter(self.builders))
        build = self.builders[chosen]
        return build(fecha=fecha) if fecha else build()


def _by_book(name: str, tag: str, version: str, **builders: Builder) -> ExampleDocument:
    """Return a document of a complement that has a rule set, with builders for `cfdi40` and `cfdi33`."""
    made = {_VERSIONS[invoice]: builder for invoice, builder in builders.items()}
    return ExampleDocument(name, made, f"{{{SAT}{tag.partition(' ')[0]}}}{tag.partition(' ')[2]}", version)


def _by_schema(complement: Complement) -> ExampleDocument:
    builders = {version: partial(complement, version=version) for version in complement.versions}
    return ExampleDocument(complement.name, builders, complement.tag, complement.version, bool(complement.until))


_VERSIONS = {"cfdi40": "4.0", "cfdi33": "3.3"}
_INVOICES = (
    ExampleDocument("ingreso", {"4.0": ingreso, "3.3": ingreso33}),
    ExampleDocument("egreso", {"4.0": egreso}),
    ExampleDocument("traslado", {"4.0": traslado, "3.3": traslado33}),
    ExampleDocument("global", {"4.0": global_invoice}),
)
_BOOKS = (
    _by_book("cartaporte31", "CartaPorte31 CartaPorte", "3.1", cfdi40=carta_porte),
    _by_book("comercioexterior11", "ComercioExterior11 ComercioExterior", "1.1", cfdi33=exportacion33),
    _by_book("comercioexterior20", "ComercioExterior20 ComercioExterior", "2.0", cfdi40=exportacion),
    _by_book("ecc12", "EstadoDeCuentaCombustible12 EstadoDeCuentaCombustible", "1.2", cfdi40=estado_de_cuenta),
    _by_book("gastoshidrocarburos", "GastosHidrocarburos10 GastosHidrocarburos", "1.0", cfdi40=gastos_hidrocarburos),
    _by_book("hidroypetro", "hidrocarburospetroliferos HidroYPetro", "1.0", cfdi40=gasolina),
    _by_book(
        "ingresoshidrocarburos", "IngresosHidrocarburos10 IngresosHidrocarburos", "1.0", cfdi40=ingresos_hidrocarburos
    ),
    _by_book("ine11", "ine INE", "1.1", cfdi40=ine),
    _by_book("nomina12", "nomina12 Nomina", "1.2", cfdi40=nomina, cfdi33=nomina33),
    _by_book("pagos10", "Pagos Pagos", "1.0", cfdi33=pago10),
    _by_book("pagos20", "Pagos20 Pagos", "2.0", cfdi40=pago),
)
_RETENCIONES = (
    ExampleDocument("retencion", {"2.0": retencion}),
    *(ExampleDocument(f"retencion-{one.name}", {"2.0": one}, one.tag, one.version) for one in RETENCION_COMPLEMENTS),
    ExampleDocument("retencion-plataformastecnologicas", {"2.0": plataforma}, PLATFORM_TAG, "1.0"),
)

DOCUMENTS: dict[str, ExampleDocument] = {
    document.name: document
    for document in (
        *_INVOICES,
        *sorted((*_BOOKS, *map(_by_schema, COMPLEMENTS)), key=lambda each: each.name),
        *sorted(_RETENCIONES, key=lambda each: each.name),
    )
}
"""By name: the invoices first, then complements by name, then retenciones."""

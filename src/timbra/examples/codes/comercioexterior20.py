"""Documents and nodes for the examples of rules of Comercio Exterior 2.0."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.codes.example import CodeExampleBuilder, Example, at, example
from timbra.examples.comercio_exterior20 import (
    NAMESPACE,
    NUMBER,
    SCHEMA,
    complement,
    envio,
    exportacion,
    mercancia,
    pieces,
)
from timbra.examples.comprobante import CASAS, with_schema
from timbra.examples.tree import Change, ExampleNode

HEAD = "Complemento/ComercioExterior"
ISSUER = f"{HEAD}/Emisor/Domicilio"
OWNER = f"{HEAD}/Propietario"
RECEIVER = f"{HEAD}/Receptor"
DESTINATION = f"{HEAD}/Destinatario"
GOODS = f"{HEAD}/Mercancias/Mercancia"
CONCEPTO = "Conceptos/Concepto"
CURP = "XOJI740919MQTDMN02"
CUSTOMS_ATTRIBUTES = ("@CantidadAduana", "@UnidadAduana", "@ValorUnitarioAduana")
GUANAJUATO = {"Calle": "Primera", "Municipio": "015", "Estado": "GUA", "Pais": "MEX", "CodigoPostal": CASAS.postal_code}
TEXAS = {"Calle": "First", "Estado": "TX", "Pais": "USA", "CodigoPostal": "78701"}

Changes = Mapping[str, Change]


def exports(failing: Changes, passing: Changes | None = None) -> Example:
    """Return an example of two exports that differ by changes."""
    return example(exportacion, failing, passing)


def of_goods(
    failing: list[ExampleNode],
    passing: list[ExampleNode] | None = None,
    concepts: Callable[[], list[ExampleNode]] | None = None,
) -> Example:
    """Return an example of two exports that differ by their goods."""

    def build(goods: list[ExampleNode] | None) -> str:
        return exportacion(goods=goods, concepts=concepts() if concepts is not None else None)

    return Example(lambda: build(passing), lambda: build(failing))


def good(**attributes: str | None) -> ExampleNode:
    """Return goods with changed attributes."""
    return mercancia({f"@{name}": value for name, value in attributes.items()})


def valued(dollars: str, **attributes: str | None) -> ExampleNode:
    """Return goods of one unit with this price in dollars."""
    return good(**{"ValorUnitarioAduana": dollars, "ValorDolares": dollars, **attributes})


def goods_without_customs_data(**attributes: str | None) -> ExampleNode:
    """Return goods without customs attributes, which have quantity and price of their Concepto."""
    return mercancia({**dict.fromkeys(CUSTOMS_ATTRIBUTES), **{f"@{name}": value for name, value in attributes.items()}})


def export_without_customs_data(changes: Changes | None = None) -> str:
    """Return an export whose goods have no customs attributes."""
    return exportacion(changes, concepts=[pieces({"@Unidad": "01"})], goods=[goods_without_customs_data()])


def traslado_without_customs_data(changes: Changes | None = None) -> str:
    """Return a traslado whose goods have no customs attributes."""
    unit = pieces({"@Unidad": "01"}, price="0", traslados=[])
    return envio(changes, concepts=[unit], goods=[goods_without_customs_data()])


def service_traslado(changes: Changes | None = None) -> str:
    """Return a traslado of a service without FraccionArancelaria."""
    unit = pieces({"@Unidad": "99", "@ClaveUnidad": "E48"}, price="0", traslados=[])
    return envio(changes, concepts=[unit], goods=[goods_without_customs_data(FraccionArancelaria=None)])


def service_export(changes: Changes | None = None) -> str:
    """Return an export of a service with customs attributes."""
    line = pieces({"@ClaveUnidad": "E48"})
    return exportacion(changes, concepts=[line], goods=[good(FraccionArancelaria=None, UnidadAduana="99")])


def traslado_of_others(changes: Changes | None = None) -> str:
    """Return a traslado of goods of another owner."""
    owner = ExampleNode("cce20:Propietario", {"NumRegIdTrib": NUMBER, "ResidenciaFiscal": "USA"})
    return envio({f"{HEAD}/@MotivoTraslado": "05", OWNER: owner, **(changes or {})})


def export_of_person(changes: Changes | None = None) -> str:
    """Return an export of a persona física."""
    home = at(ISSUER, Estado="GUA") | at(f"{HEAD}/Emisor", Curp=CURP)
    return exportacion({**home, **(changes or {})}, issuer=CASAS)


def traslado_to_mexico(changes: Changes | None = None) -> str:
    """Return a traslado to a receiver with an address in Mexico."""
    return envio({f"{RECEIVER}/Domicilio": ExampleNode("cce20:Domicilio", dict(GUANAJUATO)), **(changes or {})})


def destination(place: Mapping[str, str], number: str | None = None) -> ExampleNode:
    """Return a Destinatario with an address and, if given, NumRegIdTrib."""
    identified = {} if number is None else {"NumRegIdTrib": number}
    return ExampleNode("cce20:Destinatario", identified, [ExampleNode("cce20:Domicilio", dict(place))])


def traslado_to_recipient(place: Mapping[str, str], number: str | None = None) -> CodeExampleBuilder:
    """Return a builder of a traslado with a Destinatario."""

    def build(changes: Changes | None = None) -> str:
        return envio({DESTINATION: destination(place, number), **(changes or {})})

    return build


def two_goods(second: ExampleNode) -> Callable[[], str]:
    """Return a builder of an export of two Conceptos with different NoIdentificacion."""
    lines = {"@NoIdentificacion": "A2", "@Unidad": "01"}
    return lambda: exportacion(concepts=[pieces(), pieces(lines)], goods=[mercancia(), second])


def with_discount(discount: str | None) -> Callable[[], str]:
    """Return a builder of an export whose goods include a discount of 10.00 dollars.

    Args:
        discount: Descuento of the Concepto.
    """

    def build() -> str:
        line = pieces({"@Descuento": discount})
        return exportacion(concepts=[line], goods=[valued("190.00"), valued("10.00", FraccionArancelaria="9801000100")])

    return build


def two_complements() -> str:
    """Return an export with two complements."""
    heads = [complement(number=NUMBER), complement([good(NoIdentificacion="A2")], number=NUMBER)]
    lines = [pieces(), pieces({"@NoIdentificacion": "A2"})]
    return exportacion({"Complemento": ExampleNode("cfdi:Complemento", children=heads)}, concepts=lines)


def inside_concepto() -> str:
    """Return an export with the complement only inside a Concepto."""
    return exportacion(
        {
            "@Exportacion": "04",
            "Complemento": None,
            f"{CONCEPTO}/ComplementoConcepto": ExampleNode("cfdi:ComplementoConcepto", children=[complement()]),
        }
    )


def without_number() -> str:
    """Return an export with a Concepto without NoIdentificacion."""
    return exportacion(concepts=[pieces(), pieces({"@NoIdentificacion": None})])


WITH_DIVISAS: Changes = {
    "@xmlns:divisas": "http://www.sat.gob.mx/divisas",
    "@xsi:schemaLocation": " ".join(
        (
            with_schema(NAMESPACE, SCHEMA),
            "http://www.sat.gob.mx/divisas",
            "http://www.sat.gob.mx/sitio_internet/cfd/divisas/divisas.xsd",
        )
    ),
    "Complemento/Divisas": ExampleNode("divisas:Divisas", {"version": "1.0", "tipoOperacion": "compra"}),
}

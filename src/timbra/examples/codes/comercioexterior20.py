"""Examples of rules about Comercio Exterior 2.0: CCE101 to CCE172, CCE999."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from timbra.examples.cfdi40 import EARLIER, relation
from timbra.examples.codes.example import CodeExampleBuilder, Example, at, differ
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
from timbra.examples.comprobante import CASAS, KEMPER, ROBOTICA, ExampleParty, with_schema
from timbra.examples.tree import Change, ExampleNode

HEAD = "Complemento/ComercioExterior"
ISSUER = f"{HEAD}/Emisor/Domicilio"
OWNER = f"{HEAD}/Propietario"
RECEIVER = f"{HEAD}/Receptor"
DESTINATION = f"{HEAD}/Destinatario"
GOODS = f"{HEAD}/Mercancias/Mercancia"
CONCEPTO = "Conceptos/Concepto"
CURP = "XOJI740919MQTDMN02"
NAMELESS = ("@CantidadAduana", "@UnidadAduana", "@ValorUnitarioAduana")
GUANAJUATO = {"Calle": "Primera", "Municipio": "015", "Estado": "GUA", "Pais": "MEX", "CodigoPostal": CASAS.postal_code}
TEXAS = {"Calle": "First", "Estado": "TX", "Pais": "USA", "CodigoPostal": "78701"}

Changes = Mapping[str, Change]


def exports(failing: Changes, passing: Changes | None = None) -> Example:
    """Two exports that differ by changes."""
    return differ(exportacion, failing, passing)


def of_goods(
    failing: list[ExampleNode],
    passing: list[ExampleNode] | None = None,
    concepts: Callable[[], list[ExampleNode]] | None = None,
) -> Example:
    """Two exports that differ by their goods."""

    def build(goods: list[ExampleNode] | None) -> str:
        return exportacion(goods=goods, concepts=concepts() if concepts is not None else None)

    return Example(lambda: build(passing), lambda: build(failing))


def good(**attributes: str | None) -> ExampleNode:
    """Goods with changed attributes."""
    return mercancia({f"@{name}": value for name, value in attributes.items()})


def worth(dollars: str, **attributes: str | None) -> ExampleNode:
    """One unit of goods at that price."""
    return good(**{"ValorUnitarioAduana": dollars, "ValorDolares": dollars, **attributes})


def as_invoiced(**attributes: str | None) -> ExampleNode:
    """Goods that customs count as their Concepto does."""
    return mercancia({**dict.fromkeys(NAMELESS), **{f"@{name}": value for name, value in attributes.items()}})


def counted_by_invoice(changes: Changes | None = None) -> str:
    """An export whose goods customs count as the invoice does."""
    return exportacion(changes, concepts=[pieces({"@Unidad": "01"})], goods=[as_invoiced()])


def sent_as_invoiced(changes: Changes | None = None) -> str:
    """Goods on their way that customs count as the invoice does."""
    unit = pieces({"@Unidad": "01"}, price="0", traslados=[])
    return envio(changes, concepts=[unit], goods=[as_invoiced()])


def service(changes: Changes | None = None) -> str:
    """A service on its way, which has no tariff line."""
    unit = pieces({"@Unidad": "99", "@ClaveUnidad": "E48"}, price="0", traslados=[])
    return envio(changes, concepts=[unit], goods=[as_invoiced(FraccionArancelaria=None)])


def served(changes: Changes | None = None) -> str:
    """An export of a service that customs count."""
    line = pieces({"@ClaveUnidad": "E48"})
    return exportacion(changes, concepts=[line], goods=[good(FraccionArancelaria=None, UnidadAduana="99")])


def of_others(changes: Changes | None = None) -> str:
    """Goods of somebody else on their way."""
    owner = ExampleNode("cce20:Propietario", {"NumRegIdTrib": NUMBER, "ResidenciaFiscal": "USA"})
    return envio({f"{HEAD}/@MotivoTraslado": "05", OWNER: owner, **(changes or {})})


def by_person(changes: Changes | None = None) -> str:
    """An export by a persona física."""
    home = at(ISSUER, Estado="GUA") | at(f"{HEAD}/Emisor", Curp=CURP)
    return exportacion({**home, **(changes or {})}, issuer=CASAS)


def to_mexico(changes: Changes | None = None) -> str:
    """Goods on their way to somebody whose address is in Mexico."""
    return envio({f"{RECEIVER}/Domicilio": ExampleNode("cce20:Domicilio", dict(GUANAJUATO)), **(changes or {})})


def destination(place: Mapping[str, str], number: str | None = None) -> ExampleNode:
    identified = {} if number is None else {"NumRegIdTrib": number}
    return ExampleNode("cce20:Destinatario", identified, [ExampleNode("cce20:Domicilio", dict(place))])


def to_third(place: Mapping[str, str], number: str | None = None) -> CodeExampleBuilder:
    """Goods on their way to a third party."""

    def build(changes: Changes | None = None) -> str:
        return envio({DESTINATION: destination(place, number), **(changes or {})})

    return build


def two_numbers(second: ExampleNode) -> Callable[[], str]:
    """An export of two Conceptos with a number each."""
    lines = {"@NoIdentificacion": "A2", "@Unidad": "01"}
    return lambda: exportacion(concepts=[pieces(), pieces(lines)], goods=[mercancia(), second])


def discounted(discount: str | None) -> Callable[[], str]:
    """An export of which 10.00 dollars of 200.00 are a discount by its tariff line."""

    def build() -> str:
        line = pieces({"@Descuento": discount})
        return exportacion(concepts=[line], goods=[worth("190.00"), worth("10.00", FraccionArancelaria="9801000100")])

    return build


def to(party: ExampleParty) -> dict[str, Change]:
    return at(
        "Receptor",
        Rfc=party.rfc,
        Nombre=party.name,
        DomicilioFiscalReceptor=party.postal_code,
        RegimenFiscalReceptor=party.regime,
    )


def twice() -> str:
    """Two complements of goods of their own."""
    heads = [complement(number=NUMBER), complement([good(NoIdentificacion="A2")], number=NUMBER)]
    lines = [pieces(), pieces({"@NoIdentificacion": "A2"})]
    return exportacion({"Complemento": ExampleNode("cfdi:Complemento", children=heads)}, concepts=lines)


def misplaced() -> str:
    """The complement in a Concepto alone."""
    return exportacion(
        {
            "@Exportacion": "04",
            "Complemento": None,
            f"{CONCEPTO}/ComplementoConcepto": ExampleNode("cfdi:ComplementoConcepto", children=[complement()]),
        }
    )


def unnumbered() -> str:
    """A second Concepto without a number."""
    return exportacion(concepts=[pieces(), pieces({"@NoIdentificacion": None})])


NATIONAL = {**at("Receptor", Rfc="XAXX010101000", Nombre="CLIENTE", ResidenciaFiscal=None, NumRegIdTrib=None)}
THIRD = {
    "RfcACuentaTerceros": ROBOTICA.rfc,
    "NombreACuentaTerceros": ROBOTICA.name,
    "RegimenFiscalACuentaTerceros": ROBOTICA.regime,
    "DomicilioFiscalACuentaTerceros": ROBOTICA.postal_code,
}
BESIDE: Changes = {
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
GLOBAL = ExampleNode("cfdi:InformacionGlobal", {"Periodicidad": "01", "Meses": "11", "Año": "2026"})
SPARE = good(FraccionArancelaria="2402100100", UnidadAduana="06")

_COMPROBANTE: dict[str, Example] = {
    "CCE101": exports({"@TipoDeComprobante": "X"}),
    "CCE102": differ(of_others, {OWNER: None}),
    "CCE103": exports(
        {
            OWNER: ExampleNode("cce20:Propietario", {"NumRegIdTrib": NUMBER, "ResidenciaFiscal": "USA"}),
            **at(HEAD, MotivoTraslado="05"),
        }
    ),
    "CCE105": exports({"@Exportacion": "03"}),
    "CCE106": exports({"InformacionGlobal": GLOBAL}),
    "CCE107": exports({**NATIONAL, **at(RECEIVER, NumRegIdTrib=None)}),
    "CCE108": differ(envio, to(ROBOTICA)),
    "CCE109": exports({f"{CONCEPTO}/Impuestos": None, "Impuestos": None}),
    "CCE110": differ(envio, at(CONCEPTO, ObjetoImp="03")),
    "CCE111": exports({f"{CONCEPTO}/ACuentaTerceros": ExampleNode("cfdi:ACuentaTerceros", THIRD)}),
    "CCE112": exports({f"{CONCEPTO}/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})}),
    "CCE113": Example(exportacion, twice),
    "CCE114": Example(exportacion, misplaced),
    "CCE115": exports(BESIDE),
    "CCE116": differ(
        envio,
        at(HEAD, MotivoTraslado="01"),
        {**at(HEAD, MotivoTraslado="01"), "CfdiRelacionados": relation("05", EARLIER)},
    ),
    "CCE117": exports(at(HEAD, MotivoTraslado="05")),
    "CCE118": exports(at(HEAD, CertificadoOrigen="1"), at(HEAD, CertificadoOrigen="1", NumCertificadoOrigen="000001")),
    "CCE119": exports(
        at(HEAD, NumeroExportadorConfiable="1"),
        {**at(HEAD, NumeroExportadorConfiable="1"), **at("Receptor", ResidenciaFiscal="DEU")},
    ),
    "CCE120": exports(at(HEAD, Incoterm=None)),
    "CCE121": exports(at(HEAD, TipoCambioUSD="18.5001")),
    "CCE122": exports(at(HEAD, TotalUSD="200.01")),
    "CCE999:ClaveDePedimento": exports(at(HEAD, ClaveDePedimento="ZZ")),
    "CCE999:MotivoTraslado": differ(envio, at(HEAD, MotivoTraslado="77")),
}

_PARTES: dict[str, Example] = {
    "CCE123": exports(at(f"{HEAD}/Emisor", Curp=CURP)),
    "CCE124": differ(by_person, at(f"{HEAD}/Emisor", Curp=None)),
    "CCE125": exports(at(ISSUER, Pais="DEU")),
    "CCE126": exports(at(ISSUER, Estado="TX")),
    "CCE127": exports(at(ISSUER, Municipio="999")),
    "CCE128": exports(at(ISSUER, Localidad="99")),
    "CCE129": exports(at(ISSUER, Colonia="9999")),
    "CCE130": exports(at(ISSUER, Estado="TAB")),
    "CCE131": differ(
        of_others,
        at(OWNER, ResidenciaFiscal="MEX", NumRegIdTrib="ZZZ010101AAA"),
        at(OWNER, ResidenciaFiscal="MEX", NumRegIdTrib=KEMPER.rfc),
    ),
    "CCE132": differ(of_others, at(OWNER, NumRegIdTrib="ABCDEF")),
    "CCE133": exports(at(RECEIVER, NumRegIdTrib=None)),
    "CCE134": exports({f"{RECEIVER}/Domicilio": ExampleNode("cce20:Domicilio", dict(GUANAJUATO))}),
    "CCE135": exports(at(RECEIVER, NumRegIdTrib="12345678X")),
    "CCE136": differ(
        to_mexico, at(f"{RECEIVER}/Domicilio", Colonia="9999"), at(f"{RECEIVER}/Domicilio", Colonia="0115")
    ),
    "CCE137": differ(
        to_mexico, at(f"{RECEIVER}/Domicilio", Localidad="99"), at(f"{RECEIVER}/Domicilio", Localidad="31")
    ),
    "CCE138": differ(to_mexico, at(f"{RECEIVER}/Domicilio", Municipio="999")),
    "CCE139": differ(envio, at(f"{RECEIVER}/Domicilio", Estado="HID")),
    "CCE140": differ(envio, at(f"{RECEIVER}/Domicilio", CodigoPostal="1")),
    "CCE141": differ(to_mexico, at(f"{RECEIVER}/Domicilio", CodigoPostal=KEMPER.postal_code)),
    "CCE142": differ(to_third(TEXAS), {f"{DESTINATION}[2]": destination(TEXAS)}),
    "CCE143": differ(to_third(GUANAJUATO), at(DESTINATION, NumRegIdTrib=NUMBER)),
    "CCE144": differ(to_third(TEXAS, NUMBER), at(DESTINATION, NumRegIdTrib="12345678X")),
    "CCE145": differ(
        to_third(GUANAJUATO),
        at(f"{DESTINATION}/Domicilio", Colonia="9999"),
        at(f"{DESTINATION}/Domicilio", Colonia="0115"),
    ),
    "CCE146": differ(
        to_third(GUANAJUATO),
        at(f"{DESTINATION}/Domicilio", Localidad="99"),
        at(f"{DESTINATION}/Domicilio", Localidad="31"),
    ),
    "CCE147": differ(to_third(GUANAJUATO), at(f"{DESTINATION}/Domicilio", Municipio="999")),
    "CCE148": differ(to_third(TEXAS), at(f"{DESTINATION}/Domicilio", Estado="HID")),
    "CCE149": differ(to_third(TEXAS), at(f"{DESTINATION}/Domicilio", CodigoPostal="1")),
    "CCE150": differ(to_third(GUANAJUATO), at(f"{DESTINATION}/Domicilio", CodigoPostal=KEMPER.postal_code)),
    "CCE999:Propietario": differ(of_others, at(OWNER, ResidenciaFiscal="XYZ")),
    "CCE999:Receptor": differ(envio, at(f"{RECEIVER}/Domicilio", Pais="XYZ")),
    "CCE999:Destinatario": differ(to_third(TEXAS), at(f"{DESTINATION}/Domicilio", Pais="XYZ")),
}

_MERCANCIAS: dict[str, Example] = {
    "CCE151": Example(exportacion, unnumbered),
    "CCE152": of_goods([mercancia(), good(NoIdentificacion="A9")]),
    "CCE153": of_goods([worth("100.00"), worth("100.00")]),
    "CCE154": differ(sent_as_invoiced, at(CONCEPTO, Cantidad="0.0001")),
    "CCE155": differ(service, at(CONCEPTO, Unidad="PIEZA")),
    "CCE156": differ(sent_as_invoiced, at(CONCEPTO, ValorUnitario="0.0")),
    "CCE157": of_goods([worth("100.00")]),
    "CCE158": of_goods([worth("100.00"), worth("150.00", FraccionArancelaria="2402100100", UnidadAduana="06")]),
    "CCE159": differ(served, at(GOODS, FraccionArancelaria="2402200100", UnidadAduana="01")),
    "CCE160": of_goods([good(FraccionArancelaria=None)]),
    "CCE161": of_goods([good(FraccionArancelaria="0000000000")]),
    "CCE162": differ(counted_by_invoice, at(CONCEPTO, Unidad="06")),
    "CCE163": Example(discounted("10.00"), discounted(None)),
    "CCE164": Example(discounted("10.00"), discounted("5.00")),
    "CCE165": of_goods([good(CantidadAduana=None)]),
    "CCE166": Example(two_numbers(good(NoIdentificacion="A2")), two_numbers(as_invoiced(NoIdentificacion="A2"))),
    "CCE167": of_goods([good(UnidadAduana="06")]),
    "CCE168": of_goods([good(ValorUnitarioAduana="0", ValorDolares="1")]),
    "CCE169": of_goods([good(ValorDolares="0")]),
    "CCE170": of_goods([good(UnidadAduana="99")]),
    "CCE171": of_goods([good(ValorUnitarioAduana="190.00")]),
    "CCE172": differ(counted_by_invoice, {**at(GOODS, ValorDolares="0"), **at(HEAD, TotalUSD="0.00")}),
    "CCE999:UnidadAduana": differ(served, at(GOODS, UnidadAduana="00")),
}

COMERCIOEXTERIOR20: dict[str, Example] = {**_COMPROBANTE, **_PARTES, **_MERCANCIAS}

"""Minimal valid documents with complements about money that is changed, kept, sent or handed out."""

from __future__ import annotations

from timbra.examples.complements.complement import OLD, Complement
from timbra.examples.comprobante import CASAS, KEMPER, ROBOTICA
from timbra.examples.tree import ExampleNode

CURP = "CACX760510MGTSHC04"
PURSE = "monedero electrónico"


def _divisas(_fecha: str) -> ExampleNode:
    return ExampleNode("divisas:Divisas", {"version": "1.0", "tipoOperacion": "compra"})


def _implocal(_fecha: str) -> ExampleNode:
    """A tax on lodging of nothing, so that the invoice keeps its total."""
    tax = ExampleNode(
        "implocal:TrasladosLocales", {"ImpLocTrasladado": "ISH", "TasadeTraslado": "0.00", "Importe": "0.00"}
    )
    totals = {"version": "1.0", "TotaldeRetenciones": "0.00", "TotaldeTraslados": "0.00"}
    return ExampleNode("implocal:ImpuestosLocales", totals, [tax])


def _ecb(fecha: str) -> ExampleNode:
    row = ExampleNode("ecb:MovimientoECB", {"fecha": fecha, "descripcion": "Comisión", "importe": "200.00"})
    head = {"version": "1.0", "numeroCuenta": "1234567890", "nombreCliente": ROBOTICA.name, "periodo": fecha[:7]}
    return ExampleNode("ecb:EstadoDeCuentaBancario", head, [ExampleNode("ecb:Movimientos", children=[row])])


def _spei(fecha: str) -> ExampleNode:
    account = {"TipoCuenta": "40", "Cuenta": "012345678901234567"}
    sender = {"BancoEmisor": "BANCO UNO", "Nombre": "ESCUELA KEMPER", "RFC": KEMPER.rfc, **account}
    receiver = {"BancoReceptor": "BANCO DOS", "Nombre": "UNIVERSIDAD ROBOTICA", "RFC": ROBOTICA.rfc, **account}
    receiver |= {"Concepto": "Pago", "MontoPago": "232.00"}
    head = {"FechaOperacion": fecha[:10], "Hora": fecha[11:], "ClaveSPEI": "40002", "sello": "c2VsbG8="}
    head |= {"numeroCertificado": "00001000000500003416", "cadenaCDA": "||1||"}
    parts = [ExampleNode("spei:Ordenante", sender), ExampleNode("spei:Beneficiario", receiver)]
    return ExampleNode("spei:Complemento_SPEI", children=[ExampleNode("spei:SPEI_Tercero", head, parts)])


def _vales(fecha: str) -> ExampleNode:
    worker = {"identificador": "1", "fecha": fecha, "rfc": CASAS.rfc, "curp": CURP, "nombre": CASAS.name}
    row = ExampleNode("valesdedespensa:Concepto", {**worker, "importe": "100.00"})
    head = {"version": "1.0", "tipoOperacion": PURSE, "numeroDeCuenta": "1", "total": "100.00"}
    return ExampleNode(
        "valesdedespensa:ValesDeDespensa", head, [ExampleNode("valesdedespensa:Conceptos", children=[row])]
    )


divisas = Complement("divisas", "divisas", "divisas/divisas.xsd", "1.0", _divisas)
implocal = Complement("implocal", "implocal", "implocal/implocal.xsd", "1.0", _implocal)
estado_de_cuenta_bancario = Complement("estadodecuentabancario", "ecb", "ecb/ecb.xsd", "1.0", _ecb, OLD)
spei = Complement("spei", "spei", "spei/spei.xsd", "", _spei, OLD)
vales_de_despensa = Complement(
    "valesdedespensa", "valesdedespensa", "valesdedespensa/valesdedespensa.xsd", "1.0", _vales
)

COMPLEMENTS = (divisas, implocal, estado_de_cuenta_bancario, spei, vales_de_despensa)

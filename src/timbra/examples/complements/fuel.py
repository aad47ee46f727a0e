"""Minimal valid documents with complements about fuel: who consumed it, on which account, and its credited tax."""

from __future__ import annotations

from timbra.examples.complements.complement import OLD, Complement
from timbra.examples.complements.money import PURSE
from timbra.examples.comprobante import ROBOTICA
from timbra.examples.tree import ExampleNode


def _purchase(fecha: str) -> dict[str, str]:
    """Ten litres at a station."""
    return {
        "identificador": "1",
        "fecha": fecha,
        "rfc": ROBOTICA.rfc,
        "claveEstacion": "1",
        "cantidad": "10.000",
        "nombreCombustible": "Gasolina",
        "folioOperacion": "1",
        "valorUnitario": "20.00",
        "importe": "200.00",
    }


def _consumption(prefix: str, fecha: str, version: str, row: dict[str, str], rate: dict[str, str]) -> ExampleNode:
    tax = ExampleNode(f"{prefix}:Determinado", {"impuesto": "IVA", **rate, "importe": "32.00"})
    taxes = ExampleNode(f"{prefix}:Determinados", children=[tax])
    concepto = ExampleNode(f"{prefix}:ConceptoConsumoDeCombustibles", {**_purchase(fecha), **row}, [taxes])
    head = {"version": version, "tipoOperacion": PURSE, "numeroDeCuenta": "1", "total": "232.00"}
    return ExampleNode(
        f"{prefix}:ConsumoDeCombustibles", head, [ExampleNode(f"{prefix}:Conceptos", children=[concepto])]
    )


def _consumo10(fecha: str) -> ExampleNode:
    return _consumption("consumodecombustibles", fecha, "1.0", {}, {"tasa": "16.00"})


def _consumo11(fecha: str) -> ExampleNode:
    return _consumption("consumodecombustibles11", fecha, "1.1", {"tipoCombustible": "1"}, {"tasaOCuota": "0.160000"})


def _ecc10(fecha: str) -> ExampleNode:
    tax = ExampleNode("ecc:Traslado", {"impuesto": "IVA", "tasa": "16.00", "importe": "32.00"})
    taxes = ExampleNode("ecc:Traslados", children=[tax])
    row = ExampleNode("ecc:ConceptoEstadoDeCuentaCombustible", _purchase(fecha), [taxes])
    head = {"tipoOperacion": "Tarjeta", "numeroDeCuenta": "1", "total": "232.00"}
    return ExampleNode("ecc:EstadoDeCuentaCombustible", head, [ExampleNode("ecc:Conceptos", children=[row])])


def _ecc11(fecha: str) -> ExampleNode:
    bought = {
        "Identificador": "1",
        "Fecha": fecha,
        "Rfc": ROBOTICA.rfc,
        "ClaveEstacion": "1",
        "Cantidad": "10.000",
        "NoIdentificacion": "32011",
        "NombreCombustible": "Gasolina",
        "FolioOperacion": "1",
        "ValorUnitario": "20.000",
        "Importe": "200.00",
    }
    tax = ExampleNode("ecc11:Traslado", {"Impuesto": "IVA", "TasaoCuota": "0.160000", "Importe": "32.00"})
    row = ExampleNode(
        "ecc11:ConceptoEstadoDeCuentaCombustible", bought, [ExampleNode("ecc11:Traslados", children=[tax])]
    )
    head = {"Version": "1.1", "TipoOperacion": "Tarjeta", "NumeroDeCuenta": "1", "SubTotal": "200.00"}
    rows = ExampleNode("ecc11:Conceptos", children=[row])
    return ExampleNode("ecc11:EstadoDeCuentaCombustible", {**head, "Total": "232.00"}, [rows])


def _acreditamiento(_fecha: str) -> ExampleNode:
    return ExampleNode("aieps:acreditamientoIEPS", {"Version": "1.0", "TAR": "617"})


CONSUMED = "consumodecombustibles"
consumo_de_combustibles10 = Complement(f"{CONSUMED}10", CONSUMED, f"{CONSUMED}/{CONSUMED}.xsd", "1.0", _consumo10, OLD)
consumo_de_combustibles11 = Complement(
    f"{CONSUMED}11", "ConsumoDeCombustibles11", f"{CONSUMED}/consumodeCombustibles11.xsd", "1.1", _consumo11
)
estado_de_cuenta10 = Complement("ecc10", "ecc", "ecc/ecc.xsd", "", _ecc10, OLD)
estado_de_cuenta11 = Complement(
    "ecc11", "EstadoDeCuentaCombustible", "EstadoDeCuentaCombustible/ecc11.xsd", "1.1", _ecc11, OLD
)
acreditamiento_ieps = Complement(
    "acreditamientoieps",
    "acreditamiento",
    "acreditamiento/AcreditamientoIEPS10.xsd",
    "1.0",
    _acreditamiento,
    OLD,
    in_concepto=True,
)

COMPLEMENTS = (
    consumo_de_combustibles10,
    consumo_de_combustibles11,
    estado_de_cuenta10,
    estado_de_cuenta11,
    acreditamiento_ieps,
)

"""Examples of rules about Estado de Cuenta de Combustibles 1.2: ECC121 to ECC124, ECC999."""

from __future__ import annotations

from timbra.examples.codes.example import Example, differ
from timbra.examples.ecc12 import estado_de_cuenta

ACCOUNT = "Complemento/EstadoDeCuentaCombustible"
PURCHASE = f"{ACCOUNT}/Conceptos/ConceptoEstadoDeCuentaCombustible"

ECC12: dict[str, Example] = {
    "ECC121": differ(estado_de_cuenta, {f"{ACCOUNT}/@SubTotal": "201.00", f"{ACCOUNT}/@Total": "233.00"}),
    "ECC122": differ(estado_de_cuenta, {f"{ACCOUNT}/@Total": "200.00"}),
    "ECC123": differ(estado_de_cuenta, {f"{PURCHASE}/@Rfc": "ZZZ010101AAA"}),
    "ECC124": differ(estado_de_cuenta, {"@TipoDeComprobante": "E"}),
    "ECC999:TipoCombustible": differ(estado_de_cuenta, {f"{PURCHASE}/@TipoCombustible": "9"}),
}

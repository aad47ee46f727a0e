"""The account that receives the wages: NOM181 to NOM185."""

from __future__ import annotations

from timbra.cfdi.nodes.nomina12 import ReceptorNomina
from timbra.examples.codes.nomina12 import plain
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.nomina12b.sources import MATRIX_B
from timbra.rules.shared.nomina.cuenta import (
    has_account_length,
    has_bank_with_other_account,
    has_check_digit,
    has_no_bank_with_clabe,
)
from timbra.rules.shared.predicates import in_catalog

NOM181 = row(
    "NOM181",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Banco",
    says="Banco debe ser una clave vigente de c_Banco.",
    check=in_catalog("nomina12:c_Banco", "Banco"),
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890", "Complemento/Nomina/Receptor/@Banco": "001"},
        passes={
            "Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890",
            "Complemento/Nomina/Receptor/@Banco": "002",
        },
    ),
)


NOM182 = row(
    "NOM182",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@CuentaBancaria",
    says="CuentaBancaria debe tener 10, 11, 16 o 18 posiciones.",
    check=has_account_length,
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "123456789012"},
        passes={"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154"},
    ),
)


NOM183 = row(
    "NOM183",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Banco",
    says="Banco no debe existir junto a una CLABE.",
    check=has_no_bank_with_clabe,
    cites=MATRIX_B,
    fails=plain.example(
        {
            "Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154",
            "Complemento/Nomina/Receptor/@Banco": "012",
        },
        passes={"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154"},
    ),
)


NOM184 = row(
    "NOM184",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@CuentaBancaria",
    says="El último dígito de la CLABE debe ser su dígito de control.",
    check=has_check_digit,
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170155"},
        passes={"Complemento/Nomina/Receptor/@CuentaBancaria": "072320002084170154"},
    ),
)


NOM185 = row(
    "NOM185",
    ReceptorNomina,
    at="Complemento/Nomina/Receptor/@Banco",
    says="Banco debe existir junto a una cuenta de 10, 11 o 16 posiciones.",
    check=has_bank_with_other_account,
    cites=MATRIX_B,
    fails=plain.example(
        {"Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890"},
        passes={
            "Complemento/Nomina/Receptor/@CuentaBancaria": "1234567890",
            "Complemento/Nomina/Receptor/@Banco": "002",
        },
    ),
)

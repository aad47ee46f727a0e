"""Documents of the rules about Nómina 1.2 for CFDI 3.3 that those for CFDI 4.0 do not have."""

from __future__ import annotations

from timbra.examples.codes.receipt import Receipt
from timbra.examples.nomina12 import balance, other, payroll

with_balance_of_2021 = Receipt(lambda: payroll(others=[other("004", "50.00", balance("2021"))]))

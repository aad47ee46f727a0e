"""SAT's catalogs: immutable, dated, versioned with the snapshot, each loaded at its first use.

**Names** are SAT's schema types, by standard. CFDI 4.0 is plain (`c_FormaPago`), every other standard has a prefix:
`cfdi33:`, `pagos20:`, `pagos10:`, `nomina12:`, `comercioexterior20:`, `cartaporte31:` (and `30`, `20`),
`hidroypetro10:`, `ecc12:`, `gceh10:`. Some standards use the keys of another one, because the SAT publishes no list for
them; `timbra.catalogs.book` has the table.

**Keys** are written as in a document. When a key is only unique inside a parent, both are joined, parent last:
`c_Municipio` "001|AGU" (estado), `c_Localidad` "01|AGU" (estado), `c_Colonia` "0001|01000" (postal code),
`c_NumPedimentoAduana` "48|3009|26" (customs office, patent, last two digits of the year).

**Columns** are those of the snapshot's tables, `clave` first; flags are "1" or empty, lists are joined by commas, dates
are ISO. `has(catalog, column)` distinguishes a column that no source has (then a rule is "not evaluated") from an empty
value. `c_TasaOCuota` is not a set of keys: see `rates`.
"""

from __future__ import annotations

from timbra.catalogs.book import SnapshotCatalogs
from timbra.catalogs.rates import TaxRate

__all__ = ["SnapshotCatalogs", "TaxRate"]

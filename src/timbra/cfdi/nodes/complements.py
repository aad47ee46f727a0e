"""The kinds of complements that have nodes, in the invoice and in a Concepto, by qualified name and version."""

from __future__ import annotations

from collections.abc import Iterable

from timbra.cfdi.nodes.cartaporte31 import VERSION, CartaPorte, CartaPorteDeConcepto
from timbra.cfdi.nodes.comercioexterior20 import ComercioExterior, ComercioExteriorDeConcepto
from timbra.cfdi.nodes.complement import ANY, ComplementNode
from timbra.cfdi.nodes.ecc12 import EstadoDeCuentaCombustible
from timbra.cfdi.nodes.gceh10 import GastosHidrocarburos
from timbra.cfdi.nodes.hidroypetro10 import HidroYPetro
from timbra.cfdi.nodes.ieeh10 import IngresosHidrocarburos
from timbra.cfdi.nodes.ine11 import INE
from timbra.cfdi.nodes.nomina12 import Nomina, NominaDeConcepto
from timbra.cfdi.nodes.pagos10 import Pagos as Pagos10
from timbra.cfdi.nodes.pagos20 import Pagos as Pagos20

Kinds = dict[tuple[str, str], type[ComplementNode]]
"""Class by qualified name and version, or `ANY`: of such a version only the attribute of the version is read."""

KINDS: Kinds = {
    (CartaPorte.TAG, VERSION): CartaPorte,
    (CartaPorte.TAG, ANY): CartaPorte,
    (ComercioExterior.TAG, "2.0"): ComercioExterior,
    (EstadoDeCuentaCombustible.TAG, "1.2"): EstadoDeCuentaCombustible,
    (GastosHidrocarburos.TAG, "1.0"): GastosHidrocarburos,
    (IngresosHidrocarburos.TAG, "1.0"): IngresosHidrocarburos,
    (INE.TAG, "1.1"): INE,
    (Nomina.TAG, "1.2"): Nomina,
    (Pagos10.TAG, "1.0"): Pagos10,
    (Pagos20.TAG, "2.0"): Pagos20,
}

CONCEPTO_KINDS: Kinds = {
    (CartaPorteDeConcepto.TAG, ANY): CartaPorteDeConcepto,
    (ComercioExteriorDeConcepto.TAG, "2.0"): ComercioExteriorDeConcepto,
    (NominaDeConcepto.TAG, ANY): NominaDeConcepto,
    (HidroYPetro.TAG, "1.0"): HidroYPetro,
}


def check_kinds(standards: Iterable[tuple[str, str, str]], *others: Kinds) -> None:
    """Check that each class has a schema; one with a mistyped namespace or version would never be read.

    Args:
        standards: namespace, local name of the root and version of each schema.
        others: further tables, those of other documents.

    Raises:
        LookupError: a class without a schema.
    """
    known = {(f"{{{namespace}}}{name}", version) for namespace, name, version in standards}
    tags = {tag for tag, _ in known}
    for kinds in (KINDS, CONCEPTO_KINDS, *others):
        for tag, version in kinds:
            if (tag, version) not in known and not (version == ANY and tag in tags):
                raise LookupError(f"no schema of {tag} {version}")

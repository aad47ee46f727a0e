"""The readers of complements, of the invoice and of a Concepto, by qualified name and version."""

from __future__ import annotations

from timbra.cfdi.nodes import (
    cartaporte31,
    comercioexterior20,
    ecc12,
    gceh10,
    hidroypetro10,
    ieeh10,
    ine11,
    nomina12,
    pagos10,
    pagos20,
)
from timbra.cfdi.nodes.complement import ANY, ConceptoReader, Reader

READERS: dict[tuple[str, str], Reader] = {
    (cartaporte31.TAG, cartaporte31.VERSION): cartaporte31.read,
    (cartaporte31.TAG, ANY): cartaporte31.read_other,
    (comercioexterior20.TAG, "2.0"): comercioexterior20.read,
    (ecc12.TAG, "1.2"): ecc12.read,
    (gceh10.TAG, "1.0"): gceh10.read,
    (ieeh10.TAG, "1.0"): ieeh10.read,
    (ine11.TAG, "1.1"): ine11.read,
    (nomina12.TAG, "1.2"): nomina12.read,
    (pagos10.TAG, "1.0"): pagos10.read,
    (pagos20.TAG, "2.0"): pagos20.read,
}

CONCEPTO_READERS: dict[tuple[str, str], ConceptoReader] = {
    (cartaporte31.TAG, ANY): cartaporte31.CartaPorteDeConcepto.read,
    (comercioexterior20.TAG, "2.0"): comercioexterior20.ComercioExteriorDeConcepto.read,
    (nomina12.TAG, ANY): nomina12.NominaDeConcepto.read,
    (hidroypetro10.TAG, "1.0"): hidroypetro10.read,
}

"""The 8 % IVA of the border region. The code of the SAT for CFDI 4.0 is not known."""

from __future__ import annotations

from timbra.cfdi.nodes import Comprobante, Traslado
from timbra.rules.engine.result import DataRequirement
from timbra.rules.engine.rule import row
from timbra.rules.rulesets.cfdi40.sources import ANEXO_29_BORDER
from timbra.rules.shared.invoice import border

CFDI40999_IVA8_RFC = row(
    "CFDI40999:IVA8-RFC",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="Con IVA de 8 %, el RFC del emisor debe estar en la LCO con ValidezObligaciones 2, 3 o 4.",
    check=border.issuer_has_border_stimulus,
    applies=border.is_border_iva,
    needs=(DataRequirement.OBLIGATIONS,),
    cites=ANEXO_29_BORDER,
)


CFDI40999_IVA8_LugarExpedicion = row(
    "CFDI40999:IVA8-LugarExpedicion",
    Comprobante,
    at="@LugarExpedicion",
    says="Con IVA de 8 %, LugarExpedicion debe estar en la franja fronteriza de ValidezObligaciones del emisor.",
    note="Con 2 es la franja norte, con 3 la sur, y con 4 cualquiera de las dos.",
    check=border.place_is_in_region_of_issuer,
    applies=border.transfers_border_iva,
    needs=(DataRequirement.OBLIGATIONS,),
    cites=ANEXO_29_BORDER,
)


CFDI40999_IVA8_ClaveProdServ = row(
    "CFDI40999:IVA8-ClaveProdServ",
    Traslado,
    at="Conceptos/Concepto/Impuestos/Traslados/Traslado/@TasaOCuota",
    says="Con IVA de 8 %, ClaveProdServ debe tener el estímulo de la franja fronteriza en c_ClaveProdServ.",
    note="Se admite la clave 01010101 con ClaveUnidad ACT, la de las facturas globales.",
    check=border.product_has_border_stimulus,
    applies=border.is_border_iva,
    columns=(("c_ClaveProdServ", "estimulo_frontera"),),
    cites=ANEXO_29_BORDER,
)

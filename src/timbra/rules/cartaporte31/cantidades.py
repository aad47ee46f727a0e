"""How much goes from where to where: CP178 to CP180."""

from __future__ import annotations

from timbra.cfdi.nodes.cartaporte31 import CantidadTransporta
from timbra.rules.cartaporte31.envio import envio_of
from timbra.rules.cartaporte31.verdicts import listed_in, needed
from timbra.rules.case import Case
from timbra.rules.conditions import absent
from timbra.rules.finding import Breach, Verdict
from timbra.rules.rule import rule

AT = "Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta"


@rule("CP178", at=f"{AT}/@IDOrigen")
def it_leaves_a_place_of_the_shipment(cantidad: CantidadTransporta, case: Case) -> Verdict:
    if cantidad.IDOrigen in envio_of(cantidad, case).origins:
        return None
    return Breach(found=cantidad.IDOrigen, expected="el IDUbicacion de una ubicación de tipo Origen")


@rule("CP179", at=f"{AT}/@IDDestino")
def it_reaches_a_place_of_the_shipment(cantidad: CantidadTransporta, case: Case) -> Verdict:
    if cantidad.IDDestino in envio_of(cantidad, case).destinations:
        return None
    return Breach(found=cantidad.IDDestino, expected="el IDUbicacion de una ubicación de tipo Destino")


@rule("CP180", at=f"{AT}/@CvesTransporte")
def it_tells_its_way_among_several(cantidad: CantidadTransporta, case: Case) -> Verdict:
    found = cantidad.CvesTransporte
    if len(envio_of(cantidad, case).transportes) < 2:
        return absent(found, "con un solo nodo de transporte")
    return needed(found, "una clave de c_CveTransporte") or listed_in(case, "c_CveTransporte", found)

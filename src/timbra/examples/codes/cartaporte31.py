"""Examples of rules about Carta Porte 3.1: CP101 to CP147, CP999; those of goods, ways and figures stand beside."""

from __future__ import annotations

from timbra.examples.cartaporte31 import carta_porte, flete
from timbra.examples.codes.cartaporte31_frame import (
    CONCEPTO,
    FOREIGN,
    FOREIGN_ID,
    HEAD,
    REGIMEN,
    THERE,
    UBICACION,
    UNKNOWN,
    addressed,
    beside_currencies,
    by_road_at_noon,
    credit,
    earlier,
    exports,
    foreign_money,
    imports,
    misplaced,
    rail,
    sea,
    with_third,
)
from timbra.examples.codes.cartaporte31_mercancias import GOODS, TOGETHER
from timbra.examples.codes.cartaporte31_transportes import FIGURES, WAYS
from timbra.examples.codes.example import Example, at, differ
from timbra.examples.comprobante import ROBOTICA

_COMPROBANTE: dict[str, Example] = {
    "CP101": Example(carta_porte, earlier),
    "CP102": differ(carta_porte, {"@SubTotal": "1"}),
    "CP103": differ(carta_porte, {"@Moneda": "MXN"}),
    "CP104": Example(flete, foreign_money),
    "CP105": differ(carta_porte, {"@Total": "1"}),
    "CP106": differ(carta_porte, at(CONCEPTO, ObjetoImp="09")),
    "CP107": differ(
        carta_porte,
        at("Receptor", Rfc=ROBOTICA.rfc, Nombre=ROBOTICA.name, DomicilioFiscalReceptor=ROBOTICA.postal_code),
    ),
    "CP108": differ(flete, at("Receptor", Rfc=UNKNOWN)),
    "CP109": differ(flete, at(CONCEPTO, ClaveProdServ="84111506")),
    "CP110": differ(flete, at(CONCEPTO, ClaveProdServ="78101900")),
    "CP111": differ(carta_porte, at("Receptor", UsoCFDI="G03")),
}

_CARTAPORTE: dict[str, Example] = {
    "CP112": differ(carta_porte, {f"{HEAD}[2]": by_road_at_noon()}),
    "CP112:Concepto": Example(carta_porte, misplaced),
    "CP113": Example(carta_porte, beside_currencies),
    "CP114": Example(carta_porte, credit),
    "CP115": differ(carta_porte, at(HEAD, Version="3.0")),
    "CP116": differ(exports, {f"{HEAD}/RegimenesAduaneros": None}),
    "CP117": differ(exports, at(REGIMEN, RegimenAduanero="ZZZ")),
    "CP118": differ(imports, at(REGIMEN, RegimenAduanero="EXD")),
    "CP119": differ(exports, at(HEAD, EntradaSalidaMerc=None)),
    "CP120": differ(carta_porte, at(HEAD, EntradaSalidaMerc="Salida")),
    "CP121": differ(exports, at(HEAD, PaisOrigenDestino=None)),
    "CP122": differ(carta_porte, at(HEAD, PaisOrigenDestino="USA")),
    "CP123": differ(exports, at(HEAD, ViaEntradaSalida=None)),
    "CP124": differ(carta_porte, at(HEAD, ViaEntradaSalida="01")),
    "CP125": differ(carta_porte, at(HEAD, TotalDistRec=None)),
    "CP126": differ(carta_porte, at(HEAD, TotalDistRec="2.00")),
    "CP127": differ(
        carta_porte,
        at(HEAD, RegistroISTMO="Sí", UbicacionPoloOrigen="01"),
        at(HEAD, RegistroISTMO="Sí", UbicacionPoloOrigen="01", UbicacionPoloDestino="05"),
    ),
    "CP169": differ(exports, at(REGIMEN, RegimenAduanero="IMD")),
    "CP999:UbicacionPolo": differ(
        carta_porte, at(HEAD, RegistroISTMO="Sí", UbicacionPoloOrigen="01", UbicacionPoloDestino="99")
    ),
}

_UBICACION: dict[str, Example] = {
    "CP128": differ(
        rail,
        {**at(f"{UBICACION}[1]", TipoUbicacion="Destino", DistanciaRecorrida="100"), **at(HEAD, TotalDistRec="600")},
    ),
    "CP129": differ(rail, {f"{UBICACION}[2]": None, **at(HEAD, TotalDistRec="400")}),
    "CP130": differ(
        carta_porte,
        {**at(f"{UBICACION}[1]", TipoUbicacion="Destino", DistanciaRecorrida="1.00"), **at(HEAD, TotalDistRec="2.00")},
    ),
    "CP131": differ(with_third, at(f"{UBICACION}[3]", IDUbicacion=None)),
    "CP132": differ(carta_porte, at(UBICACION, RFCRemitenteDestinatario=UNKNOWN)),
    "CP133": differ(
        carta_porte,
        at(UBICACION, RFCRemitenteDestinatario=FOREIGN),
        at(UBICACION, RFCRemitenteDestinatario=FOREIGN, NumRegIdTrib=FOREIGN_ID, ResidenciaFiscal="USA"),
    ),
    "CP134": differ(
        carta_porte,
        at(UBICACION, RFCRemitenteDestinatario=FOREIGN, NumRegIdTrib=FOREIGN_ID, ResidenciaFiscal="MEX"),
        at(UBICACION, RFCRemitenteDestinatario=FOREIGN, NumRegIdTrib=FOREIGN_ID, ResidenciaFiscal="USA"),
    ),
    "CP135": differ(carta_porte, at(UBICACION, NumEstacion="PM001", NombreEstacion="Rosarito")),
    "CP136": differ(sea, at(UBICACION, NumEstacion="EA0417", NombreEstacion="Loreto")),
    "CP137": differ(sea, at(UBICACION, NombreEstacion="La Paz")),
    "CP138": differ(
        sea,
        at(UBICACION, NumEstacion="PM120", NombreEstacion="Extranjera", TipoEstacion=None),
        at(UBICACION, NumEstacion="PM120", NombreEstacion="Houston", TipoEstacion=None),
    ),
    "CP139": differ(carta_porte, at(UBICACION, NavegacionTrafico="Altura")),
    "CP140": differ(sea, at(UBICACION, TipoEstacion=None)),
    "CP141": differ(carta_porte, at(UBICACION, DistanciaRecorrida="1.00")),
    "CP142": differ(carta_porte, {f"{UBICACION}/Domicilio": None}),
    "CP143": addressed(f"{UBICACION}/Domicilio", {"Colonia": "0528"}),
    "CP144": addressed(f"{UBICACION}/Domicilio", {"Localidad": "99"}),
    "CP145": addressed(f"{UBICACION}/Domicilio", {"Municipio": "999"}),
    "CP146": addressed(f"{UBICACION}/Domicilio", {"Estado": "HID"}, THERE),
    "CP147": addressed(f"{UBICACION}/Domicilio", {"CodigoPostal": "42501", "Colonia": None}),
    "CP999:Ubicacion-Pais": addressed(f"{UBICACION}/Domicilio", {"Pais": "QQQ"}, THERE),
}

CARTAPORTE31: dict[str, Example] = {
    **_COMPROBANTE,
    **_CARTAPORTE,
    **_UBICACION,
    **TOGETHER,
    **GOODS,
    **WAYS,
    **FIGURES,
}

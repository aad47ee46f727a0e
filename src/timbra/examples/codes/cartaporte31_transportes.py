"""Examples of rules about the ways and who takes part, Carta Porte 3.1: CP182 to CP204, CP999."""

from __future__ import annotations

from timbra.examples.cartaporte31 import carta_porte, element
from timbra.examples.codes.cartaporte31_frame import (
    AEREO,
    AUTO,
    CARGO,
    CARRO,
    FIGURA,
    FOREIGN_ID,
    HEAD,
    MARITIMO,
    OWNER,
    SEGUROS,
    THERE,
    TRAILER,
    TREN,
    UNKNOWN,
    addressed,
    air,
    boxed,
    contained,
    dangerous,
    ferried,
    keyed,
    owned,
    rail,
    sea,
)
from timbra.examples.codes.example import Example, at, differ

WAYS: dict[str, Example] = {
    "CP182": differ(carta_porte, at(SEGUROS, AseguraMedAmbiente="ASEGURADORA", PolizaMedAmbiente="POLIZA2")),
    "CP183": differ(dangerous, at(SEGUROS, PolizaMedAmbiente=None)),
    "CP184": differ(carta_porte, at(f"{AUTO}/IdentificacionVehicular", ConfigVehicular="T3S2")),
    "CP185": differ(sea, at(MARITIMO, PermisoTempNavegacion="PERMISO1")),
    "CP186": differ(boxed, at(f"{MARITIMO}/Contenedor", NumPrecinto=None)),
    "CP187": differ(boxed, {f"{MARITIMO}/Contenedor/RemolquesCCP": element("RemolquesCCP", {}, TRAILER)}),
    "CP188": differ(air, at(AEREO, RFCEmbarcador=UNKNOWN)),
    "CP189": differ(air, at(AEREO, RFCEmbarcador=None)),
    "CP190": differ(
        air,
        at(AEREO, RFCEmbarcador=None, NumRegIdTribEmbarc=FOREIGN_ID, ResidenciaFiscalEmbarc="MEX"),
        at(AEREO, RFCEmbarcador=None, NumRegIdTribEmbarc=FOREIGN_ID, ResidenciaFiscalEmbarc="USA"),
    ),
    "CP191": differ(contained, at(f"{CARRO}/Contenedor", PesoNetoMercancia="9000")),
    "CP192": differ(rail, {f"{CARRO}/Contenedor": CARGO}),
    "CP999:Autotransporte-PermSCT": keyed(carta_porte, f"{AUTO}/@PermSCT", "QQ"),
    "CP999:ConfigVehicular": keyed(carta_porte, f"{AUTO}/IdentificacionVehicular/@ConfigVehicular", "QQ"),
    "CP999:SubTipoRem": differ(
        carta_porte,
        {
            **at(f"{AUTO}/IdentificacionVehicular", ConfigVehicular="VL"),
            f"{AUTO}/Remolques": element(
                "Remolques", {}, element("Remolque", {"SubTipoRem": "QQ", "Placa": "ABC1235"})
            ),
        },
        {
            **at(f"{AUTO}/IdentificacionVehicular", ConfigVehicular="VL"),
            f"{AUTO}/Remolques": element(
                "Remolques", {}, element("Remolque", {"SubTipoRem": "CTR004", "Placa": "ABC1235"})
            ),
        },
    ),
    "CP999:TransporteMaritimo-PermSCT": keyed(sea, f"{MARITIMO}/@PermSCT", "QQ"),
    "CP999:TipoEmbarcacion": keyed(sea, f"{MARITIMO}/@TipoEmbarcacion", "QQ"),
    "CP999:NacionalidadEmbarc": differ(sea, at(MARITIMO, NacionalidadEmbarc="QQQ", PermisoTempNavegacion="PERMISO1")),
    "CP999:TipoCarga": keyed(sea, f"{MARITIMO}/@TipoCarga", "QQ"),
    "CP999:NumAutorizacionNaviero": keyed(sea, f"{MARITIMO}/@NumAutorizacionNaviero", "QQ"),
    "CP999:TransporteMaritimo-TipoContenedor": keyed(boxed, f"{MARITIMO}/Contenedor/@TipoContenedor", "CM999"),
    "CP999:SubTipoRemCCP": keyed(ferried, f"{MARITIMO}/Contenedor/RemolquesCCP/RemolqueCCP/@SubTipoRemCCP", "QQ"),
    "CP999:TransporteAereo-PermSCT": keyed(air, f"{AEREO}/@PermSCT", "QQ"),
    "CP999:CodigoTransportista": keyed(air, f"{AEREO}/@CodigoTransportista", "QQ"),
    "CP999:ResidenciaFiscalEmbarc": keyed(air, f"{AEREO}/@ResidenciaFiscalEmbarc", "QQQ"),
    "CP999:TipoDeServicio": keyed(rail, f"{TREN}/@TipoDeServicio", "QQ"),
    "CP999:TipoDeTrafico": keyed(rail, f"{TREN}/@TipoDeTrafico", "QQ"),
    "CP999:TipoDerechoDePaso": differ(
        rail,
        {f"{TREN}/DerechosDePaso": element("DerechosDePaso", {"TipoDerechoDePaso": "QQ", "KilometrajePagado": "1"})},
        {
            f"{TREN}/DerechosDePaso": element(
                "DerechosDePaso", {"TipoDerechoDePaso": "CDP114", "KilometrajePagado": "1"}
            )
        },
    ),
    "CP999:TipoCarro": keyed(rail, f"{CARRO}/@TipoCarro", "QQ"),
    "CP999:TransporteFerroviario-TipoContenedor": keyed(contained, f"{CARRO}/Contenedor/@TipoContenedor", "QQ"),
}

FIGURES: dict[str, Example] = {
    "CP193": differ(carta_porte, {f"{HEAD}/FiguraTransporte": None}),
    "CP194": differ(carta_porte, {FIGURA: OWNER}),
    "CP195": differ(carta_porte, at(FIGURA, RFCFigura=UNKNOWN)),
    "CP196": differ(carta_porte, at(FIGURA, NumLicencia=None)),
    "CP197": differ(
        carta_porte,
        at(FIGURA, RFCFigura=None),
        at(FIGURA, RFCFigura=None, NumRegIdTribFigura=FOREIGN_ID, ResidenciaFiscalFigura="USA"),
    ),
    "CP198": differ(
        carta_porte,
        at(FIGURA, RFCFigura=None, NumRegIdTribFigura=FOREIGN_ID),
        at(FIGURA, RFCFigura=None, NumRegIdTribFigura=FOREIGN_ID, ResidenciaFiscalFigura="USA"),
    ),
    "CP199": differ(owned, {f"{FIGURA}[2]/PartesTransporte": None}),
    "CP200": addressed(f"{FIGURA}/Domicilio", {"Colonia": "0528"}),
    "CP201": addressed(f"{FIGURA}/Domicilio", {"Localidad": "99"}),
    "CP202": addressed(f"{FIGURA}/Domicilio", {"Municipio": "999"}),
    "CP203": addressed(f"{FIGURA}/Domicilio", {"Estado": "HID"}, THERE),
    "CP204": addressed(f"{FIGURA}/Domicilio", {"CodigoPostal": "42501", "Colonia": None}),
    "CP999:TipoFigura": differ(owned, {**at(f"{FIGURA}[2]", TipoFigura="99"), f"{FIGURA}[2]/PartesTransporte": None}),
    "CP999:ParteTransporte": keyed(owned, f"{FIGURA}[2]/PartesTransporte/@ParteTransporte", "QQ"),
    "CP999:TiposFigura-Pais": addressed(f"{FIGURA}/Domicilio", {"Pais": "QQQ"}, THERE),
}

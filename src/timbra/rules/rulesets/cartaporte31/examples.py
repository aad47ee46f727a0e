"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping

from timbra.examples.cartaporte31 import carta_porte, element, flete
from timbra.examples.codes.cartaporte31 import (
    AEREO,
    AUTO,
    DOCUMENTO,
    FIGURA,
    FOREIGN_ADDRESS,
    FOREIGN_ID,
    HEAD,
    MARITIMO,
    OTHER_DOCUMENT,
    TREN,
    UBICACION,
    air,
    customs_document,
    dangerous,
    egreso_with_complement,
    exports,
    freight_without_currency,
    imports,
    in_cfdi33,
    inside_concepto,
    medicine,
    narcotic,
    pesticide,
    precursor,
    rail,
    sea,
    shipment_with_own_times,
    toxic,
    with_address,
    with_divisas,
    with_ferry_vehicle,
    with_owner,
    with_quantities,
    with_rail_container,
    with_sea_container,
    with_third_location,
)
from timbra.examples.codes.cartaporte31 import FOREIGN as EXAMPLE_FOREIGN
from timbra.examples.codes.example import Example, at, example
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables
from timbra.rules.rulesets.cartaporte31.mercancias import DANGER, GOODS

BASE = carta_porte
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "CP101": Example(carta_porte, in_cfdi33),
    "CP102": {"@SubTotal": "1"},
    "CP103": {"@Moneda": "MXN"},
    "CP104": Example(flete, freight_without_currency),
    "CP105": {"@Total": "1"},
    "CP106": {"Conceptos/Concepto/@ObjetoImp": "09"},
    "CP107": {
        "Receptor/@Rfc": "URE180429TM6",
        "Receptor/@Nombre": "UNIVERSIDAD ROBOTICA ESPAÑOLA",
        "Receptor/@DomicilioFiscalReceptor": "86991",
    },
    "CP108": example(flete, {"Receptor/@Rfc": "ZZZ010101AAA"}),
    "CP109": example(flete, {"Conceptos/Concepto/@ClaveProdServ": "84111506"}),
    "CP110": example(flete, {"Conceptos/Concepto/@ClaveProdServ": "78101900"}),
    "CP111": {"Receptor/@UsoCFDI": "G03"},
    "CP112": example(carta_porte, {f"{HEAD}[2]": shipment_with_own_times()}),
    "CP112:Concepto": Example(carta_porte, inside_concepto),
    "CP113": Example(carta_porte, with_divisas),
    "CP114": Example(carta_porte, egreso_with_complement),
    "CP115": {"Complemento/CartaPorte/@Version": "3.0"},
    "CP116": example(exports, {"Complemento/CartaPorte/RegimenesAduaneros": None}),
    "CP117": example(exports, {"Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero": "ZZZ"}),
    "CP118": example(imports, {"Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero": "EXD"}),
    "CP119": example(exports, {"Complemento/CartaPorte/@EntradaSalidaMerc": None}),
    "CP120": {"Complemento/CartaPorte/@EntradaSalidaMerc": "Salida"},
    "CP121": example(exports, {"Complemento/CartaPorte/@PaisOrigenDestino": None}),
    "CP122": {"Complemento/CartaPorte/@PaisOrigenDestino": "USA"},
    "CP123": example(exports, {"Complemento/CartaPorte/@ViaEntradaSalida": None}),
    "CP124": {"Complemento/CartaPorte/@ViaEntradaSalida": "01"},
    "CP125": {"Complemento/CartaPorte/@TotalDistRec": None},
    "CP126": {"Complemento/CartaPorte/@TotalDistRec": "2.00"},
    "CP127": example(
        carta_porte,
        {"Complemento/CartaPorte/@RegistroISTMO": "Sí", "Complemento/CartaPorte/@UbicacionPoloOrigen": "01"},
        passes={
            "Complemento/CartaPorte/@RegistroISTMO": "Sí",
            "Complemento/CartaPorte/@UbicacionPoloOrigen": "01",
            "Complemento/CartaPorte/@UbicacionPoloDestino": "05",
        },
    ),
    "CP128": example(
        rail,
        {
            "Complemento/CartaPorte/Ubicaciones/Ubicacion[1]/@TipoUbicacion": "Destino",
            "Complemento/CartaPorte/Ubicaciones/Ubicacion[1]/@DistanciaRecorrida": "100",
            "Complemento/CartaPorte/@TotalDistRec": "600",
        },
    ),
    "CP129": example(
        rail, {"Complemento/CartaPorte/Ubicaciones/Ubicacion[2]": None, "Complemento/CartaPorte/@TotalDistRec": "400"}
    ),
    "CP130": {
        "Complemento/CartaPorte/Ubicaciones/Ubicacion[1]/@TipoUbicacion": "Destino",
        "Complemento/CartaPorte/Ubicaciones/Ubicacion[1]/@DistanciaRecorrida": "1.00",
        "Complemento/CartaPorte/@TotalDistRec": "2.00",
    },
    "CP131": example(with_third_location, {"Complemento/CartaPorte/Ubicaciones/Ubicacion[3]/@IDUbicacion": None}),
    "CP132": {"Complemento/CartaPorte/Ubicaciones/Ubicacion/@RFCRemitenteDestinatario": "ZZZ010101AAA"},
    "CP133": example(
        carta_porte,
        {"Complemento/CartaPorte/Ubicaciones/Ubicacion/@RFCRemitenteDestinatario": "XEXX010101000"},
        passes={
            "Complemento/CartaPorte/Ubicaciones/Ubicacion/@RFCRemitenteDestinatario": "XEXX010101000",
            "Complemento/CartaPorte/Ubicaciones/Ubicacion/@NumRegIdTrib": "123456789",
            "Complemento/CartaPorte/Ubicaciones/Ubicacion/@ResidenciaFiscal": "USA",
        },
    ),
    "CP134": example(
        carta_porte,
        at(UBICACION, RFCRemitenteDestinatario=EXAMPLE_FOREIGN, NumRegIdTrib=FOREIGN_ID, ResidenciaFiscal="MEX"),
        passes=at(UBICACION, RFCRemitenteDestinatario=EXAMPLE_FOREIGN, NumRegIdTrib=FOREIGN_ID, ResidenciaFiscal="USA"),
    ),
    "CP135": {
        "Complemento/CartaPorte/Ubicaciones/Ubicacion/@NumEstacion": "PM001",
        "Complemento/CartaPorte/Ubicaciones/Ubicacion/@NombreEstacion": "Rosarito",
    },
    "CP136": example(
        sea,
        {
            "Complemento/CartaPorte/Ubicaciones/Ubicacion/@NumEstacion": "EA0417",
            "Complemento/CartaPorte/Ubicaciones/Ubicacion/@NombreEstacion": "Loreto",
        },
    ),
    "CP137": example(sea, {"Complemento/CartaPorte/Ubicaciones/Ubicacion/@NombreEstacion": "La Paz"}),
    "CP138": example(
        sea,
        at(UBICACION, NumEstacion="PM120", NombreEstacion="Extranjera", TipoEstacion=None),
        passes=at(UBICACION, NumEstacion="PM120", NombreEstacion="Houston", TipoEstacion=None),
    ),
    "CP139": {"Complemento/CartaPorte/Ubicaciones/Ubicacion/@NavegacionTrafico": "Altura"},
    "CP140": example(sea, {"Complemento/CartaPorte/Ubicaciones/Ubicacion/@TipoEstacion": None}),
    "CP141": {"Complemento/CartaPorte/Ubicaciones/Ubicacion/@DistanciaRecorrida": "1.00"},
    "CP142": {"Complemento/CartaPorte/Ubicaciones/Ubicacion/Domicilio": None},
    "CP143": with_address(f"{UBICACION}/Domicilio", {"Colonia": "0528"}),
    "CP144": with_address(f"{UBICACION}/Domicilio", {"Localidad": "99"}),
    "CP145": with_address(f"{UBICACION}/Domicilio", {"Municipio": "999"}),
    "CP146": with_address(f"{UBICACION}/Domicilio", {"Estado": "HID"}, FOREIGN_ADDRESS),
    "CP147": with_address(f"{UBICACION}/Domicilio", {"CodigoPostal": "42501", "Colonia": None}),
    "CP148": {
        "Complemento/CartaPorte/Mercancias/Autotransporte": None,
        "Complemento/CartaPorte/@TotalDistRec": None,
        "Complemento/CartaPorte/Ubicaciones/Ubicacion[2]/@DistanciaRecorrida": None,
    },
    "CP149": {"Complemento/CartaPorte/Mercancias/@PesoBrutoTotal": "0.9999"},
    "CP150": example(sea, {"Complemento/CartaPorte/Mercancias/@PesoBrutoTotal": "2"}),
    "CP151": example(sea, {"Complemento/CartaPorte/Mercancias/@PesoNetoTotal": "2"}),
    "CP152": example(rail, {"Complemento/CartaPorte/Mercancias/@PesoNetoTotal": "11"}),
    "CP153": example(sea, {"Complemento/CartaPorte/Mercancias/@LogisticaInversaRecoleccionDevolucion": "Sí"}),
    "CP154": {"Complemento/CartaPorte/Mercancias/@NumTotalMercancias": "0"},
    "CP155": example(
        carta_porte,
        {"Complemento/CartaPorte/Mercancias/Mercancia/@BienesTransp": "11121900"},
        passes={
            "Complemento/CartaPorte/Mercancias/Mercancia/@BienesTransp": "11121900",
            "Complemento/CartaPorte/Mercancias/Mercancia/@MaterialPeligroso": "No",
        },
    ),
    "CP156": example(dangerous, {"Complemento/CartaPorte/Mercancias/Mercancia/@CveMaterialPeligroso": "9999"}),
    "CP157": example(dangerous, {"Complemento/CartaPorte/Mercancias/Mercancia/@Embalaje": None}),
    "CP158": {"Complemento/CartaPorte/Mercancias/Mercancia/@SectorCOFEPRIS": "09"},
    "CP159": example(
        medicine, {"Complemento/CartaPorte/Mercancias/Mercancia/@RegistroSanitarioFolioAutorizacion": None}
    ),
    "CP159:Needless": {"Complemento/CartaPorte/Mercancias/Mercancia/@DenominacionGenericaProd": "GENERICA"},
    "CP160": example(precursor, {"Complemento/CartaPorte/Mercancias/Mercancia/@NomQuimico": None}),
    "CP160:Needless": {"Complemento/CartaPorte/Mercancias/Mercancia/@NombreIngredienteActivo": "INGREDIENTE"},
    "CP161": example(
        narcotic, {"Complemento/CartaPorte/Mercancias/Mercancia/@RegistroSanitarioFolioAutorizacion": None}
    ),
    "CP162": example(toxic, {"Complemento/CartaPorte/Mercancias/Mercancia/@NumCAS": None}),
    "CP162:Needless": {"Complemento/CartaPorte/Mercancias/Mercancia/@NumCAS": "CAS1"},
    "CP163": example(pesticide, {"Complemento/CartaPorte/Mercancias/Mercancia/@UsoAutorizado": None}),
    "CP163:Needless": {"Complemento/CartaPorte/Mercancias/Mercancia/@UsoAutorizado": "USO"},
    "CP164": {"Complemento/CartaPorte/Mercancias/Mercancia/@PermisoImportacion": "P1"},
    "CP165": {"Complemento/CartaPorte/Mercancias/Mercancia/@FolioImpoVUCEM": "F1"},
    "CP166": {"Complemento/CartaPorte/Mercancias/Mercancia/@RazonSocialEmpImp": "IMPORTADORA"},
    "CP167": example(air, {"Complemento/CartaPorte/Mercancias/Mercancia/@ValorMercancia": None}),
    "CP168": example(
        carta_porte,
        {"Complemento/CartaPorte/Mercancias/Mercancia/@ValorMercancia": "100.00"},
        passes={
            "Complemento/CartaPorte/Mercancias/Mercancia/@ValorMercancia": "100.00",
            "Complemento/CartaPorte/Mercancias/Mercancia/@Moneda": "MXN",
        },
    ),
    "CP169": example(exports, {"Complemento/CartaPorte/RegimenesAduaneros/RegimenAduaneroCCP/@RegimenAduanero": "IMD"}),
    "CP170": {"Complemento/CartaPorte/Mercancias/Mercancia/@TipoMateria": "01"},
    "CP171": example(
        exports,
        {"Complemento/CartaPorte/Mercancias/Mercancia/@TipoMateria": "05"},
        passes={
            "Complemento/CartaPorte/Mercancias/Mercancia/@TipoMateria": "05",
            "Complemento/CartaPorte/Mercancias/Mercancia/@DescripcionMateria": "Otra materia",
        },
    ),
    "CP172": example(imports, {"Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera": None}),
    "CP173": example(
        exports,
        {"Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera": customs_document("01")},
        passes={
            "Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera": customs_document(
                "20", IdentDocAduanero="PAPEL1"
            )
        },
    ),
    "CP174": example(
        imports,
        {"Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@NumPedimento": "25 48 3009 0001234"},
    ),
    "CP175": example(
        imports,
        {"Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera": customs_document("20")},
        passes={
            "Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera": customs_document(
                "20", IdentDocAduanero="PAPEL1"
            )
        },
    ),
    "CP176": example(
        imports, {"Complemento/CartaPorte/Mercancias/Mercancia/DocumentacionAduanera/@RFCImpo": "ZZZ010101AAA"}
    ),
    "CP177": example(
        carta_porte,
        {"Conceptos/Concepto/@ClaveProdServ": "31181701"},
        passes={
            "Conceptos/Concepto/@ClaveProdServ": "31181701",
            "Complemento/CartaPorte/Mercancias/Mercancia/GuiasIdentificacion": ExampleNode(
                "cartaporte31:GuiasIdentificacion",
                {
                    "NumeroGuiaIdentificacion": "GUIA123456",
                    "DescripGuiaIdentificacion": "Caja",
                    "PesoGuiaIdentificacion": "1",
                },
            ),
        },
    ),
    "CP178": example(
        with_quantities, {"Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@IDOrigen": "OR999999"}
    ),
    "CP179": example(
        with_quantities, {"Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@IDDestino": "DE999999"}
    ),
    "CP180": example(
        with_quantities, {"Complemento/CartaPorte/Mercancias/Mercancia/CantidadTransporta/@CvesTransporte": "01"}
    ),
    "CP181": {
        "Complemento/CartaPorte/Mercancias/Mercancia/DetalleMercancia": ExampleNode(
            "cartaporte31:DetalleMercancia",
            {"UnidadPesoMerc": "Tu", "PesoBruto": "1", "PesoNeto": "1", "PesoTara": "1"},
        )
    },
    "CP182": {
        "Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@AseguraMedAmbiente": "ASEGURADORA",
        "Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@PolizaMedAmbiente": "POLIZA2",
    },
    "CP183": example(dangerous, {"Complemento/CartaPorte/Mercancias/Autotransporte/Seguros/@PolizaMedAmbiente": None}),
    "CP184": {"Complemento/CartaPorte/Mercancias/Autotransporte/IdentificacionVehicular/@ConfigVehicular": "T3S2"},
    "CP185": example(sea, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/@PermisoTempNavegacion": "PERMISO1"}),
    "CP186": example(
        with_sea_container, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/@NumPrecinto": None}
    ),
    "CP187": example(
        with_sea_container,
        {
            "Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/RemolquesCCP": ExampleNode(
                "cartaporte31:RemolquesCCP",
                children=[ExampleNode("cartaporte31:RemolqueCCP", {"SubTipoRemCCP": "CTR001", "PlacaCCP": "ABC1235"})],
            )
        },
    ),
    "CP188": example(air, {"Complemento/CartaPorte/Mercancias/TransporteAereo/@RFCEmbarcador": "ZZZ010101AAA"}),
    "CP189": example(air, {"Complemento/CartaPorte/Mercancias/TransporteAereo/@RFCEmbarcador": None}),
    "CP190": example(
        air,
        at(AEREO, RFCEmbarcador=None, NumRegIdTribEmbarc=FOREIGN_ID, ResidenciaFiscalEmbarc="MEX"),
        passes=at(AEREO, RFCEmbarcador=None, NumRegIdTribEmbarc=FOREIGN_ID, ResidenciaFiscalEmbarc="USA"),
    ),
    "CP191": example(
        with_rail_container,
        {"Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/Contenedor/@PesoNetoMercancia": "9000"},
    ),
    "CP192": example(
        rail,
        {
            "Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/Contenedor": ExampleNode(
                "cartaporte31:Contenedor",
                {"TipoContenedor": "TC01", "PesoContenedorVacio": "100", "PesoNetoMercancia": "10000"},
            )
        },
    ),
    "CP193": {"Complemento/CartaPorte/FiguraTransporte": None},
    "CP194": {
        "Complemento/CartaPorte/FiguraTransporte/TiposFigura": ExampleNode(
            "cartaporte31:TiposFigura",
            {"TipoFigura": "02", "RFCFigura": "EKU9003173C9", "NombreFigura": "ESCUELA KEMPER URGATE"},
            [ExampleNode("cartaporte31:PartesTransporte", {"ParteTransporte": "PT02"})],
        )
    },
    "CP195": {"Complemento/CartaPorte/FiguraTransporte/TiposFigura/@RFCFigura": "ZZZ010101AAA"},
    "CP196": {"Complemento/CartaPorte/FiguraTransporte/TiposFigura/@NumLicencia": None},
    "CP197": example(
        carta_porte,
        {"Complemento/CartaPorte/FiguraTransporte/TiposFigura/@RFCFigura": None},
        passes={
            "Complemento/CartaPorte/FiguraTransporte/TiposFigura/@RFCFigura": None,
            "Complemento/CartaPorte/FiguraTransporte/TiposFigura/@NumRegIdTribFigura": "123456789",
            "Complemento/CartaPorte/FiguraTransporte/TiposFigura/@ResidenciaFiscalFigura": "USA",
        },
    ),
    "CP198": example(
        carta_porte,
        at(FIGURA, RFCFigura=None, NumRegIdTribFigura=FOREIGN_ID),
        passes=at(FIGURA, RFCFigura=None, NumRegIdTribFigura=FOREIGN_ID, ResidenciaFiscalFigura="USA"),
    ),
    "CP199": example(with_owner, {"Complemento/CartaPorte/FiguraTransporte/TiposFigura[2]/PartesTransporte": None}),
    "CP200": with_address(f"{FIGURA}/Domicilio", {"Colonia": "0528"}),
    "CP201": with_address(f"{FIGURA}/Domicilio", {"Localidad": "99"}),
    "CP202": with_address(f"{FIGURA}/Domicilio", {"Municipio": "999"}),
    "CP203": with_address(f"{FIGURA}/Domicilio", {"Estado": "HID"}, FOREIGN_ADDRESS),
    "CP204": with_address(f"{FIGURA}/Domicilio", {"CodigoPostal": "42501", "Colonia": None}),
    "CP999:Autotransporte-PermSCT": {"Complemento/CartaPorte/Mercancias/Autotransporte/@PermSCT": "QQ"},
    "CP999:BienesTransp": {"Complemento/CartaPorte/Mercancias/Mercancia/@BienesTransp": "99999999"},
    "CP999:ClaveUnidad": {"Complemento/CartaPorte/Mercancias/Mercancia/@ClaveUnidad": "QQQ"},
    "CP999:CodigoTransportista": example(
        air, {"Complemento/CartaPorte/Mercancias/TransporteAereo/@CodigoTransportista": "QQ"}
    ),
    "CP999:CondicionesEspTransp": example(
        medicine, {"Complemento/CartaPorte/Mercancias/Mercancia/@CondicionesEspTransp": "99"}
    ),
    "CP999:ConfigVehicular": {
        "Complemento/CartaPorte/Mercancias/Autotransporte/IdentificacionVehicular/@ConfigVehicular": "QQ"
    },
    "CP999:FormaFarmaceutica": example(
        medicine, {"Complemento/CartaPorte/Mercancias/Mercancia/@FormaFarmaceutica": "99"}
    ),
    "CP999:FraccionArancelaria": {"Complemento/CartaPorte/Mercancias/Mercancia/@FraccionArancelaria": "0000000000"},
    "CP999:Moneda": {"Complemento/CartaPorte/Mercancias/Mercancia/@Moneda": "QQQ"},
    "CP999:NacionalidadEmbarc": example(
        sea,
        {
            "Complemento/CartaPorte/Mercancias/TransporteMaritimo/@NacionalidadEmbarc": "QQQ",
            "Complemento/CartaPorte/Mercancias/TransporteMaritimo/@PermisoTempNavegacion": "PERMISO1",
        },
    ),
    "CP999:NumAutorizacionNaviero": example(
        sea, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/@NumAutorizacionNaviero": "QQ"}
    ),
    "CP999:ParteTransporte": example(
        with_owner, {"Complemento/CartaPorte/FiguraTransporte/TiposFigura[2]/PartesTransporte/@ParteTransporte": "QQ"}
    ),
    "CP999:ResidenciaFiscalEmbarc": example(
        air, {"Complemento/CartaPorte/Mercancias/TransporteAereo/@ResidenciaFiscalEmbarc": "QQQ"}
    ),
    "CP999:SubTipoRem": example(
        carta_porte,
        {
            **at(f"{AUTO}/IdentificacionVehicular", ConfigVehicular="VL"),
            f"{AUTO}/Remolques": element(
                "Remolques", {}, element("Remolque", {"SubTipoRem": "QQ", "Placa": "ABC1235"})
            ),
        },
        passes={
            **at(f"{AUTO}/IdentificacionVehicular", ConfigVehicular="VL"),
            f"{AUTO}/Remolques": element(
                "Remolques", {}, element("Remolque", {"SubTipoRem": "CTR004", "Placa": "ABC1235"})
            ),
        },
    ),
    "CP999:SubTipoRemCCP": example(
        with_ferry_vehicle, at(f"{MARITIMO}/Contenedor/RemolquesCCP/RemolqueCCP", SubTipoRemCCP="QQ")
    ),
    "CP999:TipoCarga": example(sea, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/@TipoCarga": "QQ"}),
    "CP999:TipoCarro": example(
        rail, {"Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/@TipoCarro": "QQ"}
    ),
    "CP999:TipoDeServicio": example(
        rail, {"Complemento/CartaPorte/Mercancias/TransporteFerroviario/@TipoDeServicio": "QQ"}
    ),
    "CP999:TipoDeTrafico": example(
        rail, {"Complemento/CartaPorte/Mercancias/TransporteFerroviario/@TipoDeTrafico": "QQ"}
    ),
    "CP999:TipoDerechoDePaso": example(
        rail,
        {f"{TREN}/DerechosDePaso": element("DerechosDePaso", {"TipoDerechoDePaso": "QQ", "KilometrajePagado": "1"})},
        passes={
            f"{TREN}/DerechosDePaso": element(
                "DerechosDePaso", {"TipoDerechoDePaso": "CDP114", "KilometrajePagado": "1"}
            )
        },
    ),
    "CP999:TipoDocumento": example(
        exports,
        {DOCUMENTO: customs_document("99", IdentDocAduanero="PAPEL1")},
        passes={DOCUMENTO: OTHER_DOCUMENT},
    ),
    "CP999:TipoEmbarcacion": example(
        sea, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/@TipoEmbarcacion": "QQ"}
    ),
    "CP999:TipoFigura": example(
        with_owner,
        {
            "Complemento/CartaPorte/FiguraTransporte/TiposFigura[2]/@TipoFigura": "99",
            "Complemento/CartaPorte/FiguraTransporte/TiposFigura[2]/PartesTransporte": None,
        },
    ),
    "CP999:TiposFigura-Pais": with_address(f"{FIGURA}/Domicilio", {"Pais": "QQQ"}, FOREIGN_ADDRESS),
    "CP999:TransporteAereo-PermSCT": example(air, {"Complemento/CartaPorte/Mercancias/TransporteAereo/@PermSCT": "QQ"}),
    "CP999:TransporteFerroviario-TipoContenedor": example(
        with_rail_container,
        {"Complemento/CartaPorte/Mercancias/TransporteFerroviario/Carro/Contenedor/@TipoContenedor": "QQ"},
    ),
    "CP999:TransporteMaritimo-PermSCT": example(
        sea, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/@PermSCT": "QQ"}
    ),
    "CP999:TransporteMaritimo-TipoContenedor": example(
        with_sea_container, {"Complemento/CartaPorte/Mercancias/TransporteMaritimo/Contenedor/@TipoContenedor": "CM999"}
    ),
    "CP999:Ubicacion-Pais": with_address(f"{UBICACION}/Domicilio", {"Pais": "QQQ"}, FOREIGN_ADDRESS),
    "CP999:UbicacionPolo": {
        "Complemento/CartaPorte/@RegistroISTMO": "Sí",
        "Complemento/CartaPorte/@UbicacionPoloOrigen": "01",
        "Complemento/CartaPorte/@UbicacionPoloDestino": "99",
    },
    "CP999:UnidadPeso": {"Complemento/CartaPorte/Mercancias/@UnidadPeso": "QQ"},
    "CP999:UnidadPesoMerc": example(
        sea, {"Complemento/CartaPorte/Mercancias/Mercancia/DetalleMercancia/@UnidadPesoMerc": "QQ"}
    ),
}
FAILS_WITH: Mapping[str, Tables] = {
    "CP155": tables({GOODS: {"11121900": {DANGER: "0,1"}}}),
}

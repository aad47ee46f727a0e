"""The documents that violate the rules, by code, and the tables that replace the data in force."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from timbra.examples.codes.comercioexterior20 import (
    DESTINATION,
    GUANAJUATO,
    TEXAS,
    WITH_DIVISAS,
    destination,
    export_of_person,
    export_without_customs_data,
    exports,
    good,
    goods_without_customs_data,
    inside_concepto,
    of_goods,
    service_export,
    service_traslado,
    traslado_of_others,
    traslado_to_mexico,
    traslado_to_recipient,
    traslado_without_customs_data,
    two_complements,
    two_goods,
    valued,
    with_discount,
    without_number,
)
from timbra.examples.codes.example import Example, at, example
from timbra.examples.comercio_exterior20 import NUMBER, envio, exportacion, mercancia
from timbra.examples.comprobante import KEMPER
from timbra.examples.lists import PublishedRates
from timbra.examples.tree import ExampleNode
from timbra.rules.engine.rule import Fails
from timbra.rules.engine.tables import Tables, tables

BASE = exportacion
"""Builder of the document that the changes of `FAILS` concern."""
FAILS: Mapping[str, Fails] = {
    "CCE101": {"@TipoDeComprobante": "X"},
    "CCE102": example(traslado_of_others, {"Complemento/ComercioExterior/Propietario": None}),
    "CCE103": {
        "Complemento/ComercioExterior/Propietario": ExampleNode(
            "cce20:Propietario", {"NumRegIdTrib": "123456789", "ResidenciaFiscal": "USA"}
        ),
        "Complemento/ComercioExterior/@MotivoTraslado": "05",
    },
    "CCE105": {"@Exportacion": "03"},
    "CCE106": {
        "InformacionGlobal": ExampleNode("cfdi:InformacionGlobal", {"Periodicidad": "01", "Meses": "11", "Año": "2026"})
    },
    "CCE107": {
        "Receptor/@Rfc": "XAXX010101000",
        "Receptor/@Nombre": "CLIENTE",
        "Receptor/@ResidenciaFiscal": None,
        "Receptor/@NumRegIdTrib": None,
        "Complemento/ComercioExterior/Receptor/@NumRegIdTrib": None,
    },
    "CCE108": example(
        envio,
        {
            "Receptor/@Rfc": "URE180429TM6",
            "Receptor/@Nombre": "UNIVERSIDAD ROBOTICA ESPAÑOLA",
            "Receptor/@DomicilioFiscalReceptor": "86991",
            "Receptor/@RegimenFiscalReceptor": "601",
        },
    ),
    "CCE109": {"Conceptos/Concepto/Impuestos": None, "Impuestos": None},
    "CCE110": example(envio, {"Conceptos/Concepto/@ObjetoImp": "03"}),
    "CCE111": {
        "Conceptos/Concepto/ACuentaTerceros": ExampleNode(
            "cfdi:ACuentaTerceros",
            {
                "RfcACuentaTerceros": "URE180429TM6",
                "NombreACuentaTerceros": "UNIVERSIDAD ROBOTICA ESPAÑOLA",
                "RegimenFiscalACuentaTerceros": "601",
                "DomicilioFiscalACuentaTerceros": "86991",
            },
        )
    },
    "CCE112": {"Conceptos/Concepto/CuentaPredial": ExampleNode("cfdi:CuentaPredial", {"Numero": "1"})},
    "CCE113": Example(exportacion, two_complements),
    "CCE114": Example(exportacion, inside_concepto),
    "CCE115": exports(WITH_DIVISAS),
    "CCE116": example(
        envio,
        {"Complemento/ComercioExterior/@MotivoTraslado": "01"},
        passes={
            "Complemento/ComercioExterior/@MotivoTraslado": "01",
            "CfdiRelacionados": ExampleNode(
                "cfdi:CfdiRelacionados",
                {"TipoRelacion": "05"},
                [ExampleNode("cfdi:CfdiRelacionado", {"UUID": "5b64ada3-aa4c-40b4-a2f5-572ced52be31"})],
            ),
        },
    ),
    "CCE117": {"Complemento/ComercioExterior/@MotivoTraslado": "05"},
    "CCE118": example(
        exportacion,
        {"Complemento/ComercioExterior/@CertificadoOrigen": "1"},
        passes={
            "Complemento/ComercioExterior/@CertificadoOrigen": "1",
            "Complemento/ComercioExterior/@NumCertificadoOrigen": "000001",
        },
    ),
    "CCE119": example(
        exportacion,
        {"Complemento/ComercioExterior/@NumeroExportadorConfiable": "1"},
        passes={"Complemento/ComercioExterior/@NumeroExportadorConfiable": "1", "Receptor/@ResidenciaFiscal": "DEU"},
    ),
    "CCE120": {"Complemento/ComercioExterior/@Incoterm": None},
    "CCE121": {"Complemento/ComercioExterior/@TipoCambioUSD": "18.5001"},
    "CCE122": {"Complemento/ComercioExterior/@TotalUSD": "200.01"},
    "CCE123": {"Complemento/ComercioExterior/Emisor/@Curp": "XOJI740919MQTDMN02"},
    "CCE124": example(export_of_person, {"Complemento/ComercioExterior/Emisor/@Curp": None}),
    "CCE125": {"Complemento/ComercioExterior/Emisor/Domicilio/@Pais": "DEU"},
    "CCE126": {"Complemento/ComercioExterior/Emisor/Domicilio/@Estado": "TX"},
    "CCE127": {"Complemento/ComercioExterior/Emisor/Domicilio/@Municipio": "999"},
    "CCE128": {"Complemento/ComercioExterior/Emisor/Domicilio/@Localidad": "99"},
    "CCE129": {"Complemento/ComercioExterior/Emisor/Domicilio/@Colonia": "9999"},
    "CCE130": {"Complemento/ComercioExterior/Emisor/Domicilio/@Estado": "TAB"},
    "CCE131": example(
        traslado_of_others,
        {
            "Complemento/ComercioExterior/Propietario/@ResidenciaFiscal": "MEX",
            "Complemento/ComercioExterior/Propietario/@NumRegIdTrib": "ZZZ010101AAA",
        },
        passes={
            "Complemento/ComercioExterior/Propietario/@ResidenciaFiscal": "MEX",
            "Complemento/ComercioExterior/Propietario/@NumRegIdTrib": "EKU9003173C9",
        },
    ),
    "CCE132": example(traslado_of_others, {"Complemento/ComercioExterior/Propietario/@NumRegIdTrib": "ABCDEF"}),
    "CCE133": {"Complemento/ComercioExterior/Receptor/@NumRegIdTrib": None},
    "CCE134": {
        "Complemento/ComercioExterior/Receptor/Domicilio": ExampleNode(
            "cce20:Domicilio",
            {"Calle": "Primera", "Municipio": "015", "Estado": "GUA", "Pais": "MEX", "CodigoPostal": "36257"},
        )
    },
    "CCE135": {"Complemento/ComercioExterior/Receptor/@NumRegIdTrib": "12345678X"},
    "CCE136": example(
        traslado_to_mexico,
        {"Complemento/ComercioExterior/Receptor/Domicilio/@Colonia": "9999"},
        passes={"Complemento/ComercioExterior/Receptor/Domicilio/@Colonia": "0115"},
    ),
    "CCE137": example(
        traslado_to_mexico,
        {"Complemento/ComercioExterior/Receptor/Domicilio/@Localidad": "99"},
        passes={"Complemento/ComercioExterior/Receptor/Domicilio/@Localidad": "31"},
    ),
    "CCE138": example(traslado_to_mexico, {"Complemento/ComercioExterior/Receptor/Domicilio/@Municipio": "999"}),
    "CCE139": example(envio, {"Complemento/ComercioExterior/Receptor/Domicilio/@Estado": "HID"}),
    "CCE140": example(envio, {"Complemento/ComercioExterior/Receptor/Domicilio/@CodigoPostal": "1"}),
    "CCE141": example(traslado_to_mexico, {"Complemento/ComercioExterior/Receptor/Domicilio/@CodigoPostal": "42501"}),
    "CCE142": example(traslado_to_recipient(TEXAS), {f"{DESTINATION}[2]": destination(TEXAS)}),
    "CCE143": example(traslado_to_recipient(GUANAJUATO), at(DESTINATION, NumRegIdTrib=NUMBER)),
    "CCE144": example(traslado_to_recipient(TEXAS, NUMBER), at(DESTINATION, NumRegIdTrib="12345678X")),
    "CCE145": example(
        traslado_to_recipient(GUANAJUATO),
        at(f"{DESTINATION}/Domicilio", Colonia="9999"),
        passes=at(f"{DESTINATION}/Domicilio", Colonia="0115"),
    ),
    "CCE146": example(
        traslado_to_recipient(GUANAJUATO),
        at(f"{DESTINATION}/Domicilio", Localidad="99"),
        passes=at(f"{DESTINATION}/Domicilio", Localidad="31"),
    ),
    "CCE147": example(traslado_to_recipient(GUANAJUATO), at(f"{DESTINATION}/Domicilio", Municipio="999")),
    "CCE148": example(traslado_to_recipient(TEXAS), at(f"{DESTINATION}/Domicilio", Estado="HID")),
    "CCE149": example(traslado_to_recipient(TEXAS), at(f"{DESTINATION}/Domicilio", CodigoPostal="1")),
    "CCE150": example(
        traslado_to_recipient(GUANAJUATO), at(f"{DESTINATION}/Domicilio", CodigoPostal=KEMPER.postal_code)
    ),
    "CCE151": Example(exportacion, without_number),
    "CCE152": of_goods([mercancia(), good(NoIdentificacion="A9")]),
    "CCE153": of_goods([valued("100.00"), valued("100.00")]),
    "CCE154": example(traslado_without_customs_data, {"Conceptos/Concepto/@Cantidad": "0.0001"}),
    "CCE155": example(service_traslado, {"Conceptos/Concepto/@Unidad": "PIEZA"}),
    "CCE156": example(traslado_without_customs_data, {"Conceptos/Concepto/@ValorUnitario": "0.0"}),
    "CCE157": of_goods([valued("100.00")]),
    "CCE158": of_goods(
        [
            valued("100.00"),
            valued("150.00", FraccionArancelaria="2402100100", UnidadAduana="06"),
        ]
    ),
    "CCE159": example(
        service_export,
        {
            "Complemento/ComercioExterior/Mercancias/Mercancia/@FraccionArancelaria": "2402200100",
            "Complemento/ComercioExterior/Mercancias/Mercancia/@UnidadAduana": "01",
        },
    ),
    "CCE160": of_goods([good(FraccionArancelaria=None)]),
    "CCE161": of_goods([good(FraccionArancelaria="0000000000")]),
    "CCE162": example(export_without_customs_data, {"Conceptos/Concepto/@Unidad": "06"}),
    "CCE163": Example(with_discount("10.00"), with_discount(None)),
    "CCE164": Example(with_discount("10.00"), with_discount("5.00")),
    "CCE165": of_goods([good(CantidadAduana=None)]),
    "CCE166": Example(
        two_goods(good(NoIdentificacion="A2")), two_goods(goods_without_customs_data(NoIdentificacion="A2"))
    ),
    "CCE167": of_goods([good(UnidadAduana="06")]),
    "CCE168": of_goods([good(ValorUnitarioAduana="0", ValorDolares="1")]),
    "CCE169": of_goods([good(ValorDolares="0")]),
    "CCE170": of_goods([good(UnidadAduana="99")]),
    "CCE171": of_goods([good(ValorUnitarioAduana="190.00")]),
    "CCE172": example(
        export_without_customs_data,
        {
            "Complemento/ComercioExterior/Mercancias/Mercancia/@ValorDolares": "0",
            "Complemento/ComercioExterior/@TotalUSD": "0.00",
        },
    ),
    "CCE999:ClaveDePedimento": {"Complemento/ComercioExterior/@ClaveDePedimento": "ZZ"},
    "CCE999:Destinatario": example(traslado_to_recipient(TEXAS), at(f"{DESTINATION}/Domicilio", Pais="XYZ")),
    "CCE999:MotivoTraslado": example(envio, {"Complemento/ComercioExterior/@MotivoTraslado": "77"}),
    "CCE999:Propietario": example(
        traslado_of_others, {"Complemento/ComercioExterior/Propietario/@ResidenciaFiscal": "XYZ"}
    ),
    "CCE999:Receptor": example(envio, {"Complemento/ComercioExterior/Receptor/Domicilio/@Pais": "XYZ"}),
    "CCE999:UnidadAduana": example(
        service_export, {"Complemento/ComercioExterior/Mercancias/Mercancia/@UnidadAduana": "00"}
    ),
}
FAILS_WITH: Mapping[str, Tables] = {
    "CCE121": tables(exchange_rates=PublishedRates({"USD": Decimal("18.50")})),
}

"""Examples of rules about the goods of Carta Porte 3.1: CP148 to CP181, CP999."""

from __future__ import annotations

from timbra.examples.cartaporte31 import carta_porte, element
from timbra.examples.codes.cartaporte31_frame import (
    AUTO,
    CANTIDAD,
    CONCEPTO,
    DETAIL,
    DOCUMENTO,
    HEAD,
    MERCANCIA,
    MERCANCIAS,
    OTHER_PAPER,
    UBICACION,
    UNKNOWN,
    air,
    dangerous,
    divided,
    exports,
    imports,
    keyed,
    medicine,
    narcotic,
    pesticide,
    precursor,
    rail,
    sea,
    toxic,
)
from timbra.examples.codes.example import Example, at, differ

TOGETHER: dict[str, Example] = {
    "CP148": differ(
        carta_porte,
        {AUTO: None, **at(HEAD, TotalDistRec=None), **at(f"{UBICACION}[2]", DistanciaRecorrida=None)},
    ),
    "CP149": differ(carta_porte, at(MERCANCIAS, PesoBrutoTotal="0.9999")),
    "CP150": differ(sea, at(MERCANCIAS, PesoBrutoTotal="2")),
    "CP151": differ(sea, at(MERCANCIAS, PesoNetoTotal="2")),
    "CP152": differ(rail, at(MERCANCIAS, PesoNetoTotal="11")),
    "CP153": differ(sea, at(MERCANCIAS, LogisticaInversaRecoleccionDevolucion="Sí")),
    "CP154": differ(carta_porte, at(MERCANCIAS, NumTotalMercancias="0")),
    "CP999:UnidadPeso": keyed(carta_porte, f"{MERCANCIAS}/@UnidadPeso", "QQ"),
}

GOODS: dict[str, Example] = {
    "CP155": differ(
        carta_porte,
        at(MERCANCIA, BienesTransp="11121900"),
        at(MERCANCIA, BienesTransp="11121900", MaterialPeligroso="No"),
    ),
    "CP156": differ(dangerous, at(MERCANCIA, CveMaterialPeligroso="9999")),
    "CP157": differ(dangerous, at(MERCANCIA, Embalaje=None)),
    "CP158": differ(carta_porte, at(MERCANCIA, SectorCOFEPRIS="09")),
    "CP159": differ(medicine, at(MERCANCIA, RegistroSanitarioFolioAutorizacion=None)),
    "CP160": differ(precursor, at(MERCANCIA, NomQuimico=None)),
    "CP161": differ(narcotic, at(MERCANCIA, RegistroSanitarioFolioAutorizacion=None)),
    "CP162": differ(toxic, at(MERCANCIA, NumCAS=None)),
    "CP163": differ(pesticide, at(MERCANCIA, UsoAutorizado=None)),
    "CP159:Needless": differ(carta_porte, at(MERCANCIA, DenominacionGenericaProd="GENERICA")),
    "CP160:Needless": differ(carta_porte, at(MERCANCIA, NombreIngredienteActivo="INGREDIENTE")),
    "CP161:Needless": differ(carta_porte, at(MERCANCIA, DenominacionDistintivaProd="DISTINTIVA")),
    "CP162:Needless": differ(carta_porte, at(MERCANCIA, NumCAS="CAS1")),
    "CP163:Needless": differ(carta_porte, at(MERCANCIA, UsoAutorizado="USO")),
    "CP164": differ(carta_porte, at(MERCANCIA, PermisoImportacion="P1")),
    "CP165": differ(carta_porte, at(MERCANCIA, FolioImpoVUCEM="F1")),
    "CP166": differ(carta_porte, at(MERCANCIA, RazonSocialEmpImp="IMPORTADORA")),
    "CP167": differ(air, at(MERCANCIA, ValorMercancia=None)),
    "CP168": differ(
        carta_porte, at(MERCANCIA, ValorMercancia="100.00"), at(MERCANCIA, ValorMercancia="100.00", Moneda="MXN")
    ),
    "CP170": differ(carta_porte, at(MERCANCIA, TipoMateria="01")),
    "CP171": differ(
        exports, at(MERCANCIA, TipoMateria="05"), at(MERCANCIA, TipoMateria="05", DescripcionMateria="Otra materia")
    ),
    "CP172": differ(imports, {DOCUMENTO: None}),
    "CP173": differ(
        exports, {DOCUMENTO: element("DocumentacionAduanera", {"TipoDocumento": "01"})}, {DOCUMENTO: OTHER_PAPER}
    ),
    "CP174": differ(imports, at(DOCUMENTO, NumPedimento="25 48 3009 0001234")),
    "CP175": differ(
        imports, {DOCUMENTO: element("DocumentacionAduanera", {"TipoDocumento": "20"})}, {DOCUMENTO: OTHER_PAPER}
    ),
    "CP176": differ(imports, at(DOCUMENTO, RFCImpo=UNKNOWN)),
    "CP177": differ(
        carta_porte,
        at(CONCEPTO, ClaveProdServ="31181701"),
        {
            **at(CONCEPTO, ClaveProdServ="31181701"),
            f"{MERCANCIA}/GuiasIdentificacion": element(
                "GuiasIdentificacion",
                {
                    "NumeroGuiaIdentificacion": "GUIA123456",
                    "DescripGuiaIdentificacion": "Caja",
                    "PesoGuiaIdentificacion": "1",
                },
            ),
        },
    ),
    "CP178": differ(divided, at(CANTIDAD, IDOrigen="OR999999")),
    "CP179": differ(divided, at(CANTIDAD, IDDestino="DE999999")),
    "CP180": differ(divided, at(CANTIDAD, CvesTransporte="01")),
    "CP181": differ(carta_porte, {f"{MERCANCIA}/DetalleMercancia": DETAIL}),
    "CP999:BienesTransp": keyed(carta_porte, f"{MERCANCIA}/@BienesTransp", "99999999"),
    "CP999:ClaveUnidad": keyed(carta_porte, f"{MERCANCIA}/@ClaveUnidad", "QQQ"),
    "CP999:FormaFarmaceutica": keyed(medicine, f"{MERCANCIA}/@FormaFarmaceutica", "99"),
    "CP999:CondicionesEspTransp": keyed(medicine, f"{MERCANCIA}/@CondicionesEspTransp", "99"),
    "CP999:Moneda": keyed(carta_porte, f"{MERCANCIA}/@Moneda", "QQQ"),
    "CP999:FraccionArancelaria": keyed(carta_porte, f"{MERCANCIA}/@FraccionArancelaria", "0000000000"),
    "CP999:TipoDocumento": differ(
        exports,
        {DOCUMENTO: element("DocumentacionAduanera", {"TipoDocumento": "99", "IdentDocAduanero": "PAPEL1"})},
        {DOCUMENTO: OTHER_PAPER},
    ),
    "CP999:UnidadPesoMerc": keyed(sea, f"{MERCANCIA}/DetalleMercancia/@UnidadPesoMerc", "QQ"),
}

"""Notes on single rules in Spanish: how a sentence is applied, and which code reports a related error."""

from __future__ import annotations

_WRONG_PLACE = "Si hay otro complemento en su lugar, también pueden incumplirse reglas sobre el contenido del concepto."
_FORM_OF_DATE = "La fecha debe cumplir el patrón t_FechaH y existir en el calendario."
_CURRENT_PRODUCTS = "Se usan los productos de CFDI 4.0, los únicos disponibles."
_NO_CODE = "Es un aviso: la matriz no tiene un código para esta condición."
_SEVERAL_DECIMALS = "Ambos lados se comparan con los decimales de la moneda; se aceptaron importes sin redondear."
_SUM_OF_LINE = "Se suman las mercancías con el mismo número de identificación y la misma fracción."
_UNKNOWN_POSTAL_CODE = "Un código postal que no existe no es de ningún contribuyente."
_UNKNOWN_PERMIT = "No se evalúa con un permiso que no se conoce."

NOTES: dict[str, str] = {
    # CFDI 4.0
    "CFDI40101": _FORM_OF_DATE,
    "CFDI40119": (
        "SubTotal - Descuento + traslados - retenciones + traslados locales - retenciones locales; "
        "0 en los tipos T y P."
    ),
    "CFDI40136": "El año del comprobante o uno de los cinco anteriores, a partir de 2019.",
    "CFDI40138": "Se incumple cuando el RFC del emisor no está inscrito o está cancelado.",
    "CFDI40142": "El esquema ya exige diez dígitos.",
    "CFDI40144": "Se busca el nombre en toda la lista: sin un índice de nombres, otro nombre no se puede evaluar.",
    "CFDI40147": _UNKNOWN_POSTAL_CODE,
    "CFDI40148": (
        "El error usual es el código postal de una sucursal o de entrega; si no existe, se informa CFDI40147."
    ),
    "CFDI40158": "Debe ser de su tipo de persona y, si la lista trae regímenes, uno de los inscritos.",
    "CFDI40159": "En Nómina el receptor es un trabajador: 605, también con un RFC genérico (NOM11).",
    "CFDI40189": "El tercero extranjero lleva un texto fijo; un RFC que no está inscrito no tiene nombre registrado.",
    "CFDI40191": "El estándar pide además el tipo de persona; la matriz no, y los proveedores timbran otros regímenes.",
    "CFDI40192": _UNKNOWN_POSTAL_CODE,
    "CFDI40193": "Con IVA de 8 % se admite cualquier código postal de la franja fronteriza.",
    "CFDI40213": "Si todos los traslados de los conceptos son Exento: Base, Impuesto y TipoFactor, y ningún total.",
    "CFDI40222": "Con Exportacion 04 el complemento es opcional.",
    "CFDI140226": "06 y 08: ni IVA ni IEPS; se puede retener ISR.",
    "CFDI140227": "07: sin IVA y con IEPS trasladado; se puede retener IEPS e ISR.",
    "CFDI40999:Complemento-Vigencia": (
        "El SAT ha cambiado estas fechas: la validación da un aviso, y el timbrado rechaza el comprobante."
    ),
    "CFDI40999:HYP-required": ("Cada concepto de gasolina o diésel lleva un complemento Hidrocarburos y Petrolíferos."),
    "CFDI40999:Nomina-required": (
        "NOM2 rechaza el complemento en comprobantes de otro tipo, y NOM30 el que está en un concepto."
    ),
    "CFDI40999:Pagos-required": "CRP20101 rechaza el complemento en comprobantes de otro tipo.",
    "CFDI40999:TipoRelacion-04": (
        "Un ingreso puede sustituir a un egreso y al revés; los demás tipos sustituyen al mismo tipo."
    ),
    # CFDI 3.3
    "CFDI33101": _FORM_OF_DATE,
    "CFDI33110": "Se timbraron comprobantes con Descuento 0 aunque ningún concepto lo lleve.",
    "CFDI33113": "Se compara como número: se aceptó 1.000000.",
    "CFDI33118": (
        "Ambos lados se comparan con los decimales de la moneda, porque ninguna regla limita los de Total; "
        "0 en los tipos T y P."
    ),
    "CFDI33122": "PIP no está en ningún catálogo vigente con CFDI 3.3, así que también se incumple CFDI33121.",
    "CFDI33125": "Se usan los códigos postales de CFDI 4.0, los únicos disponibles.",
    "CFDI33132": "Con una lista de otra fecha que el comprobante, el error se informa como aviso.",
    "CFDI33142": _CURRENT_PRODUCTS,
    "CFDI33144": _CURRENT_PRODUCTS,
    "CFDI33159": (
        "Ningún código indica qué impuestos se pueden trasladar, así que aquí se evalúa también una tasa de ISR."
    ),
    "CFDI33172": _CURRENT_PRODUCTS,
    "CFDI33179": "En Nómina, que el Anexo 20 también menciona, se informa NOM149.",
    "CFDI33189": _SEVERAL_DECIMALS,
    "CFDI33195": _SEVERAL_DECIMALS,
    # Recepción de Pagos 1.0
    "CRP212": "La matriz indica 02 a 06, 28 y 29: las formas de pago que la columna marca.",
    "CRP214": "La matriz indica 02 a 05, 28 y 29: las formas de pago que la columna marca.",
    "CRP215": "Las mismas formas de pago que en CRP214.",
    "CRP216": "La matriz indica 03: la forma de pago que la columna marca.",
    "CRP220": "Un TipoCambioDR ausente se informa con CRP218.",
    "CRP226": "Sin ImpSaldoAnt, o sin un ImpPagado obligatorio, solo se exige que no sea negativo.",
    "CRP235": "Es obligatorio con varios documentos o con TipoCambioDR; en otro caso vale Monto.",
    "CRP238": "Las mismas formas de pago que en CRP212.",
    # Recepción de Pagos 2.0
    "CRP20217": "Sin tolerancia.",
    "CRP20218": (
        "También se incumple CRP20217; si todos los documentos son de otra moneda, CRP20276 en lugar de CRP20217."
    ),
    "CRP20220": "También se incumple CRP20211: MontoTotalPagos no admite una suma tan grande.",
    "CRP20264": "También se incumple CRP20201; con ISR o IEPS, CRP20202 o CRP20203 en su lugar.",
    "CRP20266": "Si todos los traslados de los documentos son Exento: BaseP, ImpuestoP y TipoFactorP.",
    "CRP20267": (
        "También se incumple CRP20204; con una tasa distinta de 16 %, CRP20206, CRP20208 o CRP20210 en su lugar."
    ),
    "CRP20273": (
        "Se evalúa si algún documento traslada IVA que no es Exento. También se incumple CRP20205; "
        "con una tasa distinta de 16 %, CRP20207 o CRP20209."
    ),
    "CRP20275": "Todo importe positivo cumple: solo puede incumplirla uno que también incumple CRP20241.",
    "CRP20277": "Se evalúa si el pago tiene documentos en su moneda y documentos en otra.",
    "CRP20278": "06 y 08: ni IVA ni IEPS; se puede retener ISR.",
    "CRP20279": "07: sin IVA y con IEPS trasladado; se puede retener IEPS e ISR.",
    "CRP20999:FormaDePagoP-columns": (
        "Lo que las columnas indican de los otros atributos tiene códigos propios; NumOperacion siempre es opcional."
    ),
    "CRP20999:Pagos-unique": "Un solo nodo Pagos y, además, únicamente el timbre y Registro Fiscal.",
    "CRP20999:UsoCFDI": f"{_NO_CODE} Un proveedor timbra pagos con otros usos.",
    # Comercio Exterior 2.0
    "CCE107": "El RFC del público en general no se admite en una exportación.",
    "CCE114": _WRONG_PLACE,
    "CCE116": (
        "Algún CFDI relacionado debe ser de tipo I. No se evalúa mientras no se conozca el tipo de todos "
        "y ninguno de los conocidos sea I."
    ),
    "CCE121": "El tipo de cambio del artículo 20 del Código Fiscal para la fecha del comprobante.",
    "CCE122": "Se escribe con dos decimales exactos; ValorDolares puede llevar cuatro.",
    "CCE126": "Con otro país, que incumple CCE125, debe ser un estado de ese país.",
    "CCE129": "El esquema del SAT solo admite claves: también se rechaza un texto que no es de cuatro dígitos.",
    "CCE131": "El registro del SAT es la l_RFC; no hay otro disponible.",
    "CCE135": "Que el país no sea México se revisa en CCE134.",
    "CCE144": "Que el país no sea México se revisa en CCE143.",
    "CCE157": ("Se suman las mercancías con el mismo número de identificación; no se compara si alguna vale 0 o 1."),
    "CCE158": "La condición de CCE157 cuando varias mercancías llevan el mismo número de identificación.",
    "CCE160": "La matriz une sus dos condiciones con «o»; se sigue el estándar, que dice «en cualquier otro caso».",
    "CCE161": "Con UnidadAduana debe ser la de la fracción arancelaria.",
    "CCE163": (
        "El Descuento de los conceptos es el límite de CCE164. Se informa en la primera mercancía con ese número "
        "y esa fracción."
    ),
    "CCE164": f"{_SUM_OF_LINE} Se informa en la primera.",
    "CCE165": ("O ninguno de los tres datos, o todos; si varios conceptos o mercancías comparten el número, todos."),
    "CCE166": "En todas las mercancías o en ninguna.",
    "CCE169": "También se admite 1.",
    "CCE171": "La condición de CCE169 para valores distintos de 0 y 1.",
    "CCE172": "También se admite 1; en un servicio, 0.",
    # Carta Porte 3.1
    "CP112:Concepto": _WRONG_PLACE,
    "CP113": "Los complementos de un concepto no se limitan.",
    "CP116": "El estándar permite el nodo y la matriz lo exige; se sigue la matriz.",
    "CP117": "Que exista un régimen cuando la mercancía cruza la frontera se revisa en CP116.",
    "CP155": "1: es material peligroso; 0: no lo es; 0,1: el comprobante lo indica.",
    "CP184": "1: obligatorio; 0: prohibido; 0,1: opcional.",
    "CP186": "Un transbordador lleva vehículos con sus propios datos; los demás llevan contenedores sellados.",
    "CP194": "Que exista alguna figura se revisa en CP193.",
    "CP999:ResidenciaFiscalEmbarc": "Con NumRegIdTribEmbarc se informa CP190.",
    # INE 1.1
    "INE187": "Cada combinación de entidad y ámbito aparece una sola vez.",
    # Hidrocarburos y Petrolíferos 1.0
    "CCHYP107": "No se evalúa con un TipoPermiso que no se conoce.",
    "CCHYP107:L_CNE": "La lista solo contiene permisos vigentes.",
    "CCHYP108": _UNKNOWN_PERMIT,
    "CCHYP110": "No se evalúa con un combustible que no se conoce.",
    "CFDI40999:HYP-ClaveHYP-L_CNE": _UNKNOWN_PERMIT,
    "CFDI40999:HYP-unit": "Es un aviso: ninguna matriz conocida tiene un código para esta condición.",
    # Nómina 1.2
    "NOM8": "El régimen 605 y el uso CN01 también son solo de personas físicas.",
    "NOM11": "Con un RFC que no es genérico se incumple CFDI40161 en lugar de CFDI40159.",
    "NOM13": "Que el concepto no lleve nodos se revisa en NOM24 a NOM29, un código por nodo.",
    "NOM30": _WRONG_PLACE,
    "NOM31": ("Sin totales no se paga nada: ValorUnitario es 0 e incumple CFDI40166, o se incumplen NOM20 y NOM21."),
    "NOM69": "También se incumple alguno de NOM70 a NOM74; NOM73 si el error está en TotalGravado.",
    "NOM75": "Las revisiones C y D piden lo mismo de la suma; los importes no son negativos.",
    "NOM89": "Con la percepción 044 se incumple NOM81 en lugar de NOM80.",
    "NOM90": "Con la percepción 039 se incumple NOM80 en lugar de NOM81.",
    "NOM109": (
        "Las prestaciones de previsión social exentas llevan la clave 056. Antes de la revisión E, este número "
        "era el de los errores sin código."
    ),
    "NOM111:TotalOtrasDeducciones": _NO_CODE,
    "NOM111:TotalOtrosPagos": f"Como NOM36 y NOM38. {_NO_CODE}",
    # Nómina 1.2 en CFDI 3.3
    "NOM150": _WRONG_PLACE,
    "NOM225:TotalOtrasDeducciones": _NO_CODE,
    "NOM225:TotalOtrosPagos": f"Como NOM156 y NOM158. {_NO_CODE}",
    # Certificado, sello, fecha y timbre
    "TFD-FECHA": "No antes del comprobante, a lo más 72 horas después y no en el futuro; se comparan instantes.",
    "TFD-PROVEEDOR": "El proveedor debe ser conocido y su certificado estar vigente al timbrar.",
    "303": (
        "Se admite el certificado del SAT con el complemento Registro Fiscal, y el de un proveedor con "
        "FacAtrAdquirente."
    ),
    "304": "En la validación, un comprobante timbrado con el certificado vigente sigue siendo válido al vencer este.",
    "308": "Se evalúa en la fecha de expedición del certificado: las autoridades vencen, los comprobantes no.",
    "401": (
        "72 horas hacia atrás y 5 minutos hacia adelante, como instantes: Fecha es la hora local de LugarExpedicion. "
        "Si no es una fecha, se informa CFDI40101."
    ),
    "402": "ValidezObligaciones de 1 a 4. No indica nada del estado del RFC ni de los certificados.",
    "CFDI33102": "La misma regla en CFDI 3.3, con su propia cadena original.",
    "CFDI33105": (
        "La misma regla en CFDI 3.3; quién lo expidió, a quién y por cuánto tiempo son códigos del proveedor."
    ),
    "CFDI40102": (
        "RSA PKCS#1 v1.5 con SHA-256 sobre la cadena original. El detalle muestra la cadena para compararla con la "
        "propia."
    ),
    "CFDI40106": ("Certificado es base64 de un certificado en formato DER y NoCertificado es su número de serie."),
    # Espacios de nombres, esquemas y lugares
    "CC3001": (
        "La pareja del espacio de nombres del comprobante y la dirección de su esquema en el SAT; puede haber otras."
    ),
    "CO1001": (
        "El prefijo y el elemento que el SAT usa con ese espacio de nombres. Un espacio de nombres que difiere solo en "
        "mayúsculas o en la barra final se toma por el mismo, mal escrito."
    ),
    "CO1002": "Solo el timbre declara su propio espacio de nombres.",
    "NS-REPETIDO": "Un prefijo por espacio de nombres y una dirección por esquema.",
    "SELLO-COMPLEMENTO": (
        "Lo que la hoja de estilo de la versión omite no está en la cadena original: cambiarlo no invalida el sello."
    ),
}
"""By the code of a rule, with the name after the colon; most rules need no note."""

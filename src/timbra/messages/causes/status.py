"""Codes of the fiscal status (CodigoEstatus, ValidacionEFOS), and the findings of validation that are of no rule."""

from __future__ import annotations

from collections.abc import Iterator

from timbra.messages.causes.cause import Cause, ServiceCode

STATUS = "Estado fiscal: CodigoEstatus de ConsultaCFDI"
EFOS = "Estado fiscal: ValidacionEFOS (validacionEFOS)"
FINDING = "Validación: aviso"

_LISTED = (
    "Pida al emisor que acredite la operación o autocorrija su situación fiscal: el artículo 69-B del CFF no reconoce "
    "efectos fiscales al comprobante. Confirme la lista en el sitio del SAT."
)
_CLEAR = "No hace falta nada."


def _listed(who: str) -> tuple[str, Cause]:
    return (
        f"En el listado definitivo del artículo 69-B del CFF está {who}.",
        Cause(f"El SAT tiene en ese listado (EFOS) el RFC: {who}.", _LISTED),
    )


_THIRD = "un tercero por cuenta de quien se factura"
STATUS_CODES: dict[str, tuple[str, Cause]] = {
    "S": (
        "S - Comprobante obtenido satisfactoriamente.",
        Cause(
            "El SAT tiene el CFDI, y el UUID, los RFC, el total y el sello corresponden.", "Lea Estado y EsCancelable."
        ),
    ),
    "N - 601": (
        "N - 601: La expresión impresa proporcionada no es válida.",
        Cause(
            "A la consulta le falta el total o el UUID.",
            "Consulte con los datos del XML timbrado: RFC de emisor y receptor, total y UUID.",
        ),
    ),
    "N - 602": (
        "N - 602: Comprobante no encontrado.",
        Cause(
            "El UUID no está en los registros del SAT, el proveedor aún no lo entrega, o un dato no es el del CFDI: "
            "RFC, total o fin del sello. Un documento alterado da este código.",
            "Consulte con los datos del XML timbrado, sin redondear el total. Si el timbre es reciente repita la "
            "consulta hasta 72 horas después; si no, pida otro CFDI al emisor.",
        ),
    ),
}
EFOS_CODES: dict[str, tuple[str, Cause]] = {
    "100": _listed("el emisor"),
    "101": _listed("el emisor y un tercero"),
    "102": _listed(_THIRD),
    "103": _listed(_THIRD),
    "104": _listed("el emisor"),
    "200": (
        "El emisor no está en el listado del artículo 69-B del CFF.",
        Cause("El RFC del emisor no está en el listado definitivo.", _CLEAR),
    ),
    "201": (
        "Ni el emisor ni los terceros están en el listado del artículo 69-B del CFF.",
        Cause("Ningún RFC del comprobante que se revisa está en el listado definitivo.", _CLEAR),
    ),
}
FINDINGS: dict[str, Cause] = {
    "EFOS": Cause("ValidacionEFOS de la consulta al SAT es 100, 101, 102, 103 o 104, o no se conoce.", _LISTED),
    "69B-DEFINITIVO": Cause("La lista del SAT tiene un RFC del comprobante con la situación Definitivo.", _LISTED),
    "69B-PRESUNTO": Cause(
        "La lista del SAT tiene un RFC con la situación Presunto; el contribuyente aún puede aclararla.",
        "Reúna las pruebas de la operación y consulte la situación otra vez antes de deducir el comprobante.",
    ),
    "CFDI32-REGLAS": Cause(
        "El documento es un CFDI 3.2: el SAT retiró la versión el 30 de noviembre de 2017 y no publica su matriz.",
        "Nada que corregir: la estructura, el certificado, el sello y el timbre sí se revisaron.",
    ),
    "CFD22-REGLAS": Cause(
        "El documento es un CFD 2.2, sin timbre: el SAT lo retiró y los datos no tienen su esquema ni su cadena.",
        "Consulte los folios del emisor en el SAT: aquí solo se revisó el certificado.",
    ),
    "RET10-REGLAS": Cause(
        "El documento es un Retenciones 1.0: el SAT retiró la versión y publica solo la matriz de la 2.0.",
        "Nada que corregir: la estructura, el certificado, el sello y el timbre sí se revisaron.",
    ),
    "RECEPTOR-AJENO": Cause(
        "El RFC del receptor no es ninguno de los que se dieron con `timbra validate --receiver`.",
        "Pida al emisor un comprobante para su RFC: este no ampara una operación suya.",
    ),
    "TOTAL-IMPRESO": Cause(
        "El PDF se cambió después de imprimirse, o lleva adjunto el XML de otro comprobante.",
        "Confíe en el XML, que es el comprobante, y pida al emisor su representación impresa.",
    ),
    "SIN-TIMBRE": Cause(
        "El documento no trae TimbreFiscalDigital: aún no se timbra, o se le quitó el timbre.",
        "Valide el XML timbrado. Es un aviso, y un error con `timbra validate --require-stamp`.",
    ),
}
"""Findings of validation that are none of a rule; their sentences are in `timbra.messages.service`."""


def status_codes() -> Iterator[ServiceCode]:
    """Yield every code of the fiscal status."""
    for entries, context in ((STATUS_CODES, STATUS), (EFOS_CODES, EFOS)):
        for code, (message, cause) in entries.items():
            yield ServiceCode(code, context, message, *cause)

"""Sentences of the error matrix of INE 1.1."""

from __future__ import annotations

INE11: dict[str, str] = {
    "INE180": "Con TipoProceso Ordinario, TipoComite debe existir.",
    "INE181": "Con TipoProceso Precampaña o Campaña debe haber al menos una Entidad, y todas con Ambito.",
    "INE182": "Con TipoProceso Precampaña o Campaña, TipoComite no debe existir.",
    "INE183": "Con TipoProceso Precampaña o Campaña, IdContabilidad del nodo INE no debe existir.",
    "INE184": "Con TipoComite Ejecutivo Nacional no debe haber ninguna Entidad.",
    "INE185": "Con TipoComite Ejecutivo Estatal, IdContabilidad del nodo INE no debe existir.",
    "INE186": "Con TipoComite Ejecutivo o Directivo Estatal debe haber al menos una Entidad, y ninguna con Ambito.",
    "INE187": "La combinación de ClaveEntidad y Ambito no debe repetirse.",
    "INE188": "Con Ambito Local, ClaveEntidad debe ser una entidad federativa, no el país ni una circunscripción.",
    "INE999": "El complemento INE no cumple con algo que la matriz no clasifica.",
}

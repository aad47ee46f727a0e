"""Texts of `timbra sandbox reset` and `timbra sandbox state`."""

from __future__ import annotations

SPANISH: dict[str, str] = {
    "Save the sandbox to a file, and restore it.": "Guardar el ambiente de pruebas en un archivo y restaurarlo.",
    "Remove the accounts too, except those of administrators.": (
        "Eliminar también las cuentas, excepto las de administradores."
    ),
    "Remove everything that testing produced; accounts, tokens, certificates and the authority's keys stay.": (
        "Eliminar todo lo que produjeron las pruebas; "
        "quedan cuentas, tokens, certificados y las llaves de la autoridad."
    ),
    "File to write; an existing one is replaced.": "Archivo que se escribe; si existe, se reemplaza.",
    "Save the sandbox to a file while the server runs; its secrets stay encrypted under the master key.": (
        "Guardar el ambiente de pruebas en un archivo mientras el servidor funciona; "
        "sus secretos siguen cifrados con la llave maestra."
    ),
    "File of `timbra sandbox state save`.": "Archivo de `timbra sandbox state save`.",
    "Replace the sandbox by a saved one while the server runs: all or nothing.": (
        "Reemplazar el ambiente de pruebas por uno guardado mientras el servidor funciona: todo o nada."
    ),
    "Removed: {stamps} stamps, {documents} CFDI of the ledger, {rejections} rejections": (
        "Se eliminaron: {stamps} timbres, {documents} CFDI de la autoridad simulada, {rejections} rechazos"
    ),
    "Remove the data of this account only.": "Eliminar solo los datos de esta cuenta.",
    "Do not ask before the data of the account are removed.": "No preguntar antes de eliminar los datos de la cuenta.",
    "not with --accounts": "no junto con --accounts",
    "Remove all stamps, rejections and calls of {user}?": (
        "¿Eliminar todos los timbres, rechazos y llamadas de {user}?"
    ),
    "Removed: {stamps} stamps, {documents} CFDI of the ledger, {rejections} rejections, {calls} calls": (
        "Se eliminaron: {stamps} timbres, {documents} CFDI de la autoridad simulada, {rejections} rechazos, "
        "{calls} llamadas"
    ),
    "Removed: {accounts} accounts": "Se eliminaron: {accounts} cuentas",
    "Saved: {rows} rows, {size} bytes": "Se guardaron: {rows} renglones, {size} bytes",
    "Restored: {rows} rows, saved at {saved_at}": "Se restauraron: {rows} renglones, guardados el {saved_at}",
}

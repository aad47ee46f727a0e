"""Texts of `timbra audit`."""

from __future__ import annotations

SPANISH = {
    "The audit log: who changed what, chained by hashes and signed.": (
        "La bitácora de auditoría: quién cambió qué, encadenada con hashes y firmada."
    ),
    "List events, newest first; the sequence is empty for an event that is not in the chain yet.": (
        "Lista los eventos, los más nuevos primero; el número queda vacío mientras el evento no está en la cadena."
    ),
    "Only events about this account.": "Solo los eventos sobre esta cuenta.",
    "Only this kind (token.created), or this group of kinds (token).": (
        "Solo este tipo (token.created) o este grupo de tipos (token)."
    ),
    "Only events of this user.": "Solo los eventos de este usuario.",
    "Only this subject: a user, token, certificate or folio.": (
        "Solo este asunto: un usuario, un token, un certificado o un folio."
    ),
    "Day in UTC.": "Día en UTC.",
    "Maximum number of events.": "Número máximo de eventos.",
    "sequence": "número",
    "time (UTC)": "hora (UTC)",
    "event": "evento",
    "actor": "autor",
    "address": "dirección",
    "account": "cuenta",
    "request": "solicitud",
    "content": "contenido",
    "Verify every event, link and head; prints what is wrong, and ends with code 1 then.": (
        "Verifica cada evento, eslabón y firma; si algo está mal, lo muestra y termina con el código 1."
    ),
    "Give it a head that is kept on another machine: only that proves that the log was not shortened or made again.": (
        "Dele una cabeza guardada en otra máquina: solo eso prueba que la bitácora no se recortó ni se hizo de nuevo."
    ),
    "Without a head that was kept on another machine (--head, --heads), a log that was made again is not detected.": (
        "Sin una cabeza guardada en otra máquina (--head, --heads) no se detecta una bitácora hecha de nuevo."
    ),
    "File with the heads that a destination of TIMBRA_AUDIT_HEADS has.": (
        "Archivo con las cabezas que tiene un destino de TIMBRA_AUDIT_HEADS."
    ),
    "--heads must be a file of heads, one JSON object per line": (
        "--heads debe ser un archivo de cabezas, un objeto JSON por línea"
    ),
    "The server has accounts, but its audit log has no events.": (
        "El servidor tiene cuentas, pero su bitácora de auditoría no tiene eventos."
    ),
    "The data folder has no file audit-head.json, although the log has heads.": (
        "La carpeta de datos no tiene el archivo audit-head.json, aunque la bitácora tiene cabezas."
    ),
    "SEQUENCE:HASH": "NÚMERO:HASH",
    "An export, instead of the database.": "Una exportación, en lugar de la base de datos.",
    "With --file: public key, or its identifier, that must have signed; repeatable.": (
        "Con --file: llave pública, o su identificador, que debe haber firmado; se puede repetir."
    ),
    "A head that was printed before, which the log must contain; repeatable.": (
        "Una cabeza que se mostró antes y que la bitácora debe contener; se puede repetir."
    ),
    "The event or its link was changed.": "El evento o su eslabón se cambió.",
    "The event was deleted.": "El evento se borró.",
    "The link was deleted.": "El eslabón se borró.",
    "The head and the chain differ: the chain was computed again.": (
        "La cabeza firmada no coincide con la cadena: la cadena se calculó de nuevo."
    ),
    "No known key of this server signed the head.": "Ninguna llave conocida de este servidor firmó la cabeza.",
    "A head that was known before is not in the log.": "Una cabeza que se conocía no está en la bitácora.",
    "The end of the log was removed from here on.": "El final de la bitácora se quitó a partir de aquí.",
    "No head covers the end of the log.": "Ninguna cabeza firmada cubre el final de la bitácora.",
    "The event is not in the chain.": "El evento no está en la cadena.",
    "event {}": "evento {}",
    "events: {links}, heads: {heads}": "eventos: {links}, cabezas: {heads}",
    "key: {id} {public}": "llave: {id} {public}",
    "head: {head}": "cabeza: {head}",
    "--head must be SEQUENCE:HASH": "--head debe ser NÚMERO:HASH",
    "a day must be YYYY-MM-DD": "un día se escribe AAAA-MM-DD",
    "Write events, links, heads and public keys as JSON lines, for `timbra audit verify --file`.": (
        "Escribe eventos, eslabones, cabezas y llaves públicas como líneas JSON, para `timbra audit verify --file`."
    ),
    "File to write; standard output by default.": (
        "Archivo que se escribe; de forma predeterminada, la salida estándar."
    ),
    "First sequence.": "Primer número.",
    "Last sequence.": "Último número.",
}

"""Texts about the data folder of a command, and of the commands that change roles and issue certificates."""

from __future__ import annotations

SPANISH = {
    "Folder of all embedded state. By default TIMBRA_DATA, or the user's data folder.": (
        "Carpeta con todo el estado. De forma predeterminada la de TIMBRA_DATA, o la carpeta de datos del usuario."
    ),
    "Folder whose sandbox seals it, so that `timbra validate` with the same folder has its certificate. By default "
    "TIMBRA_DATA, or the user's data folder; the example sandbox in the cache folder when neither exists.": (
        "Carpeta cuyo ambiente de pruebas lo sella, para que `timbra validate` con la misma carpeta tenga su "
        "certificado. De forma predeterminada la de TIMBRA_DATA, o la carpeta de datos del usuario; el ambiente de "
        "ejemplos de la carpeta de caché si no hay ninguna de las dos."
    ),
    "Folder whose certificates and lists apply, such as that of the sandbox that stamped the documents. By default "
    "TIMBRA_DATA, or the user's data folder; the example sandbox in the cache folder when neither exists.": (
        "Carpeta cuyos certificados y listas se aplican, como la del ambiente de pruebas que timbró los documentos. De "
        "forma predeterminada la de TIMBRA_DATA, o la carpeta de datos del usuario; el ambiente de ejemplos de la "
        "carpeta de caché si no hay ninguna de las dos."
    ),
    "The data folder {folder} does not exist ({choice}).": "La carpeta de datos {folder} no existe ({choice}).",
    "The data folder {folder} has no database ({choice}).": (
        "La carpeta de datos {folder} no tiene base de datos ({choice})."
    ),
    "The data folder {folder} is a file ({choice}).": "La carpeta de datos {folder} es un archivo ({choice}).",
    "The data folder {folder} cannot be read: {reason}.": "La carpeta de datos {folder} no se puede leer: {reason}.",
    "The data folder {folder} cannot be created: {reason}.": (
        "La carpeta de datos {folder} no se puede crear: {reason}."
    ),
    "The data folder {folder} is read-only.": "La carpeta de datos {folder} es de solo lectura.",
    "Create one with `timbra account create USER{option}` or `timbra dev{option}`, or give the folder of an existing "
    "server with --data.": (
        "Cree una con `timbra account create USUARIO{option}` o `timbra dev{option}`, o indique con --data la carpeta "
        "de un servidor existente."
    ),
    "Run `timbra account create USER --administrator{option}` first, then `timbra lists fetch{option}` and "
    "`timbra provider check --online{option}`, or give the folder of an existing server with --data.": (
        "Ejecute primero `timbra account create USUARIO --administrator{option}`, luego `timbra lists fetch{option}` y "
        "`timbra provider check --online{option}`, o indique con --data la carpeta de un servidor existente."
    ),
    "chosen by --data": "elegida con --data",
    "chosen by TIMBRA_DATA": "elegida con TIMBRA_DATA",
    "the default folder": "la carpeta predeterminada",
    # timbra account
    "Create an account, and the data folder if it does not exist; prints the user name and the role.": (
        "Crea una cuenta, y la carpeta de datos si no existe; muestra el usuario y la función."
    ),
    "Create an administrator: all accounts, the server's state, sandbox controls.": (
        "Crea un administrador: todas las cuentas, el estado del servidor, los controles del ambiente de pruebas."
    ),
    "Create the first administrator, with a random password, and print a link that signs in once.": (
        "Crea el primer administrador, con una contraseña aleatoria, y muestra un enlace que entra una vez."
    ),
    "Does nothing, with exit code 0, when the database has an account.": (
        "No hace nada, con código de salida 0, si la base de datos tiene una cuenta."
    ),
    "The database has an account already; a new link: timbra account link {user}": (
        "La base de datos ya tiene una cuenta; un enlace nuevo: timbra account link {user}"
    ),
    "Make an account an administrator; prints its user name and role.": (
        "Convierte una cuenta en administrador; muestra su usuario y su función."
    ),
    "Make an administrator an ordinary account, except the last active one; prints its user name and role.": (
        "Convierte a un administrador, salvo al último activo, en una cuenta ordinaria; muestra su usuario y su "
        "función."
    ),
    # timbra csd mint
    "Issue a certificate (CSD or e.firma) and its private key; prints certificate number, RFC and name.": (
        "Expide un certificado (CSD o e.firma) y su llave privada; muestra número de certificado, RFC y nombre."
    ),
    "csd: a seal certificate. fiel or efirma: the taxpayer's e.firma, for tests: seals of it are rejected with 306.": (
        "csd: un certificado de sello digital. fiel o efirma: la e.firma del contribuyente, para pruebas: sus sellos "
        "se rechazan con 306."
    ),
}

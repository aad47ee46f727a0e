"""Spanish texts of `timbra dev`, `timbra demo` and `timbra account link`."""

from __future__ import annotations

SPANISH = {
    "API": "API",
    "Portal": "Portal",
    "OpenAPI": "OpenAPI",
    "Token:": "Token:",
    # Help.
    "Serve a sandbox that is ready to use: account, token and CSDs of the SAT's test taxpayers.": "Sirve un ambiente "
    "de pruebas listo para usarse: cuenta, token y CSD de los contribuyentes de prueba del SAT.",
    "Prints the URLs, the credentials, a command that issues an example invoice, and a one-time link to the portal.": (
        "Muestra las direcciones, las credenciales, un comando que emite una factura de ejemplo y un enlace de un solo "
        "uso al portal."
    ),
    "TIMBRA_DEV_USER, TIMBRA_DEV_PASSWORD and TIMBRA_DEV_TOKEN set the credentials of the account.": "TIMBRA_DEV_USER, "
    "TIMBRA_DEV_PASSWORD y TIMBRA_DEV_TOKEN fijan las credenciales de la cuenta.",
    "Folder of all state; without it, a temporary folder that is removed at the end.": "Carpeta de todos los datos; "
    "sin ella, una carpeta temporal que se borra al final.",
    "YAML file with accounts, taxpayers, CSDs, faults and the clock.": "Archivo YAML con cuentas, contribuyentes, CSD, "
    "fallas y el reloj.",
    "Simulate faults that clients must survive; TIMBRA_STRICT_... set them.": (
        "Simula fallas que los clientes deben soportar; TIMBRA_STRICT_... las fijan."
    ),
    "Stop when standard input ends, so that the server never outlives the program that started it.": "Se detiene "
    "cuando termina la entrada estándar, para que el servidor nunca sobreviva al programa que lo inició.",
    "Serve HTTPS with a local CA in the data folder.": "Sirve HTTPS con una autoridad certificadora local, en la "
    "carpeta de datos.",
    "Print the line of the hosts file for the vendor's test hosts, and exit.": "Muestra la línea del archivo hosts "
    "para los servidores de prueba del proveedor, y termina.",
    "Start a server; seal, stamp, validate and print CFDI 4.0 of several kinds over HTTP; print the result.": "Arranca "
    "un servidor; sella, timbra, valida e imprime CFDI 4.0 de varios tipos por HTTP; muestra el resultado.",
    "Folder for the data and the results of the demonstration.": "Carpeta para los datos y los resultados de la "
    "demostración.",
    "Print a link that signs in to the portal once, within 15 minutes, without a password.": "Muestra un enlace que "
    "entra al portal una vez, durante 15 minutos, sin contraseña.",
    "Base URL of the server; by default the setting TIMBRA_PUBLIC_URL.": "Dirección base del servidor; si no se da, la "
    "de TIMBRA_PUBLIC_URL.",
    "Validator": "Validador",
    "Documentation": "Documentación",
    "Metrics": "Métricas",
    "Health": "Estado",
    "User": "Usuario",
    "Password": "Contraseña",
    "RFC with a CSD": "RFC con CSD",
    "Data folder": "Carpeta de datos",
    "CA certificate to trust": "Certificado de la autoridad",
    "Issue an example invoice:": "Emitir una factura de ejemplo:",
    "Sign in to the portal, once, within 15 minutes:": "Entrar al portal, una vez, durante 15 minutos:",
    "The vendor's npm SDK drops the port of a URL: start with --port {port} for it.": "El SDK de npm del proveedor "
    "ignora el puerto de la dirección: para él, arranque con --port {port}.",
    "For clients with fixed hosts add this line to the hosts file: {line}": "Para clientes con servidores fijos, "
    "agregue esta línea al archivo hosts: {line}",
    "The CA is temporary like the data; --data DIR keeps it.": "La autoridad es temporal, como los datos; --data DIR "
    "la conserva.",
    "Other machines may reach this address, and the password is well known.": "Otras máquinas pueden alcanzar esta "
    "dirección, y la contraseña es conocida.",
    # Failures.
    "{name} is not a variable of `timbra dev`; it has {variables}.": "{name} no es una variable de `timbra dev`; tiene "
    "{variables}.",
    "{name} must be a user name without blanks.": "{name} debe ser un nombre de usuario sin espacios.",
    "{name} must have {least} to {most} letters, digits or . _ ~ + / - characters.": "{name} debe tener de {least} a "
    "{most} letras, dígitos o caracteres . _ ~ + / -.",
    "`timbra dev` works in the sandbox only, and TIMBRA_ENVIRONMENT is {environment}.": "`timbra dev` solo funciona en "
    "el ambiente de pruebas, y TIMBRA_ENVIRONMENT es {environment}.",
    "Cannot listen on {host}:{port}: {reason}{advice}.": "No se puede escuchar en {host}:{port}: {reason}{advice}.",
    "; choose another port with --port": "; elija otro puerto con --port",
    "Cannot use the folder {folder}: {reason}.": "No se puede usar la carpeta {folder}: {reason}.",
    "The local CA in {folder} is damaged; delete that folder.": "La autoridad local en {folder} está dañada; borre esa "
    "carpeta.",
    # Problems of the seed file, after the place.
    "is missing": "falta",
    "is not a known key": "no es una clave conocida",
    "must be a text": "debe ser un texto",
    "must not be empty": "no debe estar vacío",
    "has the wrong form": "está mal formado",
    "must be true or false": "debe ser true o false",
    "must be a whole number": "debe ser un número entero",
    "must be a number": "debe ser un número",
    "is too small": "es demasiado pequeño",
    "is too large": "es demasiado grande",
    "must be one of {values}": "debe ser uno de estos: {values}",
    "must be a list": "debe ser una lista",
    "must be a mapping with keys and values": "debe tener claves y valores",
    "is not a well-formed RFC": "no es un RFC bien formado",
    "must be an instant such as 2026-11-17T12:00:00 or a duration such as +72h": "debe ser un instante como "
    "2026-11-17T12:00:00 o una duración como +72h",
    "is larger than 1 MiB": "mide más de 1 MiB",
    "is not valid YAML": "no es YAML válido",
    "the key appears twice": "la clave aparece dos veces",
    "aliases are not supported": "no se admiten alias",
    # The demonstration.
    "Preparing an account and certificates": "Preparando una cuenta y certificados",
    "CFDI 4.0, issued and validated over HTTP": "CFDI 4.0, emitidos y validados por HTTP",
    "Kind": "Tipo",
    "Folio (UUID)": "Folio (UUID)",
    "FechaTimbrado": "FechaTimbrado",
    "Status": "Estado",
    "Errors found": "Errores encontrados",
    "none": "ninguno",
    "XML, QR and PDF of each: {folder}": "XML, QR y PDF de cada uno: {folder}",
    "Sandbox: these stamps have no fiscal effect (sin validez fiscal).": "Ambiente de pruebas: estos timbres no tienen "
    "validez fiscal.",
    "To look at them in the portal: timbra dev --data {folder}": "Para verlos en el portal: timbra dev --data {folder}",
}

"""Texts of `timbra example`, `stamp`, `cancel`, `validate` and `explain`."""

from __future__ import annotations

SPANISH = {
    # timbra example
    "Print a minimal valid CFDI, sealed with a sandbox certificate.": (
        "Imprime un CFDI válido mínimo, sellado con un certificado del ambiente de pruebas."
    ),
    "`timbra validate` with the same data folder reports no findings. Issuing the document replaces its seal.": (
        "`timbra validate` con la misma carpeta de datos no encuentra nada en él. La emisión del documento reemplaza "
        "su sello."
    ),
    "Name of the document; `timbra example --list` lists all names.": (
        "Nombre del documento; `timbra example --list` muestra todos."
    ),
    "List all documents with complement and versions.": "Lista todos los documentos con complemento y versiones.",
    "Version of the CFDI, 3.3 or 4.0. By default the newest that the document has.": (
        "Versión del CFDI, 3.3 o 4.0. De forma predeterminada la más reciente que tiene el documento."
    ),
    "Fecha of the document. By default a date with which it can be stamped now.": (
        "Fecha del documento. De forma predeterminada una con la que se puede timbrar ahora."
    ),
    "Print the document without seal and certificate.": "Imprime el documento sin sello ni certificado.",
    "Folder whose sandbox seals it, so that `timbra validate` over the same folder knows its certificate; TIMBRA_DATA "
    "if not given, a temporary one without either.": (
        "Carpeta cuyo ambiente de pruebas lo sella, para que `timbra validate` con la misma carpeta reconozca su "
        "certificado; si no se indica, la de TIMBRA_DATA, y sin ninguna de las dos, una temporal."
    ),
    # timbra stamp
    "Seal and stamp documents; prints a line for each: file, UUID and stamped file.": (
        "Sella y timbra documentos; muestra una línea por cada uno: archivo, UUID y archivo timbrado."
    ),
    "A rejected document gives a line on standard error, and exit code 1 after all documents.": (
        "Un documento rechazado da una línea en la salida de errores, y código de salida 1 después de todos los "
        "documentos."
    ),
    "CFDI 4.0 documents.": "Documentos CFDI 4.0.",
    "User name of the account that requests, and whose CSD seals.": (
        "Usuario de la cuenta que hace la solicitud y cuyo CSD sella."
    ),
    "The documents are sealed: only stamp them.": "Los documentos ya están sellados: solo los timbra.",
    "Folder for the stamped documents.": "Carpeta para los documentos timbrados.",
    # timbra cancel
    "Request the cancellation of a CFDI; prints UUID, code and meaning of the code, then the acuse.": (
        "Solicita la cancelación de un CFDI; muestra UUID, código y significado del código, y después el acuse."
    ),
    "UUID of the CFDI.": "UUID del CFDI.",
    "User name of the account that requests, and whose CSD signs.": (
        "Usuario de la cuenta que hace la solicitud y cuyo CSD firma."
    ),
    "Motive of cancellation: 01 (with a substitute), 02, 03 or 04.": (
        "Motivo de cancelación: 01 (con un sustituto), 02, 03 o 04."
    ),
    "UUID of the CFDI that replaces the cancelled one, for motive 01.": (
        "UUID del CFDI que sustituye al cancelado, para el motivo 01."
    ),
    "RFC of the issuer. By default the server looks it up in its own stamps.": (
        "RFC del emisor. De forma predeterminada se busca en los timbres propios."
    ),
    "File for the acuse; by default the acuse is printed.": (
        "Archivo para el acuse; de forma predeterminada el acuse se muestra."
    ),
    "UUID": "UUID",
    "code": "código",
    "meaning": "significado",
    # timbra validate
    "Validate documents and show all errors of each.": "Valida documentos y muestra todos los errores de cada uno.",
    "Exit code 0: all documents are valid. 1: a document has an error or is not a readable CFDI. 2: wrong usage, or no "
    "document found.": (
        "Código de salida 0: todos los documentos son válidos. 1: un documento tiene un error o no es un CFDI legible. "
        "2: uso incorrecto, o ningún documento."
    ),
    "CFDI 3.3 or 4.0 documents, folders and zip archives of them; `-` reads standard input.": (
        "Documentos CFDI 3.3 o 4.0, y carpetas y archivos zip de ellos; `-` lee la entrada estándar."
    ),
    "Print one JSON object per document, each on a line.": "Imprime un objeto JSON por documento, uno en cada línea.",
    "Query the authority for the fiscal status as well.": "Consulta también a la autoridad el estado fiscal.",
    "Also show sections without findings, and rules that were not evaluated.": (
        "Muestra también las secciones sin hallazgos y las reglas que no se evaluaron."
    ),
    "Treat warnings as errors.": "Trata los avisos como errores.",
    "Number of validating processes.": "Número de procesos que validan.",
    # timbra explain
    "Explain what a code requires, its source in the norm and the data that its rule needs; or print a document.": (
        "Explica qué exige un código, su fuente en la norma y los datos que su regla necesita; o imprime un documento."
    ),
    "`timbra validate` with the same data folder reports no findings for `pass`, and that code for `fail`.": (
        "`timbra validate` con la misma carpeta de datos no encuentra nada en el de `pass`, y ese código en el de "
        "`fail`."
    ),
    "Code, such as CFDI40147 or 305.": "Código, como CFDI40147 o 305.",
    "Print a sealed document that satisfies or violates the rule, instead of the explanation.": (
        "Imprime un documento sellado que cumple (`pass`) o incumple (`fail`) la regla, en vez de la explicación."
    ),
    "List all rule sets instead.": "Lista en su lugar todos los conjuntos de reglas.",
    "Give a code, such as CFDI40147, or --books.": "Indique un código, como CFDI40147, o --books.",
    "Unknown code {code}.": "No se conoce el código {code}.",
    "{code} has no example documents.": "{code} no tiene documentos de ejemplo.",
    "Rule sets": "Conjuntos de reglas",
    "Standard": "Norma",
    "CFDI": "CFDI",
    "Revision": "Revisión",
    "Codes": "Códigos",
    "Rules": "Reglas",
    "Suspended": "Suspendidas",
    "Inactive": "Inactivas",
    "Without rule": "Sin regla",
    "Page": "Página",
    "Requires": "Exige",
    # Messages of timbra example
    " Did you mean {names}?": " ¿Quiso decir {names}?",
    "Unknown document «{name}».{suggestion} All: timbra example --list": (
        "No se conoce el documento «{name}».{suggestion} Todos: timbra example --list"
    ),
    "{name} exists in CFDI {versions}, not in {version}.": "{name} se hace en CFDI {versions}, no en {version}.",
    "Example documents": "Documentos de ejemplo",
    "Name": "Nombre",
    "Version": "Versión",
    "Complement": "Complemento",
    # Messages of timbra validate
    "{file}: does not exist.": "{file}: no existe.",
    "There are no .xml documents in what was given.": "No hay documentos .xml en lo que se indicó.",
    "validating": "validando",
    "error": "error",
    "warning": "aviso",
    "{count} documents": "{count} documentos",
    "without errors": "sin errores",
    "of them, with warnings": "de ellos, con avisos",
    "with errors": "con errores",
    "not a readable CFDI 3.3 or 4.0": "no son un CFDI 3.3 o 4.0 legible",
    "not evaluated: {codes}": "no evaluadas: {codes}",
    "found: {value}": "encontrado: {value}",
    "expected: {value}": "esperado: {value}",
    "nothing": "nada",
}

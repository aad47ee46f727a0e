"""Texts of `timbra example`, `stamp`, `cancel`, `validate` and `explain`."""

from __future__ import annotations

SPANISH = {
    # timbra example
    "Print a minimal valid CFDI or retención, sealed with a sandbox certificate.": (
        "Imprime un CFDI o una retención mínima y válida, sellada con un certificado del ambiente de pruebas."
    ),
    "`timbra validate` with the same data folder reports only that it has no stamp. Issuing the document replaces its "
    "seal.": (
        "`timbra validate` con la misma carpeta de datos solo avisa que no lleva timbre. La emisión del documento "
        "reemplaza su sello."
    ),
    "Name of the document; `timbra example --list` lists all names.": (
        "Nombre del documento; `timbra example --list` muestra todos."
    ),
    "List all documents with complement and versions.": "Lista todos los documentos con complemento y versiones.",
    "Version of the document: 4.0 or 3.3 of a CFDI, 2.0 of a retención. By default the newest that it has.": (
        "Versión del documento: 4.0 o 3.3 de un CFDI, 2.0 de una retención. De forma predeterminada la más reciente "
        "que tiene."
    ),
    "Fecha or FechaExp of the document. By default a date with which it can be stamped now.": (
        "Fecha o FechaExp del documento. De forma predeterminada una con la que se puede timbrar ahora."
    ),
    "Print the document without seal and certificate.": "Imprime el documento sin sello ni certificado.",
    # timbra stamp
    "Seal and stamp documents; prints a line for each: file, UUID and stamped file.": (
        "Sella y timbra documentos; muestra una línea por cada uno: archivo, UUID y archivo timbrado."
    ),
    "A rejected document gives a line on standard error, and exit code 1 after all documents.": (
        "Un documento rechazado da una línea en la salida de errores, y código de salida 1 después de todos los "
        "documentos."
    ),
    "User name of the account that requests, and whose CSD seals.": (
        "Usuario de la cuenta que hace la solicitud y cuyo CSD sella."
    ),
    "The documents are sealed: only stamp them.": "Los documentos ya están sellados: solo los timbra.",
    # timbra cancel
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
    "UUID": "UUID",
    "code": "código",
    "meaning": "significado",
    # timbra validate
    "Validate documents and show all errors of each.": "Valida documentos y muestra todos los errores de cada uno.",
    "Exit code 0: all documents are valid. 1: a document has an error or cannot be read, or the program failed at it "
    "(CO1000). 2: wrong usage, or no document found.": (
        "Código de salida 0: todos los documentos son válidos. 1: un documento tiene un error o no se puede leer, o el "
        "programa falló con él (CO1000). 2: uso incorrecto, o ningún documento."
    ),
    "CFDI 4.0, 3.3 or 3.2, CFD 2.2 and Retenciones 2.0 or 1.0, folders and zip archives of them; `-` reads standard "
    "input.": (
        "CFDI 4.0, 3.3 o 3.2, CFD 2.2 y Retenciones 2.0 o 1.0, y carpetas y archivos zip de ellos; `-` lee la entrada "
        "estándar."
    ),
    "Print one JSON object per document, each on a line.": "Imprime un objeto JSON por documento, uno en cada línea.",
    "Query the authority for the fiscal status as well.": "Consulta también a la autoridad el estado fiscal.",
    "Also show the sections and the rules that were not evaluated.": (
        "Muestra también las secciones y las reglas que no se evaluaron."
    ),
    "Treat a document without a stamp as an error, not as a warning.": (
        "Trata un documento sin timbre como un error y no como un aviso."
    ),
    "Treat warnings as errors.": "Trata los avisos como errores.",
    "Write the table of the documents to this CSV file, and the findings to NAME-findings.csv beside it.": (
        "Escribe la tabla de los documentos en este archivo CSV, y los hallazgos en NOMBRE-findings.csv, junto a él."
    ),
    "Write both tables to this workbook, a sheet for each.": "Escribe las dos tablas en este libro, en dos hojas.",
    "RFC that must be the receiver: another one is an error (RECEPTOR-AJENO). Repeat it for several.": (
        "RFC que debe ser el receptor: otro es un error (RECEPTOR-AJENO). Repítalo si son varios."
    ),
    "Print nothing; the exit code and the files have the result.": (
        "No imprime nada; el código de salida y los archivos tienen el resultado."
    ),
    "Leave out documents without an error, in the output and in the files; with --strict also those with a warning "
    "count as wrong.": (
        "Omite los documentos sin errores, en la salida y en los archivos; con --strict también los que tienen un "
        "aviso cuentan como incorrectos."
    ),
    "{rfc}: is no RFC.": "{rfc}: no es un RFC.",
    "Number of validating processes. Default: one for each usable CPU when there are many documents.": "Número de "
    "procesos que validan. Predeterminado: uno por cada CPU disponible cuando los documentos son muchos.",
    # timbra explain
    "Explain a code: message, source, cause, remedy and two example documents; search codes; or print a document.": (
        "Explica un código: mensaje, fuente, causa, remedio y dos documentos de ejemplo; busca códigos; o imprime un "
        "documento."
    ),
    "`timbra validate` with the same data folder reports no findings for `pass`, and that code for `fail`.": (
        "`timbra validate` con la misma carpeta de datos no encuentra nada en el de `pass`, y ese código en el de "
        "`fail`."
    ),
    "Code, such as CFDI40147 or 305; or words, an attribute, a node or a catalog to search.": (
        "Código, como CFDI40147 o 305; o palabras, un atributo, un nodo o un catálogo que se buscan."
    ),
    "List the codes that match Spanish words, such as `redondeo` or `@TipoCambio`.": (
        "Lista los códigos que corresponden a palabras, como `redondeo` o `@TipoCambio`."
    ),
    "Print a sealed document that satisfies or violates the rule, instead of the explanation.": (
        "Imprime un documento sellado que cumple (`pass`) o incumple (`fail`) la regla, en vez de la explicación."
    ),
    "List all rule sets instead.": "Lista en su lugar todos los conjuntos de reglas.",
    "Old name of `--rule-sets`.": "Nombre anterior de `--rule-sets`.",
    "Give a code, such as CFDI40147, words to search, or --rule-sets.": (
        "Indique un código, como CFDI40147, palabras que se buscan, o --rule-sets."
    ),
    "Unknown code {code}.": "No se conoce el código {code}.",
    "No code matches «{words}».": "Ningún código corresponde a «{words}».",
    "Other codes with this number: {names}.": "Otros códigos con este número: {names}.",
    "The first {shown} of {total}.": "Los primeros {shown} de {total}.",
    "{code} has no example documents.": "{code} no tiene documentos de ejemplo.",
    "{code}: no source has the data of this rule, so `timbra validate` does not evaluate it.": (
        "{code}: ninguna fuente tiene los datos de esta regla, así que `timbra validate` no la evalúa."
    ),
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
    "Code": "Código",
    "Path": "Ruta",
    "Requirement": "Requisito",
    "Message": "Mensaje",
    "Cause": "Causa",
    "Remedy": "Remedio",
    "Place": "Lugar",
    "Satisfies the rule": "Cumple la regla",
    "Violates the rule": "Incumple la regla",
    "Difference of the two documents": "Diferencia de los dos documentos",
    "Both documents: timbra explain {code} --example pass, and --example fail.": (
        "Ambos documentos: timbra explain {code} --example pass y --example fail."
    ),
    # Messages of timbra example
    " Did you mean {names}?": " ¿Quiso decir {names}?",
    "Unknown document «{name}».{suggestion} All: timbra example --list": (
        "No se conoce el documento «{name}».{suggestion} Todos: timbra example --list"
    ),
    "{name} exists in version {versions}, not in {version}.": (
        "{name} se hace en la versión {versions}, no en la {version}."
    ),
    "Example documents": "Documentos de ejemplo",
    "Name": "Nombre",
    "Document": "Documento",
    "Version": "Versión",
    "Complement": "Complemento",
    # Messages of timbra validate
    "{file}: does not exist.": "{file}: no existe.",
    "validating": "validando",
    "error": "error",
    "warning": "aviso",
    "{count} documents": "{count} documentos",
    "without errors": "sin errores",
    "of them, with warnings": "de ellos, con avisos",
    "with errors": "con errores",
    "not readable as CFDI or Retenciones": "no se leen como CFDI ni como Retenciones",
    "not evaluated, without {missing}: {codes}": "no evaluadas, sin {missing}: {codes}",
    "rules not evaluated for lack of data: {count}": "reglas no evaluadas por falta de datos: {count}",
    "follows from {code} {path}": "consecuencia de {code} {path}",
    "findings that follow from it, shown with --all: {count}": "consecuencias, se muestran con --all: {count}",
    "found: {value}": "encontrado: {value}",
    "expected: {value}": "esperado: {value}",
    "nothing": "nada",
}

"""Texts of `timbra stamp`, `cancel` and `validate` about files, results and missing data."""

from __future__ import annotations

SPANISH = {
    "The given files and folders contain no .xml document.": "No hay documentos .xml en lo que se indicó.",
    # timbra stamp
    "A document that the account has stamped before gives its earlier stamp: a repeated command completes what is "
    "missing. A rejected document gives a line on standard error. The last line on standard error counts the stamped, "
    "the already stamped and the rejected documents. Exit code 0: all documents are stamped. 1: a document is "
    "rejected. 2: wrong usage, or no document found.": (
        "Un documento que la cuenta ya timbró da su timbre anterior: repetir el comando completa lo que falta. Un "
        "documento rechazado da una línea en la salida de errores. La última línea de la salida de errores cuenta los "
        "documentos timbrados, los ya timbrados y los rechazados. Código de salida 0: todos quedaron timbrados. 1: un "
        "documento se rechazó. 2: uso incorrecto, o ningún documento."
    ),
    "CFDI 4.0 and Retenciones 2.0 documents, folders and zip archives of them; `-` reads standard input.": (
        "Documentos CFDI 4.0 y Retenciones 2.0, y carpetas y archivos zip de ellos; `-` lee la entrada estándar."
    ),
    "Folder for the stamped documents, UUID.xml.": "Carpeta para los documentos timbrados, UUID.xml.",
    "stamping": "timbrando",
    " (already stamped)": " (ya timbrado)",
    "{stamped} stamped, {repeated} already stamped, {rejected} rejected": (
        "{stamped} timbrados, {repeated} ya timbrados, {rejected} rechazados"
    ),
    "{count} ignored, neither .xml nor .zip, or in the folder of --out: {names}": (
        "{count} omitidos, que no son .xml ni .zip o están en la carpeta de --out: {names}"
    ),
    "{file} cannot be written: {reason}. The server has the stamp: repeat the command.": (
        "No se puede escribir {file}: {reason}. El timbre está guardado: repita el comando."
    ),
    # timbra cancel
    "Request the cancellation of a CFDI; prints UUID, code and meaning of the code.": (
        "Solicita la cancelación de un CFDI; muestra UUID, código y significado del código."
    ),
    "The acuse is written with `--out`, or printed with `--show`.": (
        "El acuse se escribe con `--out`, o se muestra con `--show`."
    ),
    "File for the acuse (XML).": "Archivo para el acuse (XML).",
    "Print the acuse after the codes.": "Muestra el acuse después de los códigos.",
    "Old name of `--out`.": "Nombre anterior de `--out`.",
    "--acuse is deprecated: use --out.": "--acuse es obsoleto: use --out.",
    "{text} is not a UUID: 32 hexadecimal digits in groups of 8-4-4-4-12.": (
        "{text} no es un UUID: 32 dígitos hexadecimales en grupos de 8-4-4-4-12."
    ),
    "Acuse: repeat the command with --out FILE or --show, or see GET /datawarehouse/v1/live/{uuid}.": (
        "Acuse: repita el comando con --out ARCHIVO o --show, o véase GET /datawarehouse/v1/live/{uuid}."
    ),
    "{file} cannot be written: {reason}. The acuse follows.": "No se puede escribir {file}: {reason}. Sigue el acuse.",
    # timbra validate
    "validating": "validando",
    "This is a PDF; give the XML.": "Esto es un PDF; indique el XML.",
    "This is a PNG image; give the XML.": "Esto es una imagen PNG; indique el XML.",
    "This is a JPEG image; give the XML.": "Esto es una imagen JPEG; indique el XML.",
    "This is a ZIP archive; give it a name that ends in .zip, or give the XML.": (
        "Esto es un archivo ZIP; dele un nombre que termine en .zip, o indique el XML."
    ),
    "This is a gzip file; give the XML.": "Esto es un archivo gzip; indique el XML.",
    "This is JSON; give the XML.": "Esto es JSON; indique el XML.",
    "This is text, not XML; give the XML.": "Esto es texto, no XML; indique el XML.",
    "The certificates were issued by a sandbox of Timbra, not by the SAT, and the data of that sandbox are missing: "
    "give its folder with --data. Without it these rules fail: {codes}.": (
        "Los certificados son de un ambiente de pruebas de Timbra, no del SAT, y faltan los datos de ese ambiente: "
        "indique su carpeta con --data. Sin ella fallan estas reglas: {codes}."
    ),
    "of a sandbox whose data were not given": "de un ambiente de pruebas cuyos datos no se dieron",
}

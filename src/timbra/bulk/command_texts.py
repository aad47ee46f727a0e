"""Texts of `timbra bulk`."""

from __future__ import annotations

SPANISH = {
    "Validate millions of documents into a dataset, and report on it.": (
        "Valida millones de documentos en un conjunto de datos, e informa de él."
    ),
    "Files, folders, glob patterns, zip archives (also nested), download packages of the SAT with XML or metadata, "
    "URLs such as s3://bucket/folder, and @FILE for a list of them.": (
        "Archivos, carpetas, patrones, archivos zip (también anidados), paquetes de descarga del SAT con XML o "
        "metadatos, URL como s3://bucket/carpeta, y @ARCHIVO para una lista de ellos."
    ),
    "Result folder.": "Carpeta de resultados.",
    "Result folder of `timbra bulk validate`.": "Carpeta de resultados de `timbra bulk validate`.",
    "Number of validating processes. Default: one for each usable CPU, or CPU of the cluster.": (
        "Número de procesos que validan. Sin la opción, uno por cada CPU disponible, o CPU del clúster."
    ),
    "Address of a Ray cluster, or `local` for a Ray of this machine.": (
        "Dirección de un clúster de Ray, o `local` para un Ray de esta máquina."
    ),
    "Also write this table; may be repeated.": "Escribe también esta tabla; se puede repetir.",
    "Count the documents and estimate the time; nothing is written.": (
        "Cuenta los documentos y estima el tiempo; no se escribe nada."
    ),
    "Validate documents into a result folder of Parquet files.": (
        "Valida documentos en una carpeta de resultados de archivos Parquet."
    ),
    "The same command goes on where an interrupted or killed run stopped. Exit code 0: all documents are valid. 1: a "
    "document has an error or cannot be read. 2: wrong usage, or no document found. 3: interrupted; repeat the "
    "command. 4: the result folder or the engine cannot be used.": (
        "El mismo comando sigue donde quedó una corrida interrumpida o terminada. Código de salida 0: todos los "
        "documentos son válidos. 1: un documento tiene un error o no se puede leer. 2: uso incorrecto, o ningún "
        "documento. 3: interrumpido; repita el comando. 4: la carpeta de resultados o el motor no se puede usar."
    ),
    "Queries per second of the whole run.": "Consultas por segundo de toda la corrida.",
    "Queries at a time.": "Consultas a la vez.",
    "Days after which a status in force is queried again.": (
        "Días después de los cuales un estado vigente se consulta otra vez."
    ),
    "Query the authority for the status of the documents of a result folder, where it is unknown or old.": (
        "Consulta a la autoridad el estado de los documentos de una carpeta de resultados, donde falta o es viejo."
    ),
    "Answers are stored as they arrive: the same command goes on after an interruption. A cancelled document is not "
    "queried again. Exit code 0: every due document has a status. 1: some have none; repeat the command. 3: "
    "interrupted. 4: the result folder or the authority cannot be used.": (
        "Las respuestas se guardan conforme llegan: el mismo comando sigue después de una interrupción. Un documento "
        "cancelado no se consulta otra vez. Código de salida 0: todos tienen estado. 1: algunos no; repita el comando. "
        "3: interrumpido. 4: la carpeta de resultados o la autoridad no se puede usar."
    ),
    "The settings have no status service.": "La configuración no tiene un servicio de consulta de estado.",
    "querying": "consultando",
    "{due} due, {answered} answered, {failed} without an answer": (
        "{due} pendientes, {answered} con respuesta, {failed} sin respuesta"
    ),
    "Write the report with charts as HTML.": "Escribe el informe con gráficas como HTML.",
    "Write the report as a workbook.": "Escribe el informe como libro de Excel.",
    "Print a report on a result folder: totals, codes, suppliers, duplicates, cancelled and missing documents.": (
        "Muestra un informe de una carpeta de resultados: totales, códigos, proveedores, repetidos, cancelados y "
        "faltantes."
    ),
    "A query in DuckDB's SQL over documents, findings, concepts, payments, metadata, statuses.": (
        "Una consulta en el SQL de DuckDB sobre documents, findings, concepts, payments, metadata, statuses."
    ),
    "Run a query over a result folder; prints one row on each line, values separated by tabs.": (
        "Ejecuta una consulta sobre una carpeta de resultados; muestra un renglón por línea, separado por tabuladores."
    ),
    "This command needs the library {name}: install timbra[bulk].": (
        "Este comando necesita la biblioteca {name}: instale timbra[bulk]."
    ),
    "The sources contain no document.": "Las fuentes no traen ningún documento.",
    "Interrupted: {written} documents are written. Repeat the command to go on.": (
        "Interrumpido: {written} documentos están escritos. Repita el comando para seguir."
    ),
    "{documents} documents in {folder}.": "{documents} documentos en {folder}.",
    # timbra bulk stamp
    "XML documents, folders, zip archives, URLs and @FILE as for `timbra bulk validate`, JSON lines (.jsonl), and CSV "
    "with --template.": (
        "Documentos XML, carpetas, archivos zip, URL y @ARCHIVO como en `timbra bulk validate`, líneas de JSON "
        "(.jsonl), y CSV con --template."
    ),
    "Base address of a server; may be repeated for its nodes.": (
        "Dirección base de un servidor; se puede repetir para sus nodos."
    ),
    "Token of the account. Others see an option in `ps`.": "Token de la cuenta. Otros ven una opción en `ps`.",
    "JSON document with {COLUMN} in its texts, which each row of a CSV fills.": (
        "Documento JSON con {COLUMN} en sus textos, que cada renglón de un CSV llena."
    ),
    "Requests at a time.": "Solicitudes a la vez.",
    "Seal and stamp documents by servers into a result folder.": (
        "Sella y timbra documentos por medio de servidores en una carpeta de resultados."
    ),
    "Each request has a customid from the content of its document, so that a repeated command stamps nothing twice: it "
    "completes what is missing. Stamped documents are in xml/. rejected.csv lists the others with the reason; "
    "rejected/ has their copies and their rows of CSV files, to be corrected and stamped with another result folder. "
    "Exit code 0: all documents are stamped, and printed with --pdf. 1: a document is rejected, cannot be read or "
    "cannot be printed. 2: wrong usage, or no document found. 3: interrupted; repeat the command. 4: a server or the "
    "result folder cannot be used.": (
        "Cada solicitud lleva un customid que sale del contenido del documento, así que repetir el comando no timbra "
        "nada dos veces: completa lo que falta. Los documentos timbrados están en xml/. rejected.csv enumera los demás "
        "con el motivo; rejected/ tiene sus copias y sus renglones de archivos CSV, para corregirlos y timbrarlos con "
        "otra carpeta de resultados. Código de salida 0: todos quedaron timbrados, e impresos con --pdf. 1: un "
        "documento se rechazó, no se puede leer o no se puede imprimir. 2: uso incorrecto, o ningún documento. 3: "
        "interrumpido; repita el comando. 4: un servidor o la carpeta de resultados no se puede usar."
    ),
    "Also print the stamped documents, into pdf/.": "Imprime también los documentos timbrados, en pdf/.",
    "{count} stamped documents could not be printed; the table stamps has the reason.": (
        "{count} documentos timbrados no se pudieron imprimir; la tabla stamps trae el motivo."
    ),
    "{count} documents to be corrected: {file}": "{count} documentos por corregir: {file}",
    "{count} files ignored by their suffix: {suffixes}": "{count} archivos omitidos por su extensión: {suffixes}",
    "{shown} of {count} rows; --html and --xlsx have more.": "{shown} de {count} renglones; --html y --xlsx traen más.",
    "{count} per second": "{count} por segundo",
    "{done} of {total} documents, {failed}": "{done} de {total} documentos, {failed}",
    "{count} with errors": "{count} con errores",
    "result": "resultado",
    "documents": "documentos",
    "value": "valor",
}

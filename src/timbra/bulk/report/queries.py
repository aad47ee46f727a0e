"""The queries of the report, in DuckDB's SQL over the views of `timbra.bulk.report.database`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Query:
    """A query of the report.

    Attributes:
        name: name of the sheet in the workbook.
        title: Spanish title.
        meaning: English sentence for the reference page.
        sql: the query.
        columns: Spanish headings.
    """

    name: str
    title: str
    meaning: str
    sql: str
    columns: tuple[str, ...]


RESULTS = Query(
    "results",
    "Resultado de los documentos",
    "Documents by result, with the total of those in MXN.",
    """
SELECT result, count(*) AS documents, sum(total) FILTER (moneda = 'MXN') AS total_mxn
FROM documents GROUP BY result ORDER BY documents DESC, result
""",
    ("Resultado", "Documentos", "Total en MXN"),
)
MONTHS = Query(
    "months",
    "Documentos por mes y resultado",
    "Documents by month of Fecha and result.",
    """
SELECT strftime(fecha, '%Y-%m') AS month, result, count(*) AS documents,
       sum(total) FILTER (moneda = 'MXN') AS total_mxn
FROM documents WHERE fecha IS NOT NULL GROUP BY month, result ORDER BY month, result
""",
    ("Mes", "Resultado", "Documentos", "Total en MXN"),
)
CODES = Query(
    "codes",
    "Códigos más frecuentes",
    "Codes of errors and warnings by the number of documents that have them.",
    """
SELECT code, severity, count(DISTINCT document_id) AS documents, count(*) AS findings
FROM findings WHERE code IS NOT NULL GROUP BY code, severity ORDER BY documents DESC, code, severity LIMIT 100
""",
    ("Código", "Severidad", "Documentos", "Hallazgos"),
)
SUPPLIERS = Query(
    "suppliers",
    "Emisores con documentos inválidos",
    "Issuers of invalid documents.",
    """
SELECT issuer_rfc, max(issuer_name) AS issuer_name, count(*) AS documents,
       count(*) FILTER (result = 'invalid') AS invalid, sum(total) FILTER (result = 'invalid') AS invalid_total
FROM documents WHERE issuer_rfc IS NOT NULL GROUP BY issuer_rfc HAVING invalid > 0
ORDER BY invalid DESC, issuer_rfc LIMIT 1000
""",
    ("RFC", "Nombre", "Documentos", "Inválidos", "Total de los inválidos"),
)
UNREADABLE = Query(
    "unreadable",
    "Documentos que no se pueden leer",
    "Documents without a report.",
    """
SELECT d.source, d.rejection_code, f.detail
FROM documents d LEFT JOIN findings f USING (document_id)
WHERE d.result = 'unreadable' ORDER BY d.document_id LIMIT 10000
""",
    ("Documento", "Código", "Detalle"),
)
DUPLICATES = Query(
    "duplicates",
    "Documentos repetidos",
    "Documents whose UUID an earlier document has; `same_bytes` tells copies from other contents.",
    """
SELECT d.uuid, d.source, o.source AS first_source, d.sha256 = o.sha256 AS same_bytes
FROM documents d JOIN documents o ON o.document_id = d.duplicate_of ORDER BY d.uuid, d.document_id LIMIT 10000
""",
    ("UUID", "Documento", "Primer documento", "Mismo contenido"),
)
CANCELLED = Query(
    "cancelled",
    "Cancelados ante el SAT que están en los documentos",
    "Documents that the authority, or its metadata, reports as cancelled.",
    """
SELECT d.uuid, d.source, d.issuer_rfc, d.fecha, d.total, d.moneda, max(m.cancelled_at) AS cancelled_at
FROM documents d LEFT JOIN metadata m ON m.uuid = d.uuid AND m.status = 'Cancelado'
WHERE d.duplicate_of IS NULL AND (d.status = 'Cancelado' OR (d.status IS NULL AND m.uuid IS NOT NULL))
GROUP BY ALL ORDER BY d.fecha, d.uuid LIMIT 10000
""",
    ("UUID", "Documento", "Emisor", "Fecha", "Total", "Moneda", "Cancelado"),
)
ARTICLE_69B = Query(
    "article_69b",
    "Operaciones con contribuyentes del artículo 69-B",
    "Documents with a party in the list of article 69-B of the CFF, by issuer.",
    """
SELECT issuer_rfc, max(issuer_name) AS issuer_name, article_69b, count(*) AS documents,
       sum(total) FILTER (moneda = 'MXN') AS total_mxn
FROM documents WHERE article_69b IS NOT NULL AND duplicate_of IS NULL
GROUP BY issuer_rfc, article_69b ORDER BY total_mxn DESC NULLS LAST, issuer_rfc LIMIT 1000
""",
    ("RFC", "Nombre", "Situación", "Documentos", "Total en MXN"),
)
MISSING = Query(
    "missing",
    "Documentos de los metadatos del SAT que faltan",
    "CFDI in force of the SAT's metadata without a document.",
    """
SELECT m.uuid, m.issuer_rfc, m.issuer_name, m.receiver_rfc, m.fecha, m.total, m.tipo_de_comprobante
FROM (SELECT DISTINCT ON (uuid) * FROM metadata WHERE uuid IS NOT NULL ORDER BY uuid, status) m
ANTI JOIN documents d USING (uuid)
WHERE m.status = 'Vigente' ORDER BY m.fecha, m.uuid LIMIT 10000
""",
    ("UUID", "Emisor", "Nombre", "Receptor", "Fecha", "Total", "Tipo"),
)

QUERIES = (RESULTS, MONTHS, CODES, SUPPLIERS, UNREADABLE, DUPLICATES, CANCELLED, ARTICLE_69B, MISSING)
"""In the order of the report."""

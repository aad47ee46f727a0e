"""The documents of the SAT as one table, and the rows of the books that belong to them.

`sat` has one row for each document of the side. `pairs` has the rows of the books that are matched: by UUID, then by
RFC, total and day, each document and each row once.
"""

from __future__ import annotations

from timbra.received.reconciliation.options import Side
from timbra.received.reconciliation.workspace import AMOUNT, PARTS, RATE, Workspace

_XML = f"""
CREATE TABLE xml AS
SELECT TRY_CAST(d.uuid AS UUID) AS uuid, upper(d.issuer_rfc) AS issuer_rfc, upper(d.receiver_rfc) AS receiver_rfc,
       d.fecha AS fecha, CAST(d.total AS {AMOUNT}) AS total,
       CASE WHEN d.kind = 'retenciones' THEN 'R' ELSE d.tipo_de_comprobante END AS tipo,
       coalesce(d.moneda, CASE WHEN d.kind = 'retenciones' THEN 'MXN' END) AS moneda, d.serie AS serie,
       d.folio AS folio, CAST(a.tipo_cambio AS {RATE}) AS tipo_cambio, a.metodo_de_pago AS metodo,
       {", ".join(f"CAST(a.{name} AS {AMOUNT}) AS {name}" for name in PARTS)}, a.uuid IS NOT NULL AS has_parts
FROM documents d
JOIN (SELECT uuid, min(document_id) AS document_id FROM documents GROUP BY uuid) first
  ON first.uuid = d.uuid AND first.document_id = d.document_id
LEFT JOIN (SELECT DISTINCT ON (uuid) * FROM accounting) a ON a.uuid = d.uuid
"""
_NEWEST_METADATA = """
CREATE TABLE newest AS
SELECT uuid, any_value(issuer_rfc) AS issuer_rfc, any_value(receiver_rfc) AS receiver_rfc, any_value(fecha) AS fecha,
       any_value(total) AS total, any_value(tipo) AS tipo, bool_or(is_cancelled) AS is_cancelled,
       max(cancelled_at) AS cancelled_at
FROM metadata GROUP BY uuid
"""
_NEWEST_STATUSES = """
CREATE TABLE newest_statuses AS
SELECT TRY_CAST(uuid AS UUID) AS uuid, arg_max(status, status_time) AS status FROM statuses GROUP BY uuid
"""
_KNOWN = f"""
CREATE TABLE known AS
SELECT uuid, coalesce(x.issuer_rfc, m.issuer_rfc) AS issuer_rfc, coalesce(x.receiver_rfc, m.receiver_rfc)
       AS receiver_rfc, coalesce(x.fecha, m.fecha) AS fecha, coalesce(x.total, m.total) AS total,
       coalesce(m.tipo, x.tipo) AS tipo, coalesce(m.is_cancelled, false) OR coalesce(s.status = 'Cancelado', false)
       AS is_cancelled, m.cancelled_at AS cancelled_at, x.moneda AS moneda, x.tipo_cambio AS tipo_cambio,
       x.serie AS serie, x.folio AS folio, x.metodo AS metodo, {", ".join(f"x.{name} AS {name}" for name in PARTS)},
       coalesce(x.has_parts, false) AS has_parts
FROM newest m FULL JOIN xml x USING (uuid) LEFT JOIN newest_statuses s USING (uuid)
"""
_LEDGER_AS_REFERENCE = f"""
CREATE TABLE known AS
SELECT uuid, issuer_rfc, receiver_rfc, fecha, total, tipo, is_cancelled, cancelled_at, moneda, tipo_cambio, serie,
       folio, metodo, {", ".join(PARTS)}, false AS has_parts
FROM books WHERE books = 'ledger'
"""
_SAT = """
CREATE TABLE sat AS
SELECT *, CASE WHEN moneda = 'MXN' THEN 1 ELSE tipo_cambio END AS rate,
       CAST(fecha AS DATE) BETWEEN getvariable('since') AND getvariable('until') AS in_period
FROM known WHERE {side} = getvariable('rfc')
"""
_RELATED = """
CREATE TABLE related AS
SELECT DISTINCT TRY_CAST(r.uuid AS UUID) AS uuid, r.tipo_relacion AS relation, TRY_CAST(r.related_uuid AS UUID)
       AS related FROM relations r
UNION SELECT uuid, '04', related FROM substitutions
"""
_REPEATED = """
CREATE TABLE repeated AS
SELECT books, uuid, min(row) AS first FROM books WHERE uuid IS NOT NULL GROUP BY books, uuid HAVING count(*) > 1
"""
_PAIRS = """
CREATE TABLE pairs AS
SELECT b.books, b.row, s.uuid, 'uuid' AS matched_by
FROM books b JOIN sat s ON s.uuid = b.uuid LEFT JOIN repeated r ON r.books = b.books AND r.uuid = b.uuid
WHERE r.first IS NULL OR r.first = b.row
"""
_BY_CONTENT = """
INSERT INTO pairs
WITH free_rows AS (
  SELECT b.books, b.row, b.issuer_rfc, b.receiver_rfc, CAST(b.fecha AS DATE) AS day, {row_amount} AS amount,
         row_number() OVER (PARTITION BY b.books, b.issuer_rfc, b.receiver_rfc, CAST(b.fecha AS DATE), {row_amount}
                            ORDER BY b.is_cancelled, b.fecha, b.row) AS place
  FROM books b LEFT JOIN repeated r ON r.books = b.books AND r.uuid = b.uuid
  ANTI JOIN pairs p ON p.books = b.books AND p.row = b.row
  WHERE b.fecha IS NOT NULL AND {row_amount} IS NOT NULL AND (r.first IS NULL OR r.first = b.row)
), names AS (SELECT DISTINCT books FROM free_rows), free_documents AS (
  SELECT n.books, s.uuid, s.issuer_rfc, s.receiver_rfc, CAST(s.fecha AS DATE) AS day, {document_amount} AS amount,
         row_number() OVER (PARTITION BY n.books, s.issuer_rfc, s.receiver_rfc, CAST(s.fecha AS DATE),
                            {document_amount} ORDER BY s.is_cancelled, s.fecha, s.uuid) AS place
  FROM sat s CROSS JOIN names n ANTI JOIN pairs p ON p.books = n.books AND p.uuid = s.uuid
  WHERE {document_amount} IS NOT NULL
)
SELECT books, row, uuid, 'content' FROM free_rows JOIN free_documents
USING (books, issuer_rfc, receiver_rfc, day, amount, place)
"""
_AMOUNTS = (
    ("round(coalesce(b.total, b.total_mxn), 2)", "round(s.total, 2)"),
    (
        "round(coalesce(b.total_mxn, b.total), 2)",
        "CASE WHEN s.moneda <> 'MXN' THEN round(TRY_CAST(s.total AS DECIMAL(18, 6)) * s.rate, 2) END",
    ),
)
"""Amounts that are equal: in the currency of the document, then in pesos."""


def match(workspace: Workspace) -> None:
    """Create `sat`, `related`, `repeated` and `pairs`."""
    if workspace.has_sat:
        for statement in (_XML, _NEWEST_METADATA, _NEWEST_STATUSES, _KNOWN):
            workspace.run(statement)
        for table in ("metadata", "documents", "accounting", "newest", "xml"):
            workspace.run(f"DROP TABLE {table}")
    else:
        workspace.run(_LEDGER_AS_REFERENCE)
        workspace.run("DELETE FROM books WHERE books = 'ledger'")
    side = "issuer_rfc" if workspace.options.side is Side.ISSUED else "receiver_rfc"
    workspace.run(_SAT.format(side=side))
    workspace.run("DROP TABLE known")
    for statement in (_RELATED, _REPEATED, _PAIRS):
        workspace.run(statement)
    for row_amount, document_amount in _AMOUNTS:
        workspace.run(_BY_CONTENT.format(row_amount=row_amount, document_amount=document_amount))

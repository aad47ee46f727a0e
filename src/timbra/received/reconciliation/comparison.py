"""Differences between the SAT and the books: what is missing, and what differs between the two of a pair."""

from __future__ import annotations

from timbra.received.reconciliation.kinds import POSITIONS
from timbra.received.reconciliation.workspace import AMOUNT, PARTS, RATE, Workspace

DIFFERENCES = f"""
CREATE TABLE differences (position INTEGER, books VARCHAR, uuid UUID, other_uuid UUID, row BIGINT, issuer_rfc VARCHAR,
receiver_rfc VARCHAR, serie VARCHAR, folio VARCHAR, fecha TIMESTAMP, tipo VARCHAR, moneda VARCHAR, sat_amount {AMOUNT},
books_amount {AMOUNT}, detail VARCHAR)
"""
_OF_DOCUMENT = "s.issuer_rfc, s.receiver_rfc, coalesce(s.serie, b.serie), coalesce(s.folio, b.folio), s.fecha, s.tipo"
_AMOUNTS_OF_PAIR = "coalesce(s.moneda, b.moneda), s.total, coalesce(b.total, b.total_mxn)"
_PESOS = "round(TRY_CAST(s.total AS DECIMAL(18, 6)) * {rate}, 2)"
_MXN, _ROW_MXN = _PESOS.format(rate="s.rate"), _PESOS.format(rate="b.tipo_cambio")


def _near(one: str, other: str) -> str:
    return f"coalesce(abs({one} - {other}) <= getvariable('tolerance'), false)"


_NAMES = {
    "subtotal": "subtotal",
    "descuento": "descuento",
    "iva": "IVA",
    "ieps": "IEPS",
    "isr_retenido": "ISR retenido",
    "iva_retenido": "IVA retenido",
    "ieps_retenido": "IEPS retenido",
    "traslados_locales": "traslados locales",
    "retenciones_locales": "retenciones locales",
}
_PART_DIFFERS = {
    name: f"(b.{name} IS NOT NULL AND s.has_parts AND NOT "
    + _near(f"b.{name}", f"round(TRY_CAST(coalesce(s.{name}, 0) AS DECIMAL(18, 6)) * factor, 2)")
    + ")"
    for name in PARTS
}
_PARTS_TEXT = ", ".join(
    f"CASE WHEN {condition} THEN printf('{_NAMES[name]} %s y %s', CAST(CAST(coalesce(s.{name}, 0) AS DECIMAL(24, 2)) "
    f"AS VARCHAR), CAST(CAST(b.{name} AS DECIMAL(24, 2)) AS VARCHAR)) END"
    for name, condition in _PART_DIFFERS.items()
)
_COMPARED = f"""
CREATE TABLE compared AS
WITH flagged AS (
  SELECT p.books, p.row, p.uuid, p.matched_by, {_near("b.total", "s.total")} AS is_same,
         coalesce(b.moneda, 'MXN') = 'MXN' AND coalesce(s.moneda <> 'MXN', false) AND {_near("b.total", _MXN)}
         AS is_in_pesos, {_near("b.total_mxn", f"coalesce({_MXN}, {_ROW_MXN}, s.total)")} AS is_same_mxn,
         {_near("b.total_mxn", _ROW_MXN)} OR coalesce(b.moneda, 'MXN') = 'MXN' AND {_near("b.total", _ROW_MXN)}
         AS is_row_mxn, coalesce(b.moneda <> s.moneda, false) AS is_other_currency,
         CAST(CASE WHEN is_same THEN 1 ELSE coalesce(s.rate, b.tipo_cambio, 1) END AS {RATE}) AS factor,
         is_other_currency AND NOT is_in_pesos AND NOT (b.moneda = 'MXN' AND is_row_mxn) AS currency_differs,
         coalesce(b.total, b.total_mxn) IS NOT NULL AND NOT (is_same OR is_in_pesos OR is_same_mxn OR is_row_mxn)
         AS amounts_differ,
         coalesce(s.moneda <> 'MXN', false) AND s.tipo_cambio IS NOT NULL AND (
           coalesce(abs(b.tipo_cambio - s.tipo_cambio) > 0.0001, false)
           OR b.total_mxn IS NOT NULL AND NOT {_near("b.total_mxn", _MXN)}) AS rate_differs,
         {" OR ".join(_PART_DIFFERS.values())} AS breakdown_differs,
         matched_by = 'uuid' AND (coalesce(b.issuer_rfc <> s.issuer_rfc, false)
           OR coalesce(b.receiver_rfc <> s.receiver_rfc, false)) AS parties_differ,
         coalesce(b.tipo <> s.tipo, false) AS type_differs,
         coalesce(date_trunc('month', b.fecha) <> date_trunc('month', s.fecha), false) AS period_differs,
         matched_by = 'content' AND b.uuid IS NOT NULL AS uuid_differs,
         s.is_cancelled AND NOT b.is_cancelled AS cancelled_at_sat,
         b.is_cancelled AND NOT s.is_cancelled AS cancelled_in_books
  FROM pairs p JOIN sat s ON s.uuid = p.uuid JOIN books b ON b.books = p.books AND b.row = p.row
  WHERE s.in_period OR CAST(b.fecha AS DATE) BETWEEN getvariable('since') AND getvariable('until')
)
SELECT * FROM flagged
WHERE currency_differs OR amounts_differ OR rate_differs OR breakdown_differs OR parties_differ OR type_differs
   OR period_differs OR uuid_differs OR cancelled_at_sat OR cancelled_in_books
"""
_PAIR = """
INSERT INTO differences
SELECT {position}, c.books, s.uuid, {other}, b.row, {document}, {amounts}, {detail}
FROM compared c JOIN sat s ON s.uuid = c.uuid JOIN books b ON b.books = c.books AND b.row = c.row
{join} WHERE {condition}
"""
_SUBSTITUTES = """
CREATE TABLE substitutes AS
SELECT r.related AS old, min(s.uuid) AS new FROM related r JOIN sat s ON s.uuid = r.uuid
WHERE r.relation = '04' AND NOT s.is_cancelled GROUP BY r.related
"""
_PAID_DOCUMENT = "LEFT JOIN payment_days d ON d.uuid = s.uuid LEFT JOIN substitutes n ON n.old = s.uuid"
_CURRENCIES = "coalesce(b.moneda, 'MXN') || ' en lugar de ' || s.moneda"
_RATES = "CAST(b.tipo_cambio AS VARCHAR) || ' en lugar de ' || CAST(s.tipo_cambio AS VARCHAR)"
_PARTIES = (
    "coalesce(b.issuer_rfc, '') || ' a ' || coalesce(b.receiver_rfc, '') || ' en lugar de ' || s.issuer_rfc || ' a ' "
    "|| s.receiver_rfc"
)
_MONTHS = "strftime(b.fecha, '%Y-%m') || ' en lugar de ' || strftime(s.fecha, '%Y-%m')"
_WHEN = "'cancelado' || coalesce(' el ' || strftime(s.cancelled_at, '%Y-%m-%d'), '')"
_PAIR_KINDS = (
    ("uuid-differs", "c.uuid_differs", "b.uuid", "'registrado como ' || CAST(b.uuid AS VARCHAR)"),
    ("amounts-differ", "c.amounts_differ AND NOT c.currency_differs", "NULL", "NULL"),
    (
        "breakdown-differs",
        "c.breakdown_differs AND NOT c.amounts_differ AND NOT c.currency_differs",
        "NULL",
        f"concat_ws('; ', {_PARTS_TEXT.replace('factor', 'c.factor')})",
    ),
    ("currency-differs", "c.currency_differs", "NULL", _CURRENCIES),
    (
        "exchange-rate-differs",
        "c.rate_differs AND NOT c.currency_differs AND NOT c.amounts_differ",
        "NULL",
        f"coalesce({_RATES}, CAST(b.total_mxn AS VARCHAR) || ' pesos')",
    ),
    ("parties-differ", "c.parties_differ", "NULL", _PARTIES),
    ("type-differs", "c.type_differs", "NULL", "b.tipo || ' en lugar de ' || s.tipo"),
    ("period-differs", "c.period_differs", "NULL", _MONTHS),
    ("substituted", "c.cancelled_at_sat AND n.new IS NOT NULL", "n.new", _WHEN),
    ("cancelled-at-sat", "c.cancelled_at_sat AND n.new IS NULL AND d.uuid IS NULL", "NULL", _WHEN),
    ("cancelled-in-books", "c.cancelled_in_books", "NULL", "NULL"),
)
_NOT_IN_BOOKS = """
INSERT INTO differences
SELECT {position}, '{books}', s.uuid, NULL, NULL, s.issuer_rfc, s.receiver_rfc, s.serie, s.folio, s.fecha, s.tipo,
       s.moneda, s.total, NULL, NULL
FROM sat s ANTI JOIN pairs p ON p.books = '{books}' AND p.uuid = s.uuid
ANTI JOIN (SELECT other_uuid AS uuid FROM differences WHERE position = {substituted} AND books = '{books}') n
  ON n.uuid = s.uuid
WHERE s.in_period AND NOT s.is_cancelled AND s.tipo IN ({types})
"""
_NOT_AT_SAT = """
INSERT INTO differences
SELECT {position}, b.books, b.uuid, NULL, b.row, b.issuer_rfc, b.receiver_rfc, b.serie, b.folio, b.fecha, b.tipo,
       b.moneda, NULL, coalesce(b.total, b.total_mxn), NULL
FROM books b ANTI JOIN pairs p ON p.books = b.books AND p.row = b.row
LEFT JOIN repeated r ON r.books = b.books AND r.uuid = b.uuid
WHERE NOT b.is_cancelled AND (r.first IS NULL OR r.first = b.row)
  AND (b.fecha IS NULL OR CAST(b.fecha AS DATE) BETWEEN getvariable('since') AND getvariable('until'))
"""
_DUPLICATE_IN_BOOKS = """
INSERT INTO differences
SELECT {position}, b.books, b.uuid, NULL, b.row, b.issuer_rfc, b.receiver_rfc, b.serie, b.folio, b.fecha, b.tipo,
       b.moneda, s.total, coalesce(b.total, b.total_mxn), 'también en el renglón ' || CAST(r.first AS VARCHAR)
FROM repeated r JOIN books b ON b.books = r.books AND b.uuid = r.uuid AND b.row > r.first
LEFT JOIN sat s ON s.uuid = b.uuid
WHERE b.fecha IS NULL OR CAST(b.fecha AS DATE) BETWEEN getvariable('since') AND getvariable('until')
"""
_DUPLICATE_AT_SAT = """
INSERT INTO differences
WITH same AS (
  SELECT issuer_rfc, receiver_rfc, serie, folio, total, tipo, min(fecha) AS fecha, arg_min(uuid, (fecha, uuid)) AS first
  FROM sat WHERE NOT is_cancelled AND folio IS NOT NULL AND tipo IN ('I', 'E', 'R') AND total > 0
  GROUP BY ALL HAVING count(*) > 1
)
SELECT {position}, NULL, s.uuid, f.first, NULL, s.issuer_rfc, s.receiver_rfc, s.serie, s.folio, s.fecha, s.tipo,
       s.moneda, s.total, NULL, NULL
FROM sat s JOIN (SELECT * FROM same) f ON f.issuer_rfc = s.issuer_rfc AND f.receiver_rfc = s.receiver_rfc
 AND f.serie IS NOT DISTINCT FROM s.serie AND f.folio = s.folio AND f.total = s.total AND f.tipo = s.tipo
WHERE NOT s.is_cancelled AND s.uuid <> f.first AND s.in_period
  AND NOT EXISTS (SELECT 1 FROM substitutes n WHERE n.old IN (s.uuid, f.first) AND n.new IN (s.uuid, f.first))
"""
_SUBSTITUTED_IN_FORCE = """
INSERT INTO differences
SELECT {position}, NULL, s.uuid, n.new, NULL, s.issuer_rfc, s.receiver_rfc, s.serie, s.folio, s.fecha, s.tipo,
       s.moneda, s.total, NULL, NULL
FROM substitutes n JOIN sat s ON s.uuid = n.old JOIN sat o ON o.uuid = n.new
WHERE NOT s.is_cancelled AND (s.in_period OR o.in_period)
"""
_UNREADABLE = """
INSERT INTO differences
SELECT {position}, NULL, NULL, NULL, row, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, source || ': ' || reason
FROM unreadable
"""


def prepare(workspace: Workspace) -> None:
    """Create `substitutes` and the empty table of differences."""
    workspace.run(DIFFERENCES)
    workspace.run(_SUBSTITUTES)


def compare(workspace: Workspace) -> None:
    """Insert the differences between the documents and the books. `payment_days` must exist."""
    workspace.run(_COMPARED)
    for name, condition, other, detail in _PAIR_KINDS:
        workspace.run(
            _PAIR.format(
                position=POSITIONS[name],
                other=other,
                document=_OF_DOCUMENT,
                amounts=_AMOUNTS_OF_PAIR,
                detail=detail,
                join=_PAID_DOCUMENT,
                condition=condition,
            )
        )
    names = [("ledger", workspace.has_ledger and workspace.has_sat, None), ("erp", workspace.has_erp, True)]
    for books, is_given, is_bounded in names:
        if is_given:
            types = workspace.options.types if is_bounded else ("I", "E", "T", "N", "P", "R")
            listed = ", ".join(f"'{each}'" for each in types)
            workspace.run(
                _NOT_IN_BOOKS.format(
                    position=POSITIONS["not-in-books"],
                    books=books,
                    substituted=POSITIONS["substituted"],
                    types=listed,
                )
            )
    for statement, name in (
        (_NOT_AT_SAT, "not-at-sat"),
        (_DUPLICATE_IN_BOOKS, "duplicate-in-books"),
        (_DUPLICATE_AT_SAT, "duplicate-at-sat"),
        (_SUBSTITUTED_IN_FORCE, "substituted-in-force"),
        (_UNREADABLE, "unreadable"),
    ):
        workspace.run(statement.format(position=POSITIONS[name]))

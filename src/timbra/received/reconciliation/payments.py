"""Differences of payments: the list of payments, and the payment complements among the documents."""

from __future__ import annotations

from timbra.received.reconciliation.kinds import POSITIONS
from timbra.received.reconciliation.options import Side
from timbra.received.reconciliation.workspace import AMOUNT, Workspace

_IN_PERIOD = "CAST({0} AS DATE) BETWEEN getvariable('since') AND getvariable('until')"
_INSTALLMENTS = f"""
CREATE TABLE installments AS
SELECT c.uuid AS complement, p.position AS position, TRY_CAST(p.id_documento AS UUID) AS uuid,
       CAST(p.fecha_pago AS DATE) AS day, TRY_CAST(p.num_parcialidad AS INTEGER) AS number,
       CAST(p.imp_saldo_ant AS {AMOUNT}) AS before, CAST(p.imp_pagado AS {AMOUNT}) AS amount,
       CAST(p.imp_saldo_insoluto AS {AMOUNT}) AS after, c.fecha AS issued
FROM payments p JOIN sat c ON c.uuid = TRY_CAST(p.uuid AS UUID)
ANTI JOIN substitutes n ON n.old = c.uuid
WHERE NOT c.is_cancelled AND TRY_CAST(p.id_documento AS UUID) IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY c.uuid, p.position ORDER BY p.document_id) = 1
"""
_LINKS = """
CREATE TABLE links AS
SELECT p.row, p.uuid AS uuid FROM paid p JOIN sat s ON s.uuid = p.uuid
"""
_LINKS_BY_AMOUNT = """
INSERT INTO links
WITH free_payments AS (
  SELECT p.row, p.rfc, round(p.monto, 2) AS amount,
         row_number() OVER (PARTITION BY p.rfc, round(p.monto, 2) ORDER BY p.fecha, p.row) AS place
  FROM paid p WHERE p.uuid IS NULL
), free_invoices AS (
  SELECT s.uuid, s.{counterparty} AS rfc, {amount} AS amount,
         row_number() OVER (PARTITION BY s.{counterparty}, {amount} ORDER BY s.is_cancelled, s.fecha, s.uuid) AS place
  FROM sat s ANTI JOIN links l ON l.uuid = s.uuid WHERE s.tipo = 'I'
)
SELECT row, uuid FROM free_payments JOIN free_invoices USING (rfc, amount, place)
WHERE row NOT IN (SELECT row FROM links)
"""
_INVOICE_AMOUNTS = (
    "round(s.total, 2)",
    "CASE WHEN s.moneda <> 'MXN' THEN round(TRY_CAST(s.total AS DECIMAL(18, 6)) * s.rate, 2) END",
)
_SETTLED = f"""
CREATE TABLE settled AS
SELECT l.uuid, count(*) AS payments, min(CAST(p.fecha AS DATE)) AS first, max(CAST(p.fecha AS DATE)) AS last,
       bool_and(p.moneda IS NULL OR s.moneda IS NULL OR p.moneda = s.moneda OR p.tipo_cambio IS NOT NULL) AS is_exact,
       sum(CASE WHEN p.moneda IS NULL OR s.moneda IS NULL OR p.moneda = s.moneda THEN p.monto
                WHEN p.moneda = 'MXN' THEN round(CAST(p.monto / p.tipo_cambio AS {AMOUNT}), 2)
                ELSE round(TRY_CAST(p.monto AS DECIMAL(18, 6)) * p.tipo_cambio, 2) END) AS amount
FROM links l JOIN paid p ON p.row = l.row JOIN sat s ON s.uuid = l.uuid GROUP BY l.uuid
"""
_COMPLEMENTED = """
CREATE TABLE complemented AS
SELECT uuid, sum(amount) AS amount, min(day) AS first, max(day) AS last, min(complement) AS complement
FROM installments GROUP BY uuid
"""
_PAYMENT_DAYS = """
CREATE TABLE payment_days AS
SELECT uuid, min(first) AS first, max(last) AS last
FROM (SELECT uuid, first, last FROM settled UNION ALL SELECT uuid, first, last FROM complemented) GROUP BY uuid
"""
_CREDITS = """
CREATE TABLE credits AS
WITH notes AS (
  SELECT e.uuid, e.total, any_value(r.related) AS related, count(DISTINCT r.related) AS related_count
  FROM sat e JOIN related r ON r.uuid = e.uuid
  WHERE e.tipo = 'E' AND NOT e.is_cancelled AND r.relation IN ('01', '03', '07') GROUP BY e.uuid, e.total
)
SELECT r.related AS uuid, sum(n.total) FILTER (n.related_count = 1) AS amount,
       sum(n.total) FILTER (n.related_count > 1) AS shared
FROM notes n JOIN related r ON r.uuid = n.uuid AND r.relation IN ('01', '03', '07') GROUP BY r.related
"""
_DUE = "(s.total - coalesce(k.amount, 0))"
_METODO = """
CREATE TABLE methods AS
SELECT s.uuid, coalesce(s.metodo, b.metodo) AS metodo
FROM sat s LEFT JOIN (SELECT p.uuid, any_value(b.metodo) AS metodo FROM pairs p JOIN books b
                      ON b.books = p.books AND b.row = p.row WHERE b.metodo IS NOT NULL GROUP BY p.uuid) b
  ON b.uuid = s.uuid WHERE s.tipo = 'I' AND coalesce(s.metodo, b.metodo) IN ('PUE', 'PPD')
"""
_DOCUMENT = "s.issuer_rfc, s.receiver_rfc, s.serie, s.folio, s.fecha, s.tipo, s.moneda"
_OF_INVOICE = """
INSERT INTO differences
SELECT {position}, NULL, s.uuid, {other}, NULL, {document}, {sat_amount}, {books_amount}, {detail}
FROM sat s LEFT JOIN methods m ON m.uuid = s.uuid LEFT JOIN settled t ON t.uuid = s.uuid
LEFT JOIN complemented c ON c.uuid = s.uuid LEFT JOIN credits k ON k.uuid = s.uuid
LEFT JOIN substitutes n ON n.old = s.uuid
WHERE (s.in_period OR {in_period}) AND {condition}
"""
_TOLERANCE = "getvariable('tolerance')"
_IN_FORCE = "NOT s.is_cancelled AND s.tipo = 'I'"
_PAID_TOO_MUCH = f"t.is_exact AND t.amount > {_DUE} + {_TOLERANCE} AND {_IN_FORCE}"
_REPEATED_PAYMENT = "s.uuid IN (SELECT uuid FROM repeated_payments)"
_REPEATED_PAYMENTS = """
CREATE TABLE repeated_payments AS
SELECT DISTINCT l.uuid FROM links l JOIN paid p ON p.row = l.row
GROUP BY l.uuid, CAST(p.fecha AS DATE), p.monto HAVING count(*) > 1
"""
_INVOICE_KINDS = (
    (
        "complement-for-pue",
        f"m.metodo = 'PUE' AND c.uuid IS NOT NULL AND {_IN_FORCE}",
        "c.complement",
        "c.amount",
        "NULL",
    ),
    (
        "complement-differs",
        f"c.uuid IS NOT NULL AND t.is_exact AND abs(c.amount - t.amount) > {_TOLERANCE} AND {_IN_FORCE} "
        f"AND NOT coalesce({_PAID_TOO_MUCH}, false)",
        "c.complement",
        "t.amount",
        "'complementos por ' || CAST(CAST(c.amount AS DECIMAL(24, 2)) AS VARCHAR)",
    ),
    ("duplicate-payment", f"{_PAID_TOO_MUCH} AND {_REPEATED_PAYMENT}", "NULL", "t.amount", "NULL"),
    ("overpaid", f"{_PAID_TOO_MUCH} AND NOT {_REPEATED_PAYMENT}", "NULL", "t.amount", "NULL"),
)
_PAYMENT_WITHOUT_INVOICE = """
INSERT INTO differences
SELECT {position}, NULL, p.uuid, NULL, p.row, {parties}, NULL, NULL, p.fecha, NULL, p.moneda, NULL, p.monto,
       p.referencia
FROM paid p ANTI JOIN links l ON l.row = p.row ANTI JOIN books b ON b.uuid = p.uuid
WHERE {in_period}
"""
_PAID_AFTER_CANCELLATION = """
INSERT INTO differences
SELECT {position}, NULL, s.uuid, n.new, NULL, {document}, s.total, NULL,
       'cancelado el ' || strftime(s.cancelled_at, '%Y-%m-%d') || ', pagado el ' || CAST(d.last AS VARCHAR)
FROM sat s JOIN payment_days d ON d.uuid = s.uuid LEFT JOIN substitutes n ON n.old = s.uuid
WHERE s.is_cancelled AND d.last > CAST(s.cancelled_at AS DATE) AND n.new IS NULL AND (s.in_period OR {in_period})
"""
_CANCELLED_AFTER_PAYMENT = """
INSERT INTO differences
SELECT {position}, NULL, s.uuid, NULL, NULL, {document}, s.total, NULL,
       'cancelado' || coalesce(' el ' || strftime(s.cancelled_at, '%Y-%m-%d'), '') || ', pagado el '
       || CAST(d.first AS VARCHAR)
FROM sat s JOIN payment_days d ON d.uuid = s.uuid ANTI JOIN substitutes n ON n.old = s.uuid
WHERE s.is_cancelled AND (s.cancelled_at IS NULL OR d.first <= CAST(s.cancelled_at AS DATE))
  AND (s.in_period OR {in_period})
"""
_COMPLEMENT_LATE = """
INSERT INTO differences
SELECT {position}, NULL, s.uuid, min(i.uuid), NULL, {document}, NULL, sum(i.amount),
       'pagado el ' || CAST(min(i.day) AS VARCHAR)
FROM installments i JOIN sat s ON s.uuid = i.complement
WHERE s.in_period AND CAST(s.fecha AS DATE) > CAST(date_trunc('month', i.day) + INTERVAL 1 MONTH AS DATE) + 4
GROUP BY s.uuid, {document}
"""
_INSTALLMENTS_DIFFER = """
INSERT INTO differences
WITH ordered AS (
  SELECT i.*, s.total, lag(i.after) OVER numbered AS previous_after, lag(i.number) OVER numbered AS previous,
         sum(i.amount) OVER (PARTITION BY i.uuid) AS paid
  FROM installments i LEFT JOIN sat s ON s.uuid = i.uuid
  WINDOW numbered AS (PARTITION BY i.uuid ORDER BY i.number, i.day, i.complement, i.position)
), reasons AS (
  SELECT uuid, complement, number, paid, CASE
    WHEN number = previous THEN printf('la parcialidad %d está dos veces', number)
    WHEN number > previous + 1 THEN printf('falta la parcialidad %d', previous + 1)
    WHEN abs(before - amount - after) > getvariable('tolerance')
      THEN printf('parcialidad %d: el saldo insoluto no es el anterior menos lo pagado', number)
    WHEN abs(before - previous_after) > getvariable('tolerance')
      THEN printf('parcialidad %d: el saldo anterior no es el insoluto de la %d', number, previous)
    WHEN number = 1 AND abs(before - total) > getvariable('tolerance')
      THEN 'parcialidad 1: el saldo anterior no es el total'
    WHEN paid > total + getvariable('tolerance') THEN 'las parcialidades pasan del total' END AS reason
  FROM ordered
), first AS (
  SELECT uuid, arg_min(reason, (number, complement)) AS reason, arg_min(complement, (number, complement)) AS complement,
         any_value(paid) AS paid
  FROM reasons WHERE reason IS NOT NULL GROUP BY uuid
)
SELECT {position}, NULL, f.uuid, f.complement, NULL, coalesce(s.issuer_rfc, c.issuer_rfc),
       coalesce(s.receiver_rfc, c.receiver_rfc), s.serie, s.folio, coalesce(s.fecha, c.fecha), coalesce(s.tipo, 'I'),
       s.moneda, s.total, f.paid, f.reason
FROM first f JOIN sat c ON c.uuid = f.complement LEFT JOIN sat s ON s.uuid = f.uuid
WHERE (c.in_period OR s.in_period) AND NOT coalesce(s.is_cancelled, false)
"""


def settle(workspace: Workspace) -> None:
    """Create the tables of payments by invoice, `payment_days` among them."""
    counterparty = "receiver_rfc" if workspace.options.side is Side.ISSUED else "issuer_rfc"
    workspace.run(_INSTALLMENTS)
    workspace.run(_LINKS)
    for amount in _INVOICE_AMOUNTS:
        workspace.run(_LINKS_BY_AMOUNT.format(counterparty=counterparty, amount=amount))
    for statement in (_SETTLED, _COMPLEMENTED, _PAYMENT_DAYS, _CREDITS, _METODO, _REPEATED_PAYMENTS):
        workspace.run(statement)


def compare_payments(workspace: Workspace) -> None:
    """Insert the differences of payments."""
    is_issued = workspace.options.side is Side.ISSUED
    ppd = f"m.metodo = 'PPD' AND c.uuid IS NULL AND {_IN_FORCE} AND n.new IS NULL"
    kinds = [*_INVOICE_KINDS]
    if workspace.has_payments:
        pue = f"m.metodo = 'PUE' AND {_IN_FORCE} AND n.new IS NULL AND coalesce(t.is_exact, true)"
        unpaid = f"coalesce(t.amount, 0) + coalesce(k.shared, 0) < {_DUE} - {_TOLERANCE}"
        kinds.append(("ppd-without-complement", f"{ppd} AND t.uuid IS NOT NULL", "NULL", "t.amount", "NULL"))
        kinds.append(("pue-not-paid", f"{pue} AND {unpaid}", "NULL", "coalesce(t.amount, 0)", "NULL"))
    elif workspace.has_sat:
        kinds.append(("ppd-without-complement", f"{ppd} AND s.total > 0", "NULL", "NULL", "NULL"))
    in_period = f"coalesce({_IN_PERIOD.format('t.last')}, false) OR coalesce({_IN_PERIOD.format('c.last')}, false)"
    for name, condition, other, amount, detail in kinds:
        workspace.run(
            _OF_INVOICE.format(
                position=POSITIONS[name],
                other=other,
                document=_DOCUMENT,
                sat_amount="s.total",
                books_amount=amount,
                detail=detail,
                in_period=in_period,
                condition=condition,
            )
        )
    last = _IN_PERIOD.format("d.last")
    own, other = "getvariable('rfc')", "p.rfc"
    parties = f"{own}, {other}" if is_issued else f"{other}, {own}"
    for statement, name in (
        (_PAID_AFTER_CANCELLATION, "paid-after-cancellation"),
        (_CANCELLED_AFTER_PAYMENT, "cancelled-after-payment"),
    ):
        workspace.run(statement.format(position=POSITIONS[name], document=_DOCUMENT, in_period=last))
    workspace.run(
        _PAYMENT_WITHOUT_INVOICE.format(
            position=POSITIONS["payment-without-invoice"], parties=parties, in_period=_IN_PERIOD.format("p.fecha")
        )
    )
    workspace.run(_COMPLEMENT_LATE.format(position=POSITIONS["complement-late"], document=_DOCUMENT))
    workspace.run(_INSTALLMENTS_DIFFER.format(position=POSITIONS["installments-differ"]))

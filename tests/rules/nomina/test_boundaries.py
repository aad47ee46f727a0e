"""Boundaries of the arithmetic rules of Nómina 1.2, for CFDI 4.0 (revision E) and CFDI 3.3 (revision B)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.boundaries_pay import CENT, Boundary, amounts, few_examples, truncated, written

from timbra.examples import ExampleNode, nomina, nomina33
from timbra.examples.codes.nomina12 import mixed_funds, receipt_of, with_subsidy
from timbra.examples.codes.receipt import Receipt
from timbra.examples.nomina12 import balance, deduction, earned, employed, incapacity, other, payroll
from timbra.examples.tree import Change
from timbra.rules.rulesets.nomina12 import RULE_SET as NOMINA12
from timbra.rules.rulesets.nomina12b import RULE_SET as NOMINA12B
from timbra.rules.shared.nomina.otros_pagos import SUBSIDIES, Subsidy

NOMINA = "Complemento/Nomina"
PERCEPCIONES, DEDUCCIONES = f"{NOMINA}/Percepciones", f"{NOMINA}/Deducciones"
CONCEPTO = "Conceptos/Concepto"
DAYS = st.dates(date(2018, 1, 1), date(2030, 12, 30))
DAY = timedelta(days=1)
both_revisions = pytest.mark.parametrize("revision_e", [True, False], ids=["nomina12", "nomina12b"])


class Revision:
    """The rule set of one revision, with the boundary of each of its codes."""

    def __init__(self, revision_e: bool) -> None:
        self.is_e = revision_e
        self.rule_set = NOMINA12 if revision_e else NOMINA12B
        self.invoice: Callable[..., str] = nomina if revision_e else nomina33

    def check(self, codes: tuple[str, str], accepted: list[Receipt], rejected: list[Receipt]) -> None:
        """Assert that a rule accepts and rejects receipts.

        Args:
            codes: codes of the rule in revision E and in revision B.
            accepted: receipts without findings.
            rejected: receipts that violate the rule alone.
        """
        boundary = Boundary(self.rule_set, codes[0] if self.is_e else codes[1])
        boundary.accepts(*[receipt.to_xml(self.invoice) for receipt in accepted])
        boundary.rejects(*[receipt.to_xml(self.invoice) for receipt in rejected])


PAYROLL_AMOUNTS = st.tuples(*[amounts("100.00", "99999.99")] * 5, *[amounts("0.01", "40.00")] * 3)


def with_every_total(values: tuple[Decimal, ...]) -> ExampleNode:
    """Return a payroll that has every total."""
    taxed, exempt, separation, retirement, travel, isr, other_deduction, further = map(written, values)
    return payroll(
        [earned("001", taxed, exempt), earned("022", separation), earned("039", retirement)],
        withheld=[deduction("002", isr), deduction("004", other_deduction), deduction("001", further)],
        others=[other("003", travel)],
    )


def totals_of(node: ExampleNode) -> dict[str, Decimal]:
    """Return the totals of a payroll and the amounts of its invoice, by path."""
    totals = {f"{NOMINA}/@{name}": text for name, text in node.attributes.items() if name.startswith("Total")}
    for child in (*node.named("Percepciones"), *node.named("Deducciones")):
        totals |= {f"{NOMINA}/{child.local}/@{name}": text for name, text in child.attributes.items()}
    return {path: Decimal(text) for path, text in totals.items()} | amounts_of_invoice(
        Decimal(node.attributes["TotalPercepciones"]) + Decimal(node.attributes["TotalOtrosPagos"]),
        Decimal(node.attributes["TotalDeducciones"]),
    )


def amounts_of_invoice(paid: Decimal, withheld: Decimal) -> dict[str, Decimal]:
    """Return the amounts of the invoice, by path."""
    return {
        f"{CONCEPTO}/@ValorUnitario": paid,
        f"{CONCEPTO}/@Importe": paid,
        f"{CONCEPTO}/@Descuento": withheld,
        "@SubTotal": paid,
        "@Descuento": withheld,
        "@Total": paid - withheld,
    }


PAID = (f"{CONCEPTO}/@ValorUnitario", f"{CONCEPTO}/@Importe", "@SubTotal", "@Total")
EARNED = (f"{NOMINA}/@TotalPercepciones", *PAID)
WITHHELD = (f"{CONCEPTO}/@Descuento", "@Descuento", "-@Total")
TOTALS: dict[tuple[str, str], tuple[str, ...]] = {
    ("NOM20", "NOM146"): (f"{CONCEPTO}/@ValorUnitario",),
    ("NOM21", "NOM147"): (f"{CONCEPTO}/@Importe", "@SubTotal", "@Total"),
    ("NOM22", "NOM148"): WITHHELD,
    ("NOM37", "NOM157"): EARNED,
    ("NOM39", "NOM159"): (f"{NOMINA}/@TotalDeducciones", *WITHHELD),
    ("NOM40", "NOM160"): (f"{NOMINA}/@TotalOtrosPagos", *PAID),
    ("NOM70", "NOM190"): (f"{PERCEPCIONES}/@TotalSueldos", *EARNED),
    ("NOM71", "NOM191"): (f"{PERCEPCIONES}/@TotalSeparacionIndemnizacion", *EARNED),
    ("NOM72", "NOM192"): (f"{PERCEPCIONES}/@TotalJubilacionPensionRetiro", *EARNED),
    ("NOM73", "NOM193"): (f"{PERCEPCIONES}/@TotalGravado",),
    ("NOM74", "NOM194"): (f"{PERCEPCIONES}/@TotalExento",),
    ("NOM91", "NOM211"): (f"{DEDUCCIONES}/@TotalImpuestosRetenidos", f"{NOMINA}/@TotalDeducciones", *WITHHELD),
    ("NOM111:TotalOtrasDeducciones", "NOM225:TotalOtrasDeducciones"): (
        f"{DEDUCCIONES}/@TotalOtrasDeducciones",
        f"{NOMINA}/@TotalDeducciones",
        *WITHHELD,
    ),
}
"""By code: the total, and the amounts that change with it; "-" marks an amount that changes in the other direction."""


@both_revisions
@pytest.mark.parametrize("codes", TOTALS, ids=lambda codes: str(codes[0]))
@few_examples
@given(values=PAYROLL_AMOUNTS)
def test_totals_are_exact_sums(codes: tuple[str, str], revision_e: bool, values: tuple[Decimal, ...]) -> None:
    totals = totals_of(with_every_total(values))

    def changed(cents: Decimal) -> Receipt:
        changes: dict[str, Change] = {}
        for entry in TOTALS[codes]:
            path = entry.removeprefix("-")
            changes[path] = written(totals[path] + (-cents if entry.startswith("-") else cents))
        return Receipt(lambda: with_every_total(values), changes=changes)

    Revision(revision_e).check(codes, [changed(Decimal(0))], [changed(CENT), changed(-CENT)])


def dated_receipt(changes: dict[str, Change], *, worker: bool = False) -> Receipt:
    return Receipt(lambda: employed(None, changes) if worker else payroll(changes=changes))


@both_revisions
@few_examples
@given(last=DAYS)
def test_period_begins_at_the_latest_on_its_last_day(revision_e: bool, last: date) -> None:
    def build(first: date) -> Receipt:
        return dated_receipt({"@FechaInicialPago": str(first), "@FechaFinalPago": str(last)})

    Revision(revision_e).check(("NOM35", "NOM155"), [build(last), build(last - DAY)], [build(last + DAY)])


@both_revisions
@few_examples
@given(last=DAYS)
def test_employment_begins_at_the_latest_on_the_last_day_of_the_period(revision_e: bool, last: date) -> None:
    def build(first: date) -> Receipt:
        return dated_receipt(
            {
                "@FechaInicialPago": str(last),
                "@FechaFinalPago": str(last),
                "Receptor/@FechaInicioRelLaboral": str(first),
            }
        )

    Revision(revision_e).check(("NOM53", "NOM173"), [build(last), build(last - DAY)], [build(last + DAY)])


def with_seniority(first: date, last: date, text: str) -> Receipt:
    return dated_receipt(
        {
            "@FechaInicialPago": str(last),
            "@FechaFinalPago": str(last),
            "Receptor/@FechaInicioRelLaboral": str(first),
            "Receptor/@Antigüedad": text,
        },
        worker=True,
    )


@both_revisions
@few_examples
@given(first=DAYS, weeks=st.integers(1, 2000), days=st.integers(0, 6))
def test_weeks_of_seniority_are_limited(revision_e: bool, first: date, weeks: int, days: int) -> None:
    last = first + timedelta(days=7 * weeks + days - 1)

    def build(number: int) -> Receipt:
        return with_seniority(first, last, f"P{number}W")

    Revision(revision_e).check(("NOM54", "NOM174"), [build(weeks)], [build(weeks + 1)])


@both_revisions
@few_examples
@given(month=DAYS, days=st.lists(st.integers(1, 28), min_size=2, max_size=2).map(sorted), years=st.integers(1, 30))
def test_calendar_seniority_is_exact(revision_e: bool, month: date, days: list[int], years: int) -> None:
    """Inside one month of another year, both ways of counting agree except for the last day."""
    first, last = month.replace(day=days[0]), month.replace(year=month.year + years, day=days[1])
    exact = (last - last.replace(day=first.day)).days

    def build(number: int) -> Receipt:
        return with_seniority(first, last, f"P{years}Y{number}D")

    wrong = [build(number) for number in (exact - 1, exact + 2) if number >= 0]
    Revision(revision_e).check(("NOM55", "NOM175"), [build(exact), build(exact + 1)], wrong)


@both_revisions
@few_examples
@given(paid=st.dates(date(2020, 1, 1), date(2030, 12, 31)))
def test_year_of_a_balance_is_limited(revision_e: bool, paid: date) -> None:
    def build(year: int) -> Receipt:
        node = [other("004", "50.00", balance(str(year)))]
        days: dict[str, Change] = dict.fromkeys(("@FechaPago", "@FechaInicialPago", "@FechaFinalPago"), str(paid))
        return Receipt(lambda: payroll(changes=days, others=node))

    latest = paid.year if paid.month == 12 else paid.year - 1
    Revision(revision_e).check(
        ("NOM103", "NOM223"), [build(paid.year - 1), build(latest)], [build(latest + 1), build(paid.year - 2)]
    )


@both_revisions
@few_examples
@given(amount=amounts())
def test_own_funds_are_less_than_the_paid_sum(revision_e: bool, amount: Decimal) -> None:
    def build(own: Decimal) -> Receipt:
        changes: dict[str, Change] = {
            "Emisor/EntidadSNCF/@OrigenRecurso": "IM",
            "Emisor/EntidadSNCF/@MontoRecursoPropio": written(own),
        }
        return Receipt(lambda: payroll([earned("046", written(amount))], changes), issuer=mixed_funds.issuer)

    Revision(revision_e).check(("NOM50", "NOM170"), [build(amount - CENT)], [build(amount), build(amount + CENT)])


@both_revisions
@few_examples
@given(share=st.decimals(Decimal("0.002"), Decimal("99.998"), places=3))
def test_percentages_sum_to_exactly_one_hundred(revision_e: bool, share: Decimal) -> None:
    unit = Decimal("0.001")

    def build(rest: Decimal) -> Receipt:
        changes: dict[str, Change] = {}
        for position, percentage in enumerate((share, rest), 1):
            changes[f"Receptor/SubContratacion[{position}]/@RfcLabora"] = "URE180429TM6"
            changes[f"Receptor/SubContratacion[{position}]/@PorcentajeTiempo"] = written(percentage, 3)
        return Receipt(lambda: payroll(changes=changes))

    rest = 100 - share
    Revision(revision_e).check(("NOM68", "NOM188"), [build(rest)], [build(rest + unit), build(rest - unit)])


@both_revisions
def test_amounts_of_rows_are_positive(revision_e: bool) -> None:
    wage = earned("001")
    rows: dict[tuple[str, str], Callable[[str], Receipt]] = {
        ("NOM75", "NOM195"): lambda amount: receipt_of(wage, earned("046", amount)),
        ("NOM96", "NOM216"): lambda amount: receipt_of(withheld=(deduction("001", amount),)),
        ("NOM100", "NOM220"): lambda amount: receipt_of(others=(other("003", amount),)),
    }
    for codes, build in rows.items():
        Revision(revision_e).check(codes, [build("0.01")], [build("0.00")])


def test_nom110_requires_a_positive_exempt_amount() -> None:
    def build(exempt: str) -> Receipt:
        return receipt_of(earned("001"), earned("056", "0.00", exempt))

    Revision(True).check(("NOM110", ""), [build("0.01")], [build("0.00")])


@few_examples
@given(taxed=amounts())
def test_nom109_requires_an_exempt_amount_of_zero(taxed: Decimal) -> None:
    def build(exempt: str) -> Receipt:
        return receipt_of(earned("038", written(taxed), exempt))

    Revision(True).check(("NOM109", ""), [build("0.00")], [build("0.01")])


@both_revisions
@few_examples
@given(parts=st.tuples(amounts("100.00"), amounts("0.00"), amounts("0.02", "99.99")))
def test_incapacities_equal_earnings_and_deductions(revision_e: bool, parts: tuple[Decimal, Decimal, Decimal]) -> None:
    taxed, exempt, withheld = parts

    def earning(total: Decimal) -> Receipt:
        rows = [earned("014", written(taxed), written(exempt))]
        return Receipt(lambda: payroll(rows, incapacities=[incapacity(written(total))]))

    def deducing(total: Decimal) -> Receipt:
        rows = [deduction("006", written(withheld))]
        return Receipt(lambda: payroll(withheld=rows, incapacities=[incapacity(written(total))]))

    revision, paid = Revision(revision_e), taxed + exempt
    revision.check(("NOM87", "NOM207"), [earning(paid)], [earning(paid + CENT), earning(paid - CENT)])
    revision.check(("NOM95", "NOM215"), [deducing(withheld)], [deducing(withheld + CENT), deducing(withheld - CENT)])


@both_revisions
@few_examples
@given(days=st.decimals(Decimal(1), Decimal(31), places=3), longer=st.decimals(Decimal("31.001"), 366, places=3))
def test_subsidies_are_limited_by_paid_days(revision_e: bool, days: Decimal, longer: Decimal) -> None:
    limits: Subsidy = SUBSIDIES[-1] if revision_e else SUBSIDIES[0]

    def build(due: Decimal, number: Decimal) -> Receipt:
        return with_subsidy("0.00", written(due), days=written(number, 3))

    revision, daily = Revision(revision_e), truncated(Fraction(limits.daily) * Fraction(longer), 2)
    revision.check(("NOM101", "NOM221"), [build(limits.monthly, days)], [build(limits.monthly + CENT, days)])
    revision.check(("NOM108", "NOM229"), [build(daily, longer)], [build(daily + CENT, longer)])


@both_revisions
@few_examples
@given(due=amounts("0.00", "400.00"))
def test_paid_subsidy_is_at_most_the_due_one(revision_e: bool, due: Decimal) -> None:
    def build(paid: Decimal) -> Receipt:
        return with_subsidy(written(paid), written(due))

    Revision(revision_e).check(("NOM107", "NOM228"), [build(due)], [build(due + CENT)])


@both_revisions
@few_examples
@given(amount=amounts())
def test_balance_covers_its_remainder(revision_e: bool, amount: Decimal) -> None:
    year = "2025" if revision_e else "2021"

    def build(remainder: Decimal) -> Receipt:
        rows = [other("004", "50.00", balance(year, written(amount), written(remainder)))]
        return Receipt(lambda: payroll(others=rows))

    Revision(revision_e).check(("NOM102", "NOM222"), [build(amount)], [build(amount + CENT)])

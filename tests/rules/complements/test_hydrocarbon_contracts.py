"""Hydrocarbon contracts: months, and keys with parent keys."""

from __future__ import annotations

import pytest
from tests.support.reference_data import InMemoryCatalogs
from tests.support.rules import checked, codes, unknown

from timbra.examples import gastos_hidrocarburos, ingresos_hidrocarburos
from timbra.examples.codes.hidrocarburos10 import ACTIVITY, INCOME, document, foreign, levels


def months(day: str, month: str) -> set[str]:
    income = {
        f"{INCOME}/DocumentoRelacionado/@FechaFolioFiscalVinculado": day,
        f"{INCOME}/DocumentoRelacionado/@Mes": month,
    }
    expense = document(FechaFolioFiscalVinculado=day, Mes=month)
    return codes(ingresos_hidrocarburos(income)) | codes(gastos_hidrocarburos(expense))


@pytest.mark.parametrize(
    ("day", "month", "accepted"),
    [
        ("2026-11-30", "11", True),
        ("2026-11-01", "10", True),
        ("2026-11-01", "12", False),
        ("2026-11-30", "09", False),
        ("2026-01-15", "01", True),
        ("2026-01-15", "12", True),
        ("2026-01-15", "11", False),
    ],
)
def test_ieeh103_accepts_the_month_of_the_date_or_the_one_before(day: str, month: str, accepted: bool) -> None:
    assert months(day, month) == (set() if accepted else {"IEEH103", "GCEH115"})


def test_ieeh103_accepts_any_month_without_a_date() -> None:
    nothing = foreign(FechaFolioFiscalVinculado=None, Mes="03")
    assert codes(gastos_hidrocarburos(nothing)) == set()


def parents(activity: str = "01", sub: str = "001") -> InMemoryCatalogs:
    """Return catalogs with the parent of each key."""
    catalogs = InMemoryCatalogs(version=f"parents {activity} {sub}")
    catalogs.keys["gceh10:c_SubActividad"] = {"001": {"actividad": activity}}
    catalogs.keys["gceh10:c_Tarea"] = {"0001": {"actividad": activity, "subactividad": sub}}
    return catalogs


def test_gceh124_is_evaluated_when_catalogs_have_parents() -> None:
    text = gastos_hidrocarburos(levels(ACTIVITY, "01", "001", "0001"))
    assert codes(text) == set()
    assert {"GCEH124", "GCEH125"} <= unknown(text)
    assert not {"GCEH124", "GCEH125"} & unknown(text, catalogs=parents())
    assert codes(text, catalogs=parents()) == set()
    assert codes(text, catalogs=parents(activity="02")) == {"GCEH124", "GCEH125"}
    assert codes(text, catalogs=parents(sub="002")) == {"GCEH125"}


def test_gceh133_checks_the_parts_of_pedimentos() -> None:
    assert "GCEH133" not in unknown(gastos_hidrocarburos(foreign()))
    (finding,) = checked(gastos_hidrocarburos(foreign(NumeroPedimentoVinculado="26  48  3009  0000000"))).findings
    assert (finding.code, finding.found) == ("GCEH133", "26  48  3009  0000000")

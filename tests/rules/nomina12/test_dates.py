"""Rules of payrolls that changed by date, and rules on lists."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from tests.support.reference_data import InMemoryCatalogs
from tests.support.rules import codes, unknown

from timbra.cfdi.nodes.nomina12 import EmisorNomina, EntidadSNCF, Percepcion, ReceptorNomina, SubContratacion
from timbra.examples import nomina
from timbra.examples.codes.example import at
from timbra.examples.nomina12 import earned, employed, other, payroll, subsidy
from timbra.rules.shared.nomina.otros_pagos import SUBSIDIES, subsidy_limits

EARNED, EMPLOYER, ENTITY, WORKER = Percepcion.PATH, EmisorNomina.PATH, EntidadSNCF.PATH, ReceptorNomina.PATH
UNKNOWN = "AAAA800101AB1"


def with_subsidy(due: str, days: str, fecha: str) -> set[str]:
    node = employed(None, {"@NumDiasPagados": days}, others=[other("002", "0.00", subsidy(due))])
    return codes(nomina(payrolls=[node], fecha=f"{fecha}T12:00:00"))


@pytest.mark.parametrize(
    ("fecha", "monthly", "forty_days"),
    [
        ("2025-02-20", "407.02", "535.60"),
        ("2025-02-21", "475.00", "625.20"),
        ("2025-12-31", "475.00", "625.20"),
        ("2026-01-01", "628.00", "826.40"),
    ],
)
def test_subsidy_limits_depend_on_the_date(fecha: str, monthly: str, forty_days: str) -> None:
    cent = Decimal("0.01")
    assert with_subsidy(monthly, "31", fecha) == set()
    assert with_subsidy(str(Decimal(monthly) + cent), "31", fecha) == {"NOM101"}
    assert with_subsidy(forty_days, "40", fecha) == set()
    assert with_subsidy(str(Decimal(forty_days) + cent), "40", fecha) == {"NOM108"}


def test_subsidies_are_sorted_by_date() -> None:
    assert list(SUBSIDIES) == sorted(SUBSIDIES)
    assert subsidy_limits(date(2010, 1, 1)) == SUBSIDIES[0]
    assert subsidy_limits(date(2100, 1, 1)) == SUBSIDIES[-1]


def test_nom108_limits_subsidies_above_31_days() -> None:
    assert with_subsidy("628.01", "31.001", "2026-11-17") == set()
    assert with_subsidy("640.49", "31.001", "2026-11-17") == {"NOM108"}


@pytest.mark.parametrize(("fecha", "rejected"), [("2025-12-31", set()), ("2026-01-01", {"NOM109"})])
def test_nom109_is_evaluated_since_revision_e(fecha: str, rejected: set[str]) -> None:
    node = payroll([earned("038", "100.00", "100.00")])
    assert codes(nomina(payrolls=[node], fecha=f"{fecha}T12:00:00")) == rejected


@pytest.mark.parametrize(("fecha", "rejected"), [("2025-12-31", {"NOM75"}), ("2026-01-01", {"NOM75", "NOM110"})])
def test_nom110_is_reported_with_nom75_since_revision_e(fecha: str, rejected: set[str]) -> None:
    node = payroll([earned("001"), earned("046", "0.00")])
    assert codes(nomina(payrolls=[node], fecha=f"{fecha}T12:00:00")) == rejected


def test_nom76_checks_the_key_on_the_date_of_the_document() -> None:
    catalogs = InMemoryCatalogs("of tomorrow", since={("nomina12:c_TipoPercepcion", "056"): date(2026, 11, 18)})
    assert codes(nomina(at(EARNED, TipoPercepcion="056")), catalogs=catalogs) == {"NOM76"}
    assert codes(nomina(at(EARNED, TipoPercepcion="056"), fecha="2026-11-18T12:00:00"), catalogs=catalogs) == set()


def test_rules_on_lists_are_not_evaluated_without_them() -> None:
    text = nomina(
        {
            **at(EMPLOYER, RfcPatronOrigen=UNKNOWN),
            **at(ENTITY, OrigenRecurso="IP"),
            **at(SubContratacion.PATH, RfcLabora=UNKNOWN, PorcentajeTiempo="100.000"),
        }
    )
    found = unknown(text, taxpayers=None, coordinated=None)
    assert {"NOM9", "NOM41", "NOM45", "NOM46", "NOM67"} <= found


def test_not_evaluated_excludes_rules_that_need_no_list_here() -> None:
    found = unknown(nomina(at("Receptor", Rfc="XAXX010101000")), taxpayers=None, coordinated=None)
    assert found & {"NOM9", "NOM41", "NOM67"} == set()


def test_nom66_rejects_a_state_that_is_not_in_force() -> None:
    catalogs = InMemoryCatalogs("of next year", since={("nomina12:c_Estado", "HID"): date(2027, 1, 1)})
    assert codes(nomina(), catalogs=catalogs) == {"NOM66"}
    assert codes(nomina(at(WORKER, ClaveEntFed="HID"))) == set()

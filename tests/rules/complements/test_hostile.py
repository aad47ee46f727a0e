"""Rules return results for every document that the schema accepts, and for some others; they never raise."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rules import checked

from timbra.examples import estado_de_cuenta, gasolina, gastos_hidrocarburos, ine, ingresos_hidrocarburos
from timbra.examples.codes.ecc12 import ACCOUNT, PURCHASE
from timbra.examples.codes.hidrocarburos10 import ACTIVITY, COSTS, EXPENSE, INCOME, levels
from timbra.examples.codes.hidroypetro10 import COMPLEMENT
from timbra.examples.codes.ine11 import INE, STATE

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
NUMBER = st.from_regex(r"[+-]?[0-9]{1,70}(\.[0-9]{0,70})?", fullmatch=True)
DOCUMENT = f"{EXPENSE}/DocumentoRelacionado"
PLACES = {
    ine: [f"{INE}/@TipoProceso", f"{INE}/@TipoComite", f"{INE}/@IdContabilidad", f"{STATE}/@ClaveEntidad"],
    estado_de_cuenta: [
        f"{ACCOUNT}/@SubTotal",
        f"{ACCOUNT}/@Total",
        f"{PURCHASE}/@Rfc",
        f"{PURCHASE}/@Importe",
        f"{PURCHASE}/Traslados/Traslado/@Importe",
        f"{PURCHASE}/@TipoCombustible",
    ],
    ingresos_hidrocarburos: [
        f"{INCOME}/@Porcentaje",
        f"{INCOME}/@ContraprestacionPagadaOperador",
        f"{INCOME}/DocumentoRelacionado/@Mes",
        f"{INCOME}/DocumentoRelacionado/@FechaFolioFiscalVinculado",
    ],
    gastos_hidrocarburos: [
        f"{EXPENSE}/@Porcentaje",
        f"{DOCUMENT}/@OrigenErogacion",
        f"{DOCUMENT}/@FechaFolioFiscalVinculado",
        f"{DOCUMENT}/@Mes",
        f"{DOCUMENT}/@NumeroPedimentoVinculado",
        f"{EXPENSE}/Actividades/@ActividadRelacionada",
        f"{EXPENSE}/Actividades/SubActividades/@SubActividadRelacionada",
    ],
    gasolina: [
        f"{COMPLEMENT}/@TipoPermiso",
        f"{COMPLEMENT}/@NumeroPermiso",
        f"{COMPLEMENT}/@ClaveHYP",
        f"{COMPLEMENT}/@SubProductoHYP",
        "Conceptos/Concepto/@ClaveProdServ",
    ],
}


@pytest.mark.parametrize("builder", PLACES, ids=lambda builder: str(builder.__name__))
@given(data=st.data())
def test_rules_return_findings_for_any_document(builder: Callable[..., str], data: st.DataObject) -> None:
    changes = data.draw(st.dictionaries(st.sampled_from(PLACES[builder]), TEXT | NUMBER, max_size=5))
    for finding in checked(builder(changes)).findings:
        assert finding.detail
        assert finding.path


@pytest.mark.parametrize("names", [ACTIVITY, COSTS])
@given(values=st.lists(st.none() | st.sampled_from(["01", "001", "0001"]), min_size=1, max_size=3))
def test_levels_require_all_three_or_none(names: tuple[str, str, str], values: list[str | None]) -> None:
    found = {finding.code for finding in checked(gastos_hidrocarburos(levels(names, *values))).findings}
    first = 117 if names is ACTIVITY else 126
    present = len(values) - values.count(None)
    assert bool(found & {f"GCEH{number}" for number in range(first, first + 6)}) == (present in (1, 2))

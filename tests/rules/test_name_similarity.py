from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timbra.rules.engine.name_similarity import name_hint, normalized

REGISTERED = "UNIVERSIDAD ROBOTICA ESPAÑOLA"


@pytest.mark.parametrize(
    "name",
    [
        "UNIVERSIDAD ROBOTICA ESPAÑOLA SA DE CV",
        "Universidad Robótica Española, S.A. de C.V.",
        "UNIVERSIDAD ROBOTICA ESPAÑOLA S. DE R.L. DE C.V.",
        "UNIVERSIDAD ROBOTICA ESPAÑOLA, S.C.",
        "UNIVERSIDAD ROBOTICA ESPAÑOLA SAPI DE CV",
    ],
)
def test_name_hint_names_a_capital_regime(name: str) -> None:
    assert "régimen de capital" in (name_hint(name, REGISTERED) or "")


@pytest.mark.parametrize(
    "name", ["Universidad Robotica Española", "UNIVERSIDAD ROBÓTICA ESPAÑOLA", "UNIVERSIDAD  ROBOTICA ESPAÑOLA "]
)
def test_name_hint_names_case_accents_and_spaces(name: str) -> None:
    assert "mayúsculas, acentos o espacios" in (name_hint(name, REGISTERED) or "")


@pytest.mark.parametrize("name", ["UNIVERSIDAD ROBOTICA ESPANOLA", "UNIVERSIDAD", "SA DE CV", ""])
def test_name_hint_is_none_for_another_name(name: str) -> None:
    assert name_hint(name, REGISTERED) is None


@given(st.text(), st.text(min_size=1))
def test_name_hint_accepts_any_text(found: str, registered: str) -> None:
    assert name_hint(found, registered) is None or name_hint(found, registered)
    assert normalized(normalized(found)) == normalized(found)


def test_normalized_keeps_enie_and_single_spaces() -> None:
    assert normalized("  Peñá  y   Hijos ") == "PEÑA Y HIJOS"


@pytest.mark.parametrize("name", ["PEREZ & HIJOS, S.A.", "PEREZ&HIJOS SA"])
def test_name_hint_compares_ampersands_and_ignores_punctuation(name: str) -> None:
    assert "régimen de capital" in (name_hint(name, "PEREZ & HIJOS") or "")
    assert name_hint(name, "PEREZ HIJOS") is None

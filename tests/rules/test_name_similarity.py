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
def test_a_capital_regime_is_told(name: str) -> None:
    assert "régimen de capital" in (name_hint(name, REGISTERED) or "")


@pytest.mark.parametrize(
    "name", ["Universidad Robotica Española", "UNIVERSIDAD ROBÓTICA ESPAÑOLA", "UNIVERSIDAD  ROBOTICA ESPAÑOLA "]
)
def test_case_accents_and_blanks_are_told(name: str) -> None:
    assert "mayúsculas, acentos o espacios" in (name_hint(name, REGISTERED) or "")


@pytest.mark.parametrize("name", ["UNIVERSIDAD ROBOTICA ESPANOLA", "UNIVERSIDAD", "SA DE CV", ""])
def test_another_name_has_no_hint(name: str) -> None:
    assert name_hint(name, REGISTERED) is None


@given(st.text(), st.text(min_size=1))
def test_any_text_is_compared(found: str, registered: str) -> None:
    assert name_hint(found, registered) is None or name_hint(found, registered)
    assert normalized(normalized(found)) == normalized(found)

"""Changes of documents before they are validated."""

from __future__ import annotations

import pytest
from tests.corpus.handling import Handling


def test_text_applies_changes_in_order() -> None:
    handling = Handling(changes=(("one", "two"), ("two", "three")))
    assert handling.text(b"one") == b"three"


def test_text_raises_value_error_for_a_change_without_effect() -> None:
    with pytest.raises(ValueError, match="nothing like gone"):
        Handling(changes=(("gone", ""),)).text(b"here")


def test_with_all_combines_remedies() -> None:
    first = Handling(claimed=True, changes=(("a", "b"),))
    second = Handling(changes=(("a", "b"), ("c", "d")), switched_on=("CFDI40127",))
    both = Handling(redated=False, sealed=False).with_all([first, second])
    assert both == Handling(
        redated=False,
        sealed=False,
        claimed=True,
        changes=(("a", "b"), ("c", "d")),
        switched_on=("CFDI40127",),
    )

"""How documents are brought into the sandbox."""

from __future__ import annotations

import pytest
from tests.corpus.handling import Handling


def test_changes_apply_in_their_order() -> None:
    handling = Handling(changes=(("one", "two"), ("two", "three")))
    assert handling.text(b"one") == b"three"


def test_a_change_that_changes_nothing_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="nothing like gone"):
        Handling(changes=(("gone", ""),)).text(b"here")


def test_remedies_add_up() -> None:
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

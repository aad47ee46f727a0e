"""A row of l_RFC as rules use it: its values can be compared, and read only where findings may contain them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from timbra.rules.engine.name_similarity import name_hint

if TYPE_CHECKING:
    from timbra.rules.engine.ports import RegisteredTaxpayer


class Registration:
    """A registered taxpayer. A value that the list does not have equals every value.

    Args:
        row: row of the list.
        disclose: returns a value, or an empty text when findings may not contain it.
    """

    __slots__ = ("_disclose", "_row")

    def __init__(self, row: RegisteredTaxpayer, disclose: Callable[[str], str]) -> None:
        self._row = row
        self._disclose = disclose

    def has_name(self, name: str) -> bool:
        """Whether this is the registered name."""
        return self._row.name in ("", name)

    def has_postal_code(self, code: str) -> bool:
        """Whether this is the registered postal code."""
        return self._row.postal_code in ("", code)

    def is_at(self, code: str) -> bool:
        """Whether the list has exactly this postal code."""
        return self._row.postal_code == code

    def has_regime(self, regime: str) -> bool:
        """Whether this is a registered regime."""
        return not self._row.regimes or regime in self._row.regimes

    @property
    def disclosed_name(self) -> str:
        """The registered name; empty when findings may not contain it or the list does not have it."""
        return self._disclose(self._row.name)

    @property
    def disclosed_postal_code(self) -> str:
        """The registered postal code; empty when findings may not contain it or the list does not have it."""
        return self._disclose(self._row.postal_code)

    @property
    def disclosed_regimes(self) -> str:
        """The registered regimes; empty when findings may not contain them or the list does not have them."""
        return self._disclose(", ".join(sorted(self._row.regimes)))

    def name_hint(self, found: str) -> str | None:
        """Return why a similar name is not the registered one; the hint never repeats the registered name."""
        return name_hint(found, self._row.name)

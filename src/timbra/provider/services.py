"""The services of the provider, which endpoints, pages and commands receive by type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timbra.delivery.deliveries import AuthorityOutbox
    from timbra.delivery.receptions import ReceptionRepository
    from timbra.events.audit.key_uses import KeyUseStore
    from timbra.provider.check import CheckResult


@dataclass(frozen=True, slots=True)
class ProviderServices:
    """The provider that stamps, and its deliveries to the SAT; a sandbox has none.

    Attributes:
        check: checks everything that the provider needs; logs in at the SAT's services too when its argument is true.
        receptions: the SAT's answers.
        outbox: deliveries without an answer.
        key_uses: signatures with the provider's keys.
    """

    check: Callable[[bool], Sequence[CheckResult]]
    receptions: ReceptionRepository
    outbox: AuthorityOutbox
    key_uses: KeyUseStore

"""The policy for parties in the definitive list of article 69-B of the CFF, when a document is stamped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from timbra.accounts.article_69b import Article69bPolicy
from timbra.cfdi.rfc import GENERIC
from timbra.core.clock import CENTRAL_MEXICO
from timbra.core.errors import ServiceError
from timbra.rules.engine.ports import ReferenceData

DEFINITIVE: Final = "Definitivo"
LISTED, UNAVAILABLE = "TB4060", "TB4061"
NO_LIST: Final = (
    "No se ha importado la lista del artículo 69-B (timbra lists import --69b); la cuenta pide comprobarla."
)


@dataclass(frozen=True, slots=True)
class Article69bFinding:
    """What a stamped document is accompanied by: listed parties, or a list that is missing or too old.

    Attributes:
        dated: The day of the list; None without a list.
        listed: The RFCs of the parties that are in the list as Definitivo.
        is_stale: Whether the list is older than its maximum age.
    """

    dated: date | None
    listed: tuple[str, ...] = ()
    is_stale: bool = False

    @property
    def sentence(self) -> str:
        """The Spanish text for users."""
        if self.dated is None:
            return "No se comprobó el listado definitivo del artículo 69-B: este servidor no tiene la lista."
        age = f" La lista es del {self.dated} y puede estar atrasada." if self.is_stale else ""
        if not self.listed:
            return f"El emisor y el receptor no están en el listado definitivo del artículo 69-B.{age}"
        verb = "está" if len(self.listed) == 1 else "están"
        return f"{' y '.join(self.listed)} {verb} en el listado definitivo del artículo 69-B del {self.dated}."


NOT_CHECKED: Final = Article69bFinding(None)


class Article69bScreening:
    """Looks the parties of documents up in the list of article 69-B.

    Args:
        policy: The policy of accounts without one of their own.
        max_age: The age beyond which a list is stale.
    """

    def __init__(self, policy: Article69bPolicy, max_age: timedelta) -> None:
        self._policy = policy
        self._max_age = max_age

    def screen(
        self, policy: str | None, rfcs: Iterable[str], reference_data: ReferenceData
    ) -> Article69bFinding | None:
        """Return what the answer of a stamp has to state; None for nothing.

        Args:
            policy: The policy of the account; None for that of the server.
            rfcs: Issuer and receiver.
            reference_data: That of the checks.

        Raises:
            ServiceError: The policy is `block`: "TB4060" when a party is listed, "TB4061" without a list.
        """
        chosen = policy or self._policy
        if chosen == Article69bPolicy.IGNORE:
            return None
        finding = self.find(rfcs, reference_data)
        if chosen == Article69bPolicy.BLOCK:
            if finding.dated is None:
                raise ServiceError(UNAVAILABLE, NO_LIST)
            if finding.listed:
                raise ServiceError(LISTED, f"{', '.join(finding.listed)}: Definitivo en la lista del {finding.dated}.")
        return finding if finding.listed or finding.is_stale or finding.dated is None else None

    def find(self, rfcs: Iterable[str], reference_data: ReferenceData) -> Article69bFinding:
        """Return what the list of the reference data has about these RFCs, whatever the policy.

        Args:
            rfcs: Issuer and receiver.
        """
        presumed = reference_data.presumed
        if presumed is None:
            return NOT_CHECKED
        rows = (presumed.presumed(rfc) for rfc in dict.fromkeys(rfcs) if rfc not in GENERIC)
        listed = tuple([row.rfc for row in rows if row is not None and row.situation == DEFINITIVE])
        dated = presumed.dated
        is_stale = reference_data.now.astimezone(CENTRAL_MEXICO).date() - dated > self._max_age
        return Article69bFinding(dated, listed, is_stale)

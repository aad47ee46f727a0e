"""The house of production: the SAT's own lists and services."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from timbra.authority.lists.published import midnight
from timbra.clock import Clock, FiscalClock, FiscalReading
from timbra.wiring.house import House

if TYPE_CHECKING:
    from timbra.rules.world import World
    from timbra.seals.certificate import Certificate
    from timbra.seals.trust import Trust
    from timbra.service.submitting import Submissions


class ProductionHouse(House):
    """Judges by the published lists, which may be missing; stamps nothing without a provider's key."""

    sandbox = False
    provider = None
    authority = None

    @cached_property
    def fiscal(self) -> Clock:
        """The wall's own time."""
        return FiscalClock(self.wall, FiscalReading)

    @cached_property
    def trust(self) -> Trust:
        from timbra.seals.trust import Trust

        trust = Trust.built_in(production=True)
        folder = self.settings.trust_dir
        return trust if folder is None else trust.with_folder(folder, production=True)

    @cached_property
    def cancellations(self) -> Submissions:
        from timbra.service.submitting import Submissions
        from timbra.wiring.sat import sat_cancellations

        return Submissions(sat_cancellations(self.settings), self.database, self.outbox, self.wall, self.fiscal)

    def world(self) -> World:
        """The lists in force at this moment."""
        from timbra.authority.lists.parts import Kind
        from timbra.rules.world import World, dated_lists

        lists = self.lists.current
        return World(
            now=self.fiscal.now(),
            catalogs=self.catalogs,
            taxpayers=lists.taxpayers,
            obligations=lists.obligations,
            names=lists.names,
            marks=lists.marks,
            coordinated=lists.coordinated,
            lists_version=lists.version,
            related=self.related,
            dated=dated_lists(lists.begun(Kind.LRFC), lists.begun(Kind.LCO)),
        )

    def health(self) -> dict[str, object]:
        age = self.lists.age(self.wall.now())
        return {
            "status": "ok",
            "environment": self.settings.environment,
            "data_version": self.snapshot.version,
            "lists_version": self.lists.lists_version,
            "lists_age_hours": None if age is None else int(age.total_seconds() // 3600),
            "fiscal_time": self.fiscal.now().isoformat(),
        }

    def list_ages(self) -> dict[str, timedelta]:
        now, editions = self.wall.now(), self.lists.current.editions
        return {str(kind): now - midnight(edition.dated) for kind, edition in editions.items()}

    def deliver(self) -> None:
        """Sends requests of cancellation again that the SAT did not answer; stamps have nobody to go to yet."""
        self.cancellations.send_again()

    def refresh(self) -> None:
        """Nothing of ours is published."""

    def make_known(self, certificate: Certificate) -> None:
        """The SAT's own lists tell which certificates there are."""

"""Cards of the home page, which features declare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from timbra.web.injection import Groups, bind_services
from timbra.web.portal.dispatch.page_request import PageRequest

CardValues = Mapping[str, object]


class CardPlace(StrEnum):
    """Where the home page has a card: beside its figures, or below its newest documents."""

    FIGURES = "figures"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class Card:
    """A card.

    Attributes:
        position: Its order among those of the same place.
        template: Shows the card; it has its values as `card`.
        read: Returns the values of the template. It is called with the `PageRequest` in a thread that may read the
            database; annotated parameters after it are groups of services, passed by type.
    """

    place: CardPlace
    position: int
    template: str
    read: Callable[..., CardValues]


@dataclass(frozen=True, slots=True)
class Cards:
    """The cards of all features, bound to their services; a group of services."""

    cards: Sequence[Card]

    def read(self, page_request: PageRequest) -> Mapping[str, Sequence[CardValues]]:
        """Return the values of the cards of each place, in order, each with its `template`."""
        return {
            place: [
                {"template": card.template, **card.read(page_request)} for card in self.cards if card.place is place
            ]
            for place in CardPlace
        }


def bind_cards(cards: Sequence[Card], groups: Groups) -> Cards:
    """Bind cards to services, see `bind_services`."""
    ordered = sorted(cards, key=lambda card: card.position)
    return Cards([replace(card, read=bind_services(card.read, groups)) for card in ordered])

"""The work that an environment does with the authority after a commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from timbra.container import Container
from timbra.delivery.pace import BESIDE_REQUESTS, DeliveryPace


def _nothing() -> None:
    return


@dataclass(frozen=True, slots=True)
class AuthorityWork:
    """The work of periodic jobs; an environment leaves out what its authority does not need.

    Attributes:
        deliver: Sends the deliveries of the outbox that are due.
        measure_queue: Finds out whether so many documents wait for their delivery that this worker must not stamp.
        resend: Sends again the requests to the authority that got no answer.
        refresh: Does the work that is due after a fiscal midnight.
    """

    deliver: Callable[[], None]
    measure_queue: Callable[[], None] = _nothing
    resend: Callable[[], None] = _nothing
    refresh: Callable[[], None] = _nothing


def authority_work(_container: Container) -> AuthorityWork:
    """Return the work with the authority; each environment binds it."""
    raise NotImplementedError


def delivery_pace(_container: Container) -> DeliveryPace:
    """Return how deliveries share the processor with the requests of this process."""
    return BESIDE_REQUESTS

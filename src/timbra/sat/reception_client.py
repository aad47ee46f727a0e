"""What the clients of the SAT's receptions share: circuit breaker, retries, and which answers count as a failure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeVar

from timbra.core.errors import ServiceError
from timbra.core.retry import RetryPolicy
from timbra.sat.access_token import Access
from timbra.sat.circuit_breaker import CircuitBreaker
from timbra.sat.reception_port import ReceptionAcuse, StampedDocument
from timbra.sat.transport import down

Result = TypeVar("Result")
UNAVAILABLE, NOT_ADMITTED = "authority-down", "delivery-rejected"


class ReceptionClient(ABC):
    """A `ReceptionAuthority`; one per process, because it has a circuit breaker.

    The circuit breaker measures whether the service answers. An acuse is a success, also one that rejects the document;
    so is an answer that does not admit the provider. A call without an answer is a failure. An error of this machine,
    such as a device that does not sign the login, is neither.
    """

    def __init__(self, access: Access, breaker: CircuitBreaker, retry: RetryPolicy) -> None:
        """Deliver to a service.

        Args:
            access: The token of the service.
            breaker: Stops deliveries after repeated failures.
        """
        self._access = access
        self._breaker = breaker
        self._retry = retry

    def capacity(self, wanted: int) -> int:
        return self._breaker.capacity(wanted)

    def pause(self, document: StampedDocument) -> float | None:  # noqa: ARG002 - the client has one service
        return self._breaker.pause()

    def deliver(self, document: StampedDocument) -> ReceptionAcuse:
        if not self._breaker.allow():
            raise down("Sus últimas entregas fallaron y no se repite todavía.")
        try:
            acuse = self._deliver(document)
        except ServiceError as error:
            if error.code == UNAVAILABLE:
                self._breaker.record_failure()
            elif error.code == NOT_ADMITTED:
                self._breaker.record_success()
            raise
        self._breaker.record_success()
        return acuse

    @abstractmethod
    def _deliver(self, document: StampedDocument) -> ReceptionAcuse:
        """Deliver a document under the retry policy; raises as `deliver`."""

    def _repeated(self, operation: Callable[[float], Result]) -> Result:
        """Return the result of an operation under the retry policy; "delivery-rejected" is raised at once."""

        def attempt(seconds: float) -> Result | ServiceError:
            try:
                return operation(seconds)
            except ServiceError as error:
                if error.code != NOT_ADMITTED:
                    raise
                return error

        result = self._retry.call(attempt)
        if isinstance(result, ServiceError):
            raise result
        return result

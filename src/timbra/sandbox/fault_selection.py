"""Which requests a fault affects: by probability and seed, by route and by account."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from timbra.core.errors import ServiceError

MAX_KEYS: Final = 10_000
MAX_TEXT: Final = 200
MIN_PROBABILITY: Final = 0.000001
MAX_SEED: Final = 2**53
_RANGE: Final = 2**64


@dataclass(frozen=True, slots=True)
class FaultCall:
    """The request about which a fault decides.

    Attributes:
        user: The user name of the caller.
        operation: Name of the operation.
        path: Path of the request.
    """

    user: str = ""
    operation: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class FaultSelection:
    """The requests that a fault affects.

    Attributes:
        probability: Share of the requests, `MIN_PROBABILITY` to 1.
        seed: Number from which the decisions follow.
        route: Beginning of the path; empty for every path.
        account: User name; empty for every account.
    """

    probability: float = 1.0
    seed: int = 1
    route: str = ""
    account: str = ""

    @property
    def is_limited(self) -> bool:
        """Whether route or account are given."""
        return bool(self.route or self.account)

    def includes(self, call: FaultCall) -> bool:
        """Whether route and account are those of a request."""
        route, account = self.route.casefold(), self.account.casefold()
        return call.path.casefold().startswith(route) and account in ("", call.user.casefold())


EVERY_REQUEST: Final = FaultSelection()


def checked_selection(selection: FaultSelection) -> FaultSelection:
    """Return a selection whose values are in range. Raises ServiceError: "fault-invalid"."""
    if not MIN_PROBABILITY <= selection.probability <= 1:
        raise ServiceError("fault-invalid", f"La probabilidad va de {MIN_PROBABILITY:f} a 1.")
    if not 0 <= selection.seed <= MAX_SEED:
        raise ServiceError("fault-invalid", f"La semilla va de 0 a {MAX_SEED}.")
    if len(selection.route) > MAX_TEXT or len(selection.account) > MAX_TEXT:
        raise ServiceError("fault-invalid", f"La ruta y la cuenta tienen a lo más {MAX_TEXT} caracteres.")
    if selection.route and not selection.route.startswith("/"):
        raise ServiceError("fault-invalid", "La ruta empieza con /, como /cfdi33/issue.")
    return selection


class FaultDecisions:
    """Decides whether a fault affects a request.

    The n-th request of an account to an operation always has the same decision for a seed, whatever other accounts and
    operations get meanwhile.
    """

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, FaultSelection, str, str]] = Counter()
        self._lock = threading.Lock()

    def affects(self, name: str, selection: FaultSelection, call: FaultCall) -> bool:
        """Count the request and decide. `selection`: Its requests."""
        if not selection.includes(call):
            return False
        if selection.probability >= 1:
            return True
        key = (name, selection, call.user, call.operation)
        with self._lock:
            if len(self._requests) >= MAX_KEYS:
                self._requests.clear()
            number = self._requests[key]
            self._requests[key] += 1
        return draw(selection.seed, name, call.user, call.operation, number) < selection.probability


def draw(seed: int, *parts: object) -> float:
    """Return a number of at least 0 and below 1 that depends on the arguments only."""
    digest = sha256("\0".join(map(str, (seed, *parts))).encode()).digest()
    return int.from_bytes(digest[:8], "big") / _RANGE

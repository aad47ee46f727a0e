"""Who causes the changes of the present request: the actor, its address, and the request."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Literal

ActorKind = Literal["user", "operator", "server", "anonymous"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a change.

    Attributes:
        kind: `user`: the user of a token or a session. `operator`: a person who runs a command on the server.
            `server`: a periodic job. `anonymous`: a client without a token.
        actor: A user name, or the name of the operator at the operating system; empty for the others.
        account_id: The account of the user.
        address: IP address of the client; empty for an operator and the server.
        request_id: The identifier of the HTTP request; empty without one.
    """

    kind: ActorKind
    actor: str = ""
    account_id: int | None = None
    address: str = ""
    request_id: str = ""


SERVER: Final = Origin("server")
_current: ContextVar[Callable[[], Origin] | None] = ContextVar("audit_origin", default=None)


def set_origin(read: Callable[[], Origin]) -> None:
    """Set the origin of the present context, such as the task of a request; threads of it inherit the origin.

    Args:
        read: Returns the origin; called when an event is written.
    """
    _current.set(read)


def current_origin() -> Origin:
    """Return the origin of the present context; the server without one."""
    read = _current.get()
    return SERVER if read is None else read()


def operator_origin() -> Origin:
    """Return the origin of a command: the user of the operating system, if it has a name."""
    try:
        return Origin("operator", getpass.getuser())
    except (ImportError, KeyError, OSError):
        return Origin("operator")

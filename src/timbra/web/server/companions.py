"""Servers that `timbra dev` runs beside its own: each feature declares functions that open its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from timbra.container import Container
from timbra.core.features import features


@dataclass(frozen=True, slots=True)
class Companion:
    """A server that has its addresses, and does not accept requests yet.

    Attributes:
        values: What `timbra dev` prints, by name.
        settings: Settings of the server of `timbra dev` that name the addresses.
        start: Begins to serve in a thread, with the container of that server, which ends it when it closes.
    """

    values: Mapping[str, str]
    settings: Mapping[str, str]
    start: Callable[[Container], None]


def open_companions(host: str, *, any_port: bool) -> Sequence[Companion]:
    """Open the addresses of all companions.

    Args:
        host: The address of the option `--host`.
        any_port: Whether they take free ports; else each takes its usual one, if that is free.
    """
    found = [feature.load(feature.companions, "COMPANIONS") for feature in features()]
    return [open_one(host, any_port=any_port) for group in found for open_one in group]

"""A document that keeps a rule and one that breaks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from timbra.examples.cfdi40 import ingreso
from timbra.examples.tree import Change


class CodeExampleBuilder(Protocol):
    """A function of `timbra.examples` that takes changes."""

    def __call__(self, changes: Mapping[str, Change] | None = None) -> str: ...


@dataclass(frozen=True, slots=True)
class Example:
    """Both documents as text, made when asked for."""

    passing: Callable[[], str]
    failing: Callable[[], str]


def differ(
    builder: CodeExampleBuilder, failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None
) -> Example:
    """Two documents of one builder that differ by changes."""
    return Example(lambda: builder(passing), lambda: builder(failing))


def invoices(failing: Mapping[str, Change], passing: Mapping[str, Change] | None = None) -> Example:
    """Two invoices that differ by changes."""
    return differ(ingreso, failing, passing)


def at(path: str, **attributes: str | None) -> dict[str, Change]:
    """Changes of attributes of one element."""
    return {f"{path}/@{name}": value for name, value in attributes.items()}

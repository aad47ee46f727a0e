"""Pairs of documents: one satisfies a rule, the other violates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from timbra.examples.tree import Change

Builder = Callable[..., str]
"""A function of `timbra.examples`; its first argument is the changes."""


class CodeExampleBuilder(Protocol):
    """A function of `timbra.examples` that takes changes."""

    def __call__(self, changes: Mapping[str, Change] | None = None) -> str: ...


class DocumentPair(Protocol):
    """What a rule's record states as its example."""

    def documents(self, base: Builder | None) -> Example:
        """Return both documents.

        Args:
            base: builder of the rule set's base document.
        """


@dataclass(frozen=True, slots=True)
class Example:
    """Both documents as text, built when they are needed."""

    passing: Callable[[], str]
    failing: Callable[[], str]

    def documents(self, base: Builder | None) -> Example:
        """Return the pair itself, whatever the base document is."""
        del base
        return self


def example(
    builder: CodeExampleBuilder, fails: Mapping[str, Change], passes: Mapping[str, Change] | None = None
) -> Example:
    """Return two documents of one builder that differ by changes.

    Args:
        builder: builder of both documents.
        fails: changes by path of the document that violates the rule.
        passes: changes by path of the document that satisfies it; none by default.
    """
    return Example(lambda: builder(passes), lambda: builder(fails))


def at(path: str, **attributes: str | None) -> dict[str, Change]:
    """Changes of attributes of one element."""
    return {f"{path}/@{name}": value for name, value in attributes.items()}

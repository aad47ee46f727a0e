"""What a code of the service is explained with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Cause(NamedTuple):
    """Why the service answers with a code, and what the caller does; both in Spanish."""

    cause: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ServiceCode:
    """A code that is no code of a rule.

    Attributes:
        code: the code as callers read it, or the key of a sentence without a printed code.
        context: which answer carries it, in Spanish; the same number has other meanings in other answers.
        message: the sentence that callers read.
        cause: why the service answers with it.
        remedy: what the caller does.
    """

    code: str
    context: str
    message: str
    cause: str
    remedy: str
